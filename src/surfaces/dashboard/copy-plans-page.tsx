import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { Form } from '#design/forms'
import { EmptyState } from '#design/panels'
import { addressOf } from '#http/app-menu'
import { type AppFacts, AppPage } from './layout.tsx'
import type { CopyReview } from './plans-review.ts'
import { AlertList, ReviewedChanges } from './plans-review-page.tsx'

/** Shows what copying the plans of live mode would do in test mode, with a button to copy them. */
export function CopyPlansPage(
  facts: AppFacts &
    CopyReview & {
      /** A digest of what is shown; if copying would do something else, the page is shown again. */
      reviewed: string
      has_changed: boolean
    },
): JSX.Element {
  const { review, kept, obstacles } = facts
  const isSame = obstacles.length === 0 && review.differences.length === 0
  const plans = addressOf(facts.slug, 'plans')
  return (
    <AppPage
      {...facts}
      current="plans"
      heading="copy plans from live mode"
      intro="Replaces the plans in test mode. Test subscriptions keep their price, and live mode does not change."
    >
      <div class="grid max-w-3xl grid-cols-1 gap-6">
        {facts.has_changed && (
          <Alert tone="warning" title="The plans have changed">
            Plans in live mode or test mode changed since you opened this page. Review the changes
            again.
          </Alert>
        )}
        <AlertList tone="error" title="The plans cannot be copied" lines={obstacles} />
        <AlertList tone="info" title="Plans kept for their subscribers" lines={kept} />
        {isSame && (
          <EmptyState title="Nothing to copy">
            Test mode already has the plans of live mode.
          </EmptyState>
        )}
        <ReviewedChanges review={review} sides={['Test mode', 'After copying']} />
        <Form action={`${plans}copy/`} csrf_token={facts.csrf_token}>
          <input type="hidden" name="reviewed" value={facts.reviewed} />
          <Actions>
            {obstacles.length === 0 && !isSame && (
              <Button kind="primary" pending="Copying…">
                Copy plans
              </Button>
            )}
            <Button href={plans}>Back to plans</Button>
          </Actions>
        </Form>
      </div>
    </AppPage>
  )
}
