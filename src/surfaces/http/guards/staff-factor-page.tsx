import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** Asks staff to set up a second factor first. */
export function StaffFactorPage(): JSX.Element {
  return (
    <FocusLayout title="Set up a second factor · Purser">
      <Heading title="Set up a second factor">
        Staff accounts need one: an authenticator app or a passkey. You can open the admin area
        after that.
      </Heading>
      <Button href="/account/security/" kind="primary" wide>
        Go to Security
      </Button>
    </FocusLayout>
  )
}
