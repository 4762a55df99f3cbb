import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** Asks the owner of an account to confirm their email first. */
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
