import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** What a browser sees whose account has an unproven mailbox. */
export function UnprovenPage(): JSX.Element {
  return (
    <FocusLayout title="Confirm your email first · Purser">
      <Heading title="Confirm your email first">
        The receipt of your purchase has a link for it. Until then this browser sees that purchase
        and nothing else.
      </Heading>
      <Button href="/account/" wide>
        To your purchase
      </Button>
    </FocusLayout>
  )
}
