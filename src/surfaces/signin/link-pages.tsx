import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Field, Form, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { DescriptionList, Heading } from '#design/panels'

const WORDS = {
  verify_email: {
    title: 'Confirm your email',
    words: 'Confirm that this mailbox is yours. You are signed in afterwards.',
    action: 'Confirm my email',
  },
  sign_up: {
    title: 'Finish your account',
    words: 'Confirm that this mailbox is yours, and the account is ready.',
    action: 'Confirm my email',
  },
  sign_in: {
    title: 'Sign in with this link',
    words: 'Press the button to sign in on this browser.',
    action: 'Sign in',
  },
  set_password: {
    title: 'Set a password',
    words: 'It takes the place of any password before. You are signed in afterwards.',
    action: 'Save password',
  },
  not_me: {
    title: 'This was not me',
    words:
      'We lock the account at once, so that nobody can use it, and look at the purchase that was made with your address.',
    action: 'Lock the account',
  },
  change_email: {
    title: 'Confirm your new email',
    words: 'From then on you sign in with the new address, and your letters go there.',
    action: 'Change my email',
  },
  undo_email: {
    title: 'Keep your email address',
    words:
      'We take the change back, sign every browser out, and let you choose a new password. Do this if you did not ask for the change yourself.',
    action: 'Keep this address',
  },
}

/** What a link from a mailbox opens: nothing happens before its button is pressed. */
export function LinkPage(facts: {
  purpose: keyof typeof WORDS
  action: string
  csrf_token: string
  email: string
  /** The address that a change is about. */
  new_email: string | undefined
  /** Where the reader chooses a password, what it is called; and what is wrong with the last one. */
  password: 'Password' | 'New password' | undefined
  fault: string | undefined
}): JSX.Element {
  const { title, words, action } = WORDS[facts.purpose]
  const accounts = [{ term: 'Account', detail: facts.email }]
  if (facts.new_email) accounts.push({ term: 'New address', detail: facts.new_email })
  return (
    <FocusLayout title={`${facts.fault === undefined ? '' : 'Error: '}${title} · Purser`}>
      <Heading title={title}>{words}</Heading>
      <DescriptionList items={accounts} />
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        {facts.password && (
          <>
            <UsernameField value={facts.email} />
            <Field
              label={facts.password}
              name="password"
              type="password"
              autocomplete="new-password"
              hint="At least 10 characters; a few words are fine."
              error={facts.fault}
            />
          </>
        )}
        <Button kind={facts.purpose === 'not_me' ? 'danger' : 'primary'} pending="One moment…" wide>
          {action}
        </Button>
      </Form>
    </FocusLayout>
  )
}

/** A link that was used, or is too old. */
export function SpentLinkPage(): JSX.Element {
  return (
    <FocusLayout title="This link is spent · Purser">
      <Heading title="This link is spent">
        It works once and for a limited time. Ask for a new one, and use the latest letter.
      </Heading>
      <Button kind="primary" href="/signin/" wide>
        Go to sign in
      </Button>
    </FocusLayout>
  )
}

/** After an account was disowned. */
export function LockedPage(): JSX.Element {
  return (
    <FocusLayout title="The account is locked · Purser">
      <Heading title="The account is locked" done>
        Nobody can use it any more, and we look at the purchase. You need not do anything else.
      </Heading>
      <Questions />
    </FocusLayout>
  )
}

/** After the new mailbox answered. */
export function EmailChangedPage({ email }: { email: string }): JSX.Element {
  return (
    <FocusLayout title="Your email is changed · Purser">
      <Heading title="Your email is changed" done>
        Sign in with {email} from now on.
      </Heading>
      <Button kind="primary" href="/account/security/" wide>
        Go to your account
      </Button>
    </FocusLayout>
  )
}

/** The address of a change has an account of its own; after undoing one, staff must look at it. */
export function EmailTakenPage({ is_locked }: { is_locked: boolean }): JSX.Element {
  return (
    <FocusLayout title="This address is in use · Purser">
      <Heading title="This address is in use">
        {is_locked
          ? 'It has an account of its own by now, so we could not give it back. Nobody can use your account until we have looked at it.'
          : 'It has an account of its own, so nothing was changed.'}
      </Heading>
      <Questions />
    </FocusLayout>
  )
}

function Questions(): JSX.Element {
  return (
    <p class="text-sm text-muted">
      Questions? <TextLink href="/help/">Here is how to reach us.</TextLink>
    </p>
  )
}
