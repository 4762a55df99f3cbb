import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Form } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** Asks whether to sign out (spec: Sign-in rules, 6). */
export function SignOutPage(facts: {
  app_name: string | undefined
  app_icon: string | undefined
  /** The signed-in account, if the app names another one; empty if unknown. */
  other_than: string | undefined
  csrf_token: string
  /** The app's parameters, which are validated again when the form is sent. */
  requested: Record<string, string>
  stay_url: string
}): JSX.Element {
  const { app_name, requested } = facts
  const from = app_name ?? 'Purser'
  return (
    <FocusLayout
      signs_out
      title={`Sign out of ${from}? · Purser`}
      app_icon={facts.app_icon}
      {...(app_name ? { app_name } : {})}
    >
      <Heading title={`Sign out of ${from}?`}>{consequenceOf(facts)}</Heading>
      <div class="grid gap-3">
        <Form action="/o/session/end/sign-out" csrf_token={facts.csrf_token}>
          {Object.entries(requested).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <Button kind="primary" pending="Signing out…" wide>
            Sign out
          </Button>
        </Form>
        <Button href={facts.stay_url} wide>
          Stay signed in
        </Button>
      </div>
    </FocusLayout>
  )
}

function consequenceOf({
  app_name,
  other_than,
}: {
  app_name: string | undefined
  other_than: string | undefined
}): string {
  if (app_name === undefined) {
    return 'This signs you out of Purser in this browser and of the apps you opened with it.'
  }
  if (other_than === undefined) {
    return `This signs you out of ${app_name} in every browser and of Purser in this one. Your other apps stay signed in.`
  }
  const who = other_than === '' ? '' : ` You stay signed in as ${other_than}.`
  return `${app_name} asks to sign out another account.${who}`
}

/** An invalid sign-out request of an app. */
export function ImpossibleSignOutPage({ message }: { message: string }): JSX.Element {
  return (
    <FocusLayout title="Sign-out failed · Purser">
      <Heading title="Sign-out failed">
        The sign-out request of the app is invalid. You are still signed in.
      </Heading>
      <Button href="/" wide>
        Go to the home page
      </Button>
      <p class="text-xs text-muted">Details for developers: {message}.</p>
    </FocusLayout>
  )
}
