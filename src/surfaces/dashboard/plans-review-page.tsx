import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Comparison } from '#design/comparison'
import { Alert } from '#design/feedback'
import { Form, HiddenFields } from '#design/forms'
import { Panel } from '#design/panels'
import { addressOf } from '#http/app-menu'
import { type AppFacts, AppPage } from './layout.tsx'
import type { Review } from './plans-review.ts'

/** Shows what saving the plans would do, with a button to save them. */
export function ReviewPage(
  facts: AppFacts & {
    review: Review
    /** The form as hidden fields. */
    fields: Record<string, string>
    /** A digest of what is shown; if saving would do something else, the page is shown again. */
    reviewed: string
    has_changed: boolean
  },
): JSX.Element {
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
            They were saved since you opened them: by an agent, another member, or in another tab.
            Review the changes again.
          </Alert>
        )}
        <ReviewedChanges review={facts.review} sides={['Current', 'New']} />
        <p class="text-sm text-muted">Changes apply immediately to unpaid checkouts.</p>
        <Form action={addressOf(facts.slug, 'plans')} csrf_token={facts.csrf_token}>
          <HiddenFields values={facts.fields} />
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

/** What a change of plans would do: dead buy links, removed plans, and each difference. */
export function ReviewedChanges(facts: { review: Review; sides: [string, string] }): JSX.Element {
  const { removed, dead_links, differences } = facts.review
  return (
    <>
      <AlertList tone="warning" title="Buy links that will stop working" lines={dead_links} />
      <AlertList tone="warning" title="Plans that will be removed" lines={removed} />
      {differences.length > 0 && (
        <Panel title="Changed">
          <Comparison differences={differences} sides={facts.sides} />
        </Panel>
      )}
    </>
  )
}

/** A message with a list; nothing if the list is empty. */
export function AlertList(facts: {
  tone: 'error' | 'info' | 'warning'
  title: string
  lines: string[]
}): JSX.Element | null {
  if (facts.lines.length === 0) return null
  return (
    <Alert tone={facts.tone} title={facts.title}>
      <ul class="list-disc ps-5">
        {facts.lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Alert>
  )
}
