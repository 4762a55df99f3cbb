import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** What a browser sees whose account has an unproven mailbox. */
export function UnprovenPage(): JSX.Element {
  return (
    <FocusLayout title="Confirm your email first · Purser">
      <Heading title="Confirm your email first">
        Use the link in your receipt. Until then, this browser can open only that purchase.
      </Heading>
      <Button href="/account/" wide>
        View your purchase
      </Button>
    </FocusLayout>
  )
}
