import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { CheckboxField } from '#design/forms'
import { Icon } from '#design/icons'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'
import { AGENT_SCOPES, type AgentScope, isWriting } from '#domain/grants'
import { AllowOrCancel, type ConsentForms } from './consent-forms.tsx'

/** What each scope lets an agent do, for the person who decides. */
const ALLOWED: Record<AgentScope, string> = {
  'integrations.read': 'Read integration settings: Login URL, redirect URIs, client ID.',
  'integrations.write':
    'Change the Login URL and the redirect URIs, and rotate the client secret. The old secret stops working immediately.',
  'listing.read': 'Read your listings: texts, categories, feature table.',
  'listing.write': 'Change listings, plans and prices. New prices apply to buyers immediately.',
}

/** Asks whether an agent may manage the person's apps (spec: Sign-in rules, 9). */
export function AgentPage(
  facts: ConsentForms & {
    scopes: AgentScope[]
    /** Host and port of the agent's redirect URL. */
    callback: string
    /** The names of the person's apps. */
    apps: string[]
    email: string
    another_url: string
  },
): JSX.Element {
  const reading = facts.scopes.filter((scope) => !isWriting(scope))
  const writing = facts.scopes.filter(isWriting)
  const further = AGENT_SCOPES.filter((each) => isWriting(each) && !writing.includes(each))
  const title = `Let an agent ${writing.length > 0 ? 'manage' : 'read'} your apps?`
  return (
    <FocusLayout title={`${title} · Purser`}>
      <Heading title={title}>
        With your Purser account <Mailbox address={facts.email} />.{' '}
        <TextLink href={facts.another_url}>Use another account</TextLink>
      </Heading>
      <Alert tone="warning" title="Allow this only if you started it">
        A program on this computer requests access. It identifies as an agent. Purser cannot verify
        which one.
      </Alert>
      <p class="text-sm">
        {facts.apps.length > 0
          ? `This applies to all of your apps: ${new Intl.ListFormat('en-US').format(facts.apps)}.`
          : 'Your account has no apps yet.'}
      </p>
      <AllowOrCancel {...facts}>
        <section class="grid gap-3" aria-labelledby="reading">
          <h2 id="reading" class="font-semibold">
            It can
          </h2>
          <ul class="grid gap-3 text-sm">
            <Item icon="check">Read your apps, their plans and their prices.</Item>
            {reading.map((scope) => (
              <Item key={scope} icon="check">
                {ALLOWED[scope]}
              </Item>
            ))}
          </ul>
        </section>
        <Changes
          legend="It also requests to"
          hint="Clear what you do not want to allow."
          scopes={writing}
          checked
        />
        <Changes
          legend="You can also allow it to"
          hint="Not requested now. Check what you want it to change."
          scopes={further}
        />
        <section class="grid gap-3" aria-labelledby="never">
          <h2 id="never" class="font-semibold">
            It cannot
          </h2>
          <ul class="grid gap-3 text-sm">
            <Item icon="minus">Read your buyers or their payment methods.</Item>
            <Item icon="minus">Refund or pay out money, or publish an app.</Item>
            <Item icon="minus">Change your sign-in methods or other account settings.</Item>
          </ul>
        </section>
      </AllowOrCancel>
      <p class="text-xs text-muted">
        You continue to <strong class="font-semibold break-all">{facts.callback}</strong>, a program
        on this computer. Access lasts until you revoke it under Connections or sign out of Purser,
        at most 180 days.
      </p>
    </FocusLayout>
  )
}

/** Checkboxes for scopes that allow changes; nothing without scopes. */
function Changes(facts: {
  legend: string
  hint: string
  scopes: AgentScope[]
  checked?: boolean
}): JSX.Element | null {
  const { legend, hint, scopes, checked = false } = facts
  if (scopes.length === 0) return null
  return (
    <fieldset class="grid gap-1">
      <legend class="font-semibold">{legend}</legend>
      <p class="text-sm text-muted">{hint}</p>
      {scopes.map((scope) => (
        <CheckboxField key={scope} name={scope} label={ALLOWED[scope]} checked={checked} optional />
      ))}
    </fieldset>
  )
}

function Item({ icon, children }: { icon: 'check' | 'minus'; children: string }): JSX.Element {
  return (
    <li class="flex gap-2.5">
      <span class={`mt-0.5 ${icon === 'check' ? 'text-primary' : 'text-muted'}`}>
        <Icon name={icon} size="size-4" />
      </span>
      {children}
    </li>
  )
}
