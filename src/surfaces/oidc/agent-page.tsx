import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { CheckboxField } from '#design/forms'
import { Icon } from '#design/icons'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'
import { AGENT_SCOPES, type AgentScope, isWriting } from '#domain/grants'
import type { Locale, MessageId } from '#platform/language/locale'
import { AllowOrCancel, type ConsentForms } from './consent-forms.tsx'

/** What each scope lets an agent do, for the person who decides. */
const ALLOWED: Record<AgentScope, MessageId> = {
  'integrations.read': 'consent.agent_may_read_integrations',
  'integrations.write': 'consent.agent_may_change_integrations',
  'listing.read': 'consent.agent_may_read_listings',
  'listing.write': 'consent.agent_may_change_listings',
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
  const { locale } = facts
  const { t, rich, list } = locale
  const reading = facts.scopes.filter((scope) => !isWriting(scope))
  const writing = facts.scopes.filter(isWriting)
  const further = AGENT_SCOPES.filter((each) => isWriting(each) && !writing.includes(each))
  const title = t(writing.length > 0 ? 'consent.agent_manage_title' : 'consent.agent_read_title')
  return (
    <FocusLayout locale={locale} title={t('signin.page_title', { title })}>
      <Heading title={title}>
        {rich('consent.text', {
          email: <Mailbox address={facts.email} />,
          link: (text) => <TextLink href={facts.another_url}>{text}</TextLink>,
        })}
      </Heading>
      <Alert tone="warning" title={t('consent.agent_warning_title')}>
        {t('consent.agent_warning')}
      </Alert>
      <p class="text-sm">
        {facts.apps.length > 0
          ? t('consent.agent_apps', { apps: list(facts.apps) })
          : t('consent.agent_no_apps')}
      </p>
      <AllowOrCancel {...facts}>
        <section class="grid gap-3" aria-labelledby="reading">
          <h2 id="reading" class="font-semibold">
            {t('consent.agent_can')}
          </h2>
          <ul class="grid gap-3 text-sm">
            <Item icon="check">{t('consent.agent_can_read')}</Item>
            {reading.map((scope) => (
              <Item key={scope} icon="check">
                {t(ALLOWED[scope])}
              </Item>
            ))}
          </ul>
        </section>
        <Changes
          locale={locale}
          legend={t('consent.agent_also')}
          hint={t('consent.agent_clear')}
          scopes={writing}
          checked
        />
        <Changes
          locale={locale}
          legend={t('consent.agent_further')}
          hint={t('consent.agent_check')}
          scopes={further}
        />
        <section class="grid gap-3" aria-labelledby="never">
          <h2 id="never" class="font-semibold">
            {t('consent.agent_cannot')}
          </h2>
          <ul class="grid gap-3 text-sm">
            <Item icon="minus">{t('consent.agent_cannot_buyers')}</Item>
            <Item icon="minus">{t('consent.agent_cannot_money')}</Item>
            <Item icon="minus">{t('consent.agent_cannot_account')}</Item>
          </ul>
        </section>
      </AllowOrCancel>
      <p class="text-xs text-muted">
        {rich('consent.agent_continue_to', {
          host: facts.callback,
          b: (text) => <strong class="font-semibold break-all">{text}</strong>,
        })}
      </p>
    </FocusLayout>
  )
}

/** Checkboxes for scopes that allow changes; nothing without scopes. */
function Changes(facts: {
  locale: Locale
  legend: string
  hint: string
  scopes: AgentScope[]
  checked?: boolean
}): JSX.Element | null {
  const { legend, hint, scopes, checked = false } = facts
  const { t } = facts.locale
  if (scopes.length === 0) return null
  return (
    <fieldset class="grid gap-1">
      <legend class="font-semibold">{legend}</legend>
      <p class="text-sm text-muted">{hint}</p>
      {scopes.map((scope) => (
        <CheckboxField
          key={scope}
          name={scope}
          label={t(ALLOWED[scope])}
          checked={checked}
          optional
        />
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
