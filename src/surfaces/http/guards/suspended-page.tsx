import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'
import { AskForReview } from '#http/review-link'

/** Shown to a suspended seller's members, who can change only its bank account. */
export function SuspendedPage({ legal_name }: { legal_name: string }): JSX.Element {
  return (
    <FocusLayout title="Suspended · Purser">
      <Heading title={`${legal_name} is suspended`}>
        Nothing was saved. While {legal_name} is suspended, its pages can be viewed but not changed,
        except for its bank account. Its data can be exported. We emailed the reason to its owner
        and admins. <AskForReview />
      </Heading>
      <Button href="/dashboard/" kind="primary" wide>
        Go to your apps
      </Button>
    </FocusLayout>
  )
}
