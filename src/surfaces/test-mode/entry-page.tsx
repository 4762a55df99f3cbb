import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** Shown if an entry token was used, has expired, or is of another browser or a former member. */
export function EntryEndedPage({ live_url }: { live_url: string | undefined }): JSX.Element {
  return (
    <FocusLayout title="Open test mode again · Purser">
      <Heading title="Open test mode again">
        Each entry to test mode works once, in the browser that asked for it, and expires after one
        minute. Choose Test mode in the menu of your dashboard.
      </Heading>
      <Button kind="primary" href={`${live_url}/dashboard/`} wide>
        Open the dashboard
      </Button>
    </FocusLayout>
  )
}

/** Shown to a seller's member who tries to sign in to test mode directly. */
export function EnterFromLivePage({ live_url }: { live_url: string | undefined }): JSX.Element {
  return (
    <FocusLayout title="Sign in to live mode · Purser">
      <Heading title="Sign in to live mode">
        Your account belongs to a seller, so you open test mode from live mode. Sign in there, then
        choose Test mode in the menu of your dashboard.
      </Heading>
      <Button kind="primary" href={`${live_url}/dashboard/`} wide>
        Open the dashboard
      </Button>
    </FocusLayout>
  )
}
