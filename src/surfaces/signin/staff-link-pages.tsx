import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { Form, NewPasswordField, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { DescriptionList, Heading } from '#design/panels'
import type { StaffRole } from '#domain/identity'
import { STAFF_ROLE_LABELS } from '#http/staff-labels'

interface InvitationFacts {
  email: string
  role: StaffRole
  /** What the reader must do: set a password, only accept, or sign in first. */
  way: 'password' | 'join' | 'sign_in'
  /** The email of the admin who invites; undefined for an invitation by the command. */
  inviter: string | undefined
  /** The legal name of the operator. */
  operator: string
  /** The email of another account that is signed in on this browser. */
  signed_in_as: string | undefined
  action: string
  sign_in_url: string
  csrf_token: string
  fault: string | undefined
}

/** An invitation to staff; nothing happens before its button is pressed. */
export function InvitationPage(facts: InvitationFacts): JSX.Element {
  const { email, role, way, operator, fault } = facts
  const items = [
    { term: 'Account', detail: email },
    { term: 'Role', detail: STAFF_ROLE_LABELS[role] },
    { term: 'Invited by', detail: facts.inviter ?? 'The operator, by command' },
  ]
  return (
    <FocusLayout title="Join the staff · Purser" has_error={fault !== undefined}>
      <Heading title="Join the staff">
        {operator} invited you to join the staff of this service.
      </Heading>
      <DescriptionList items={items} />
      {way === 'sign_in' ? <SignInFirst {...facts} /> : <Accept {...facts} />}
    </FocusLayout>
  )
}

function Accept({ way, action, csrf_token, email, fault }: InvitationFacts): JSX.Element {
  return (
    <Form action={action} csrf_token={csrf_token}>
      {way === 'password' && (
        <>
          <UsernameField value={email} />
          <NewPasswordField label="Password" error={fault} />
        </>
      )}
      {way === 'join' && fault && (
        <Alert tone="warning" title="Not changed">
          {fault}
        </Alert>
      )}
      <p class="text-sm text-muted">
        Staff accounts need a second factor. You set it up next, if you have none.
      </p>
      <Button kind="primary" pending="One moment…" wide>
        Join the staff
      </Button>
    </Form>
  )
}

function SignInFirst({ email, signed_in_as, sign_in_url }: InvitationFacts): JSX.Element {
  return (
    <>
      {signed_in_as && <Alert tone="info">You are signed in as {signed_in_as}.</Alert>}
      <p class="text-sm text-muted">
        {email} has an account. Sign in to it, and you return to this page.
      </p>
      <Button kind="primary" href={sign_in_url} wide>
        Sign in as {email}
      </Button>
    </>
  )
}

/** An invitation that has expired, was used, or was replaced by a later one. */
export function ExpiredInvitationPage(): JSX.Element {
  return (
    <FocusLayout title="This invitation is no longer valid · Purser">
      <Heading title="This invitation is no longer valid">
        It was used, has expired, or was replaced by a later one. Ask an admin for a new invitation,
        or run the command again.
      </Heading>
      <Button href="/admin/" wide>
        Go to Admin
      </Button>
    </FocusLayout>
  )
}
