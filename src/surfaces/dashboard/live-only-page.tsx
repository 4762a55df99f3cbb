import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** In test mode: a page that only live mode has. */
export function LiveOnlyPage({ address }: { address: string }): JSX.Element {
  return (
    <SiteLayout title="Change this in live mode · Purser">
      <div class="grid max-w-prose grid-cols-1 gap-6">
        <Heading title="Change this in live mode">
          Seller details, team, terms, apps and their images are the same in both modes. Test mode
          copies them from live mode each time you enter, and each minute.
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
