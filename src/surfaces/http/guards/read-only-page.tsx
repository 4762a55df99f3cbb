import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** Says that nothing can be changed while viewing a seller’s pages. */
export function ReadOnlyPage(): JSX.Element {
  return (
    <FocusLayout title="Read-only · Purser">
      <Heading title="You are viewing as a seller">
        Nothing can be changed while you view a seller's pages. Stop viewing first.
      </Heading>
      <Button href="/dashboard/" kind="primary" wide>
        Back to the dashboard
      </Button>
    </FocusLayout>
  )
}
