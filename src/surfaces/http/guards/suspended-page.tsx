import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** Says that a seller is suspended, so that its members change nothing. */
export function SuspendedPage({ legal_name }: { legal_name: string }): JSX.Element {
  return (
    <FocusLayout title="Suspended · Purser">
      <Heading title={`${legal_name} is suspended`}>
        Nothing was saved. While Purser suspends {legal_name}, its pages can be viewed and not
        changed. We emailed the reason to its owner and admins.
      </Heading>
      <Button href="/dashboard/" kind="primary" wide>
        Go to your apps
      </Button>
    </FocusLayout>
  )
}
