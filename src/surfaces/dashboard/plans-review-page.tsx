import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Comparison, type ComparisonRow } from '#design/comparison'
import { Alert } from '#design/feedback'
import { Form } from '#design/forms'
import { Panel } from '#design/panels'
import { type AppFacts, AppPage, addressOf } from './layout.tsx'

/** What saving the plans would do. */
export interface Review {
  /** The plans that could no longer be bought. */
  removed: string[]
  /** The prices whose buy links would stop working, described. */
  dead_links: string[]
  differences: ComparisonRow[]
}

/** Shows what saving the plans would do, with a button to save them. */
export function ReviewPage(
  facts: AppFacts & {
    review: Review
    /** The form as hidden fields. */
    fields: [name: string, value: string][]
    /** A digest of what is shown; if saving would do something else, the page is shown again. */
    reviewed: string
    has_changed: boolean
  },
): JSX.Element {
  const { review } = facts
  return (
    <AppPage
      {...facts}
      current="plans"
      heading="review the plans"
      intro="Review your changes. Nothing is saved yet."
    >
      <div class="grid max-w-3xl grid-cols-1 gap-6">
        {facts.has_changed && (
          <Alert tone="warning" title="The plans have changed">
            Another person or an agent saved the plans since you opened them. Review the changes
            again.
          </Alert>
        )}
        {review.dead_links.length > 0 && (
          <Alert tone="warning" title="Buy links that will stop working">
            <ul class="list-disc ps-5">
              {review.dead_links.map((link) => (
                <li key={link}>{link}</li>
              ))}
            </ul>
          </Alert>
        )}
        {review.removed.length > 0 && (
          <Alert tone="warning" title="Plans that will be removed">
            <ul class="list-disc ps-5">
              {review.removed.map((name) => (
                <li key={name}>{name}</li>
              ))}
            </ul>
          </Alert>
        )}
        {review.differences.length > 0 && (
          <Panel title="Changed">
            <Comparison differences={review.differences} sides={['Current', 'New']} />
          </Panel>
        )}
        <p class="text-sm text-muted">Changes apply immediately to unpaid checkouts.</p>
        <Form action={addressOf(facts.slug, 'plans')} csrf_token={facts.csrf_token}>
          {facts.fields.map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <input type="hidden" name="reviewed" value={facts.reviewed} />
          <Actions>
            <Button kind="primary" name="do" value="save" pending="Saving…">
              Save plans
            </Button>
            <Button name="do" value="edit">
              Keep editing
            </Button>
          </Actions>
        </Form>
      </div>
    </AppPage>
  )
}
