import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** In test mode: a page of an account that is a copy of one in live mode. */
export function LiveAccountPage({ address }: { address: string }): JSX.Element {
  return (
    <SiteLayout title="Change this in live mode · Purser">
      <div class="grid max-w-prose grid-cols-1 gap-6">
        <Heading title="Change this in live mode">
          You enter test mode from your account in live mode. Change your email, password and second
          factors there, or delete the account. The account in test mode follows.
        </Heading>
        <Actions>
          <Button kind="primary" href={address}>
            Open in live mode
          </Button>
        </Actions>
      </div>
    </SiteLayout>
  )
}
