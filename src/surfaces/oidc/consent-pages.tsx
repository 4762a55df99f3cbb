import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Form } from '#design/forms'
import { Icon } from '#design/icons'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'
import { AllowOrCancel, type ConsentForms } from './consent-forms.tsx'

/** What each scope shares with the app, for the person who decides. */
const SHARED: Record<string, string> = {
  openid: 'A private ID for this app only. It is the same each time you sign in.',
  entitlements: 'Your plan and whether it is active.',
}

/** Asks for consent (spec: Sign-in rules, 4 and 7). */
export function ConsentPage(
  facts: ConsentForms & {
    app_name: string
    app_url: string | undefined
    app_icon: string | undefined
    /** The host of the app's redirect URL. */
    redirect_host: string
    scopes: string[]
    email: string
    another_url: string
  },
): JSX.Element {
  const { app_name, app_url } = facts
  return (
    <FocusLayout
      title={`Sign in to ${app_name} · Purser`}
      app_name={app_name}
      app_icon={facts.app_icon}
      {...(app_url === undefined ? {} : { app_url })}
    >
      <Heading title={`Sign in to ${app_name}`}>
        With your Purser account <Mailbox address={facts.email} />.{' '}
        <TextLink href={facts.another_url}>Use another account</TextLink>
      </Heading>
      <section class="grid gap-3" aria-labelledby="shared">
        <h2 id="shared" class="font-semibold">
          {app_name} receives
        </h2>
        <ul class="grid gap-3 text-sm">
          {facts.scopes.map((scope) => (
            <li key={scope} class="flex gap-2.5">
              <span class="mt-0.5 text-primary">
                <Icon name="check" size="size-4" />
              </span>
              {SHARED[scope] ?? scope}
            </li>
          ))}
        </ul>
        <p class="text-sm text-muted">It does not receive your name or email.</p>
      </section>
      <AllowOrCancel {...facts} />
      <p class="text-xs text-muted">
        You continue to <strong class="font-semibold break-all">{facts.redirect_host}</strong>.
      </p>
    </FocusLayout>
  )
}

/** Asks which account to use (`prompt=select_account`). */
export function ChoicePage(facts: {
  app_name: string | undefined
  app_icon: string | undefined
  email: string
  csrf_token: string
  choose_url: string
  another_url: string
}): JSX.Element {
  const { app_name } = facts
  return (
    <FocusLayout
      title="Choose an account · Purser"
      app_icon={facts.app_icon}
      {...(app_name ? { app_name } : {})}
    >
      <Heading title="Choose an account">To continue to {app_name ?? 'the agent'}.</Heading>
      <div class="grid gap-3">
        <Form action={facts.choose_url} csrf_token={facts.csrf_token}>
          <Button kind="primary" pending="One moment…" wide>
            {`Continue as ${facts.email}`}
          </Button>
        </Form>
        <Button href={facts.another_url} wide>
          Use another account
        </Button>
      </div>
    </FocusLayout>
  )
}

/** A sign-in that cannot continue: it began in another browser, expired, or was finished before. */
export function StalePage(facts: {
  app_name: string | undefined
  start_url: string | undefined
}): JSX.Element {
  const { app_name, start_url } = facts
  return (
    <FocusLayout title="Start signing in again · Purser" {...(app_name ? { app_name } : {})}>
      <Heading title="Start signing in again">
        This sign-in has expired or was started in another browser. Go back to{' '}
        {app_name ?? 'the app'} and sign in there.
      </Heading>
      <Button kind="primary" href={start_url ?? '/'} wide>
        {app_name && start_url ? `Go to ${app_name}` : 'Go to the home page'}
      </Button>
    </FocusLayout>
  )
}

/** An invalid request of an app, where the person cannot be redirected back. */
export function RefusedPage(facts: {
  app_name: string | undefined
  app_url: string | undefined
  is_ours: boolean
  /** The documentation for an agent whose request is invalid. */
  agents_url: string | undefined
  code: string
  message: string | undefined
  request_id: string
}): JSX.Element {
  const { app_name, app_url, is_ours } = facts
  const app = app_name ?? 'the app'
  return (
    <FocusLayout title="Sign-in failed · Purser" {...(app_name ? { app_name } : {})}>
      <Heading title="Sign-in failed">
        {is_ours
          ? 'The error is on our side and was logged. Try again in a minute.'
          : `The sign-in request from ${app} is invalid. Nothing was shared.`}
      </Heading>
      <Button href={app_url ?? '/'} wide>
        {app_name && app_url ? `Back to ${app_name}` : 'Go to the home page'}
      </Button>
      {facts.agents_url && !is_ours && (
        <p class="text-sm text-muted">
          An agent on <code class="font-mono">localhost</code> must use port 45454.{' '}
          <TextLink href={facts.agents_url}>How to connect an agent</TextLink>
        </p>
      )}
      <p class="text-xs text-muted">
        Details for developers: <code class="font-mono">{facts.code}</code>
        {facts.message && `, ${facts.message}`}. Reference {facts.request_id}
      </p>
    </FocusLayout>
  )
}
