import { NoticePage } from '../../shared/pages/notice.tsx'

/** For a person who canceled the sign-in, or was refused. */
export function CanceledPage({ canceled }: { canceled: boolean }) {
  const title = canceled ? 'You did not sign in' : 'Sign-in failed'
  return (
    <NoticePage title={title}>
      <p class="lead">
        {canceled ? 'That is fine: today’s tide needs no account.' : 'Please begin once more.'}
      </p>
      <Ways />
    </NoticePage>
  )
}

/** A sign-in response that this browser did not request, or that was already used. */
export function NotBegunHerePage() {
  return (
    <NoticePage title="This sign-in is over">
      <p class="lead">
        It was used before, or it was begun in another browser. You were not signed in.
      </p>
      <Ways />
    </NoticePage>
  )
}

function Ways() {
  return (
    <p class="actions">
      <a class="button is-strong" href="/login">
        Sign in with Purser
      </a>
      <a class="button" href="/">
        To the home page
      </a>
    </p>
  )
}

/** The hosted sign-in add-on is off: an error of this site's operator, not of the visitor. */
export function NotEnabledPage() {
  return (
    <NoticePage title="We cannot look up plans right now" signed_in>
      <p class="lead">
        The fault is ours, and signing in again would not help. Please come back later.
      </p>
      <p class="actions">
        <a class="button" href="/">
          To the home page
        </a>
      </p>
    </NoticePage>
  )
}
