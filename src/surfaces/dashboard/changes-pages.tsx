import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Comparison, type ComparisonRow } from '#design/comparison'
import { Alert, Badge } from '#design/feedback'
import { Form, HiddenFields } from '#design/forms'
import { Moment } from '#design/money'
import { Pager } from '#design/navigation'
import { Disclosure, EmptyState, Panel } from '#design/panels'
import { addressOf } from '#http/app-menu'
import type { ChangeId } from '#platform/ids'
import { counted } from '#platform/text'
import { type AppFacts, AppPage } from './layout.tsx'

/** A change, for the list. */
export interface ChangeFacts {
  id: ChangeId
  at: Date
  what: string
  /** The account's email, preceded by the agent that acted for it. */
  who: string
  is_agent: boolean
  is_undo: boolean
  was_undone: boolean
  can_undo: boolean
  differences: ComparisonRow[]
}

/** The changes of an app, newest first. */
export function ChangesPage(
  facts: AppFacts & {
    changes: ChangeFacts[]
    newest: string | undefined
    older: string | undefined
  },
): JSX.Element {
  return (
    <AppPage {...facts} current="changes" intro="Changes made by you or an agent. Undo them here.">
      {facts.changes.length === 0 ? (
        <EmptyState
          title={facts.newest ? 'No older changes' : 'No changes yet'}
          action={
            facts.newest ? (
              <Button href={facts.newest}>View latest</Button>
            ) : (
              <Button href="/docs/agents/">Connect an agent</Button>
            )
          }
        >
          Changes that you or an agent save appear here.
        </EmptyState>
      ) : (
        <ol class="grid max-w-3xl grid-cols-1 gap-4">
          {facts.changes.map((change) => (
            <li key={change.id} class="contents">
              <Entry change={change} base={addressOf(facts.slug, 'changes')} />
            </li>
          ))}
        </ol>
      )}
      <div class="max-w-3xl">
        <Pager newest={facts.newest} older={facts.older} />
      </div>
    </AppPage>
  )
}

/** Longer lists of items are collapsed. */
const SHORT = 3

function Entry({ change, base }: { change: ChangeFacts; base: string }): JSX.Element {
  const { id, differences } = change
  return (
    <article
      aria-labelledby={id}
      class="grid grid-cols-1 gap-4 rounded-box border border-base-300 bg-base-100 p-5 sm:p-6"
    >
      <header class="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div class="grid gap-0.5">
          <h2 id={id} class="font-semibold">
            {change.what}
          </h2>
          <Author {...change} />
        </div>
        <Marks {...change} />
      </header>
      {differences.length > 0 && (
        <Disclosure
          summary={`${counted(differences.length, 'field')} changed`}
          open={differences.length <= SHORT}
        >
          <Comparison differences={differences} />
        </Disclosure>
      )}
      {change.can_undo && !change.was_undone && (
        <div>
          <Button href={`${base}${id}/`} describedby={`${id} ${id}-author`}>
            Undo this change
          </Button>
        </div>
      )}
    </article>
  )
}

function Author({ id, at, who }: ChangeFacts): JSX.Element {
  return (
    <p id={`${id}-author`} class="text-sm text-muted">
      <Moment at={at} /> · {who}
    </p>
  )
}

function Marks({ is_agent, is_undo, was_undone }: ChangeFacts): JSX.Element {
  return (
    <span class="flex flex-wrap gap-2">
      {is_agent && <Badge tone="info">Agent</Badge>}
      {is_undo && <Badge>Undo</Badge>}
      {was_undone && <Badge>Undone</Badge>}
    </span>
  )
}

/** Shows what undoing a change would do, and asks for confirmation. */
export function UndoPage(
  facts: AppFacts & {
    change: ChangeFacts
    effects: ComparisonRow[]
    /** A digest of what is shown; if an undo would do something else, the page is shown again. */
    reviewed: string
    has_changed: boolean
    obstacles: string[]
  },
): JSX.Element {
  const { change, effects, obstacles } = facts
  const base = addressOf(facts.slug, 'changes')
  return (
    <AppPage
      {...facts}
      current="changes"
      heading="undo a change"
      intro={
        <>
          {change.what}, <Moment at={change.at} />, by {change.who}.
        </>
      }
      back={{ label: 'Changes', href: base }}
    >
      <div class="grid max-w-3xl grid-cols-1 gap-6">
        {facts.has_changed && (
          <Alert tone="warning" title="The undo has changed">
            Changes were saved since you opened this page: by an agent, another member, or in
            another tab. Review the undo again.
          </Alert>
        )}
        {obstacles.length > 0 && (
          <Alert tone="error" title="This change cannot be undone">
            {obstacles.join(' ')}
          </Alert>
        )}
        {effects.length === 0 ? (
          <EmptyState title="Nothing to undo" action={<Button href={base}>View changes</Button>}>
            Everything already matches the state before this change.
          </EmptyState>
        ) : (
          <Panel title="Review the changes">
            <Comparison differences={effects} sides={['Current', 'After undo']} />
            <Form action={`${base}${change.id}/`} csrf_token={facts.csrf_token}>
              <HiddenFields values={{ reviewed: facts.reviewed }} />
              <Actions>
                <Button kind="primary" name="do" value="undo" pending="Undoing…">
                  Undo this change
                </Button>
                <Button href={base}>Cancel</Button>
              </Actions>
            </Form>
          </Panel>
        )}
      </div>
    </AppPage>
  )
}
