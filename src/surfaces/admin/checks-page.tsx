import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Wrapped } from '#design/cells'
import { Badge } from '#design/feedback'
import { Form } from '#design/forms'
import { Moment } from '#design/money'
import { Panel } from '#design/panels'
import { RecordTable } from '#design/records'
import type { StaffRole } from '#domain/identity'
import type { FailedEvent } from '#domain/payments'
import { capitalized } from '#platform/text'
import { type Checked, type EventsReprocessed, LISTED } from './check-results.ts'
import { AdminPage } from './layout.tsx'

interface ChecksFacts {
  role: StaffRole
  csrf_token: string
  /** The results of the latest runs, with their times. */
  books: (Checked & { at: Date }) | undefined
  events: (EventsReprocessed & { at: Date }) | undefined
  /** The events that failed and are retried. */
  failed: FailedEvent[]
}

/** Periodic jobs that staff can run now, with their latest results. */
export function ChecksPage(facts: ChecksFacts): JSX.Element {
  const { csrf_token, books, events, failed } = facts
  return (
    <AdminPage
      {...facts}
      current="checks"
      title="Checks"
      intro="Check the ledger and reprocess missed events."
    >
      <div class="grid grid-cols-1 gap-6">
        <Check
          title="Ledger"
          detail="Recomputes every posting and compares each payee’s and each state’s balance. Read-only."
          action="books"
          button="Check ledger"
          csrf_token={csrf_token}
        >
          {books && <Books {...books} />}
        </Check>
        <Check
          title="Processor events"
          detail="Fetches and processes events that were missed, and retries those that failed. Events that were already processed are skipped."
          action="events"
          button="Reprocess events"
          csrf_token={csrf_token}
        >
          {events && <Events {...events} failed={failed} />}
          <PendingEvents failed={failed} waiting={events?.waiting ?? []} />
        </Check>
      </div>
    </AdminPage>
  )
}

function Check(facts: {
  title: string
  detail: string
  action: string
  button: string
  csrf_token: string
  children: ComponentChildren
}): JSX.Element {
  return (
    <Panel title={facts.title}>
      <p class="text-sm">{facts.detail}</p>
      <Form action={`/admin/checks/${facts.action}`} csrf_token={facts.csrf_token}>
        <Actions>
          <Button pending="Running…">{facts.button}</Button>
        </Actions>
      </Form>
      {facts.children}
    </Panel>
  )
}

function Books({ at, counts, differences }: Checked & { at: Date }): JSX.Element {
  const isGood = differences.length === 0
  return (
    <>
      <p class="flex flex-wrap items-center gap-3 text-sm">
        {isGood ? (
          <Badge tone="good">The ledger is correct</Badge>
        ) : (
          <Badge tone="bad">Differences found</Badge>
        )}
        <span class="text-muted">
          <Moment at={at} />
        </span>
      </p>
      <Counts counts={counts} />
      {!isGood && (
        <RecordTable
          caption="Differences"
          columns={[{ label: 'What' }, { label: 'Rule' }, { label: 'Difference' }]}
          rows={differences.slice(0, LISTED).map(({ subject, rule, detail }, index) => ({
            key: `${index}`,
            cells: [subject, rule, <Wrapped text={detail} />],
          }))}
        />
      )}
      {differences.length > LISTED && (
        <p class="text-sm text-muted">
          The first {LISTED} are listed. <code>npm run ledger:check</code> lists all.
        </p>
      )}
    </>
  )
}

/** How many of each kind were checked. */
function Counts({ counts }: Pick<Checked, 'counts'>): JSX.Element {
  return (
    <section class="grid gap-2 text-sm">
      <h3 class="font-medium">Checked</h3>
      <dl class="grid gap-x-10 gap-y-1 sm:grid-cols-2 lg:grid-cols-3">
        {Object.entries(counts).map(([what, count]) => (
          <div key={what} class="flex justify-between gap-4">
            <dt class="text-muted">{capitalized(what)}</dt>
            <dd class="tabular-nums">{count.toLocaleString('en-US')}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

type PendingFacts = Pick<ChecksFacts, 'failed'> & Pick<EventsReprocessed, 'waiting'>

function Events({
  at,
  processed,
  waiting,
  failed,
}: PendingFacts & { at: Date; processed: number }): JSX.Element {
  const pending = pendingOf({ failed, waiting }).length
  return (
    <p class="flex flex-wrap items-center gap-3 text-sm">
      <Badge tone={pending === 0 ? 'good' : 'info'} wraps>
        {processed} processed, {pendingCount(pending)} pending
      </Badge>
      <span class="text-muted">
        <Moment at={at} />
      </span>
    </p>
  )
}

/** The events that failed, with their next retry, and those that the last run left pending. */
function pendingOf({ failed, waiting }: PendingFacts) {
  const failed_ids = new Set(failed.map(({ id }) => id))
  return [
    ...failed.map((event) => ({ ...event, due_at: event.retry_at })),
    ...waiting
      .filter(({ id }) => !failed_ids.has(id))
      .map((event) => ({ ...event, due_at: new Date(event.at), failures: 0 })),
  ]
}

function PendingEvents(facts: PendingFacts): JSX.Element | null {
  const pending = pendingOf(facts)
  if (pending.length === 0) return null
  return (
    <>
      <RecordTable
        caption="Pending events"
        columns={[
          { label: 'Due' },
          { label: 'Event' },
          { label: 'ID' },
          { label: 'Failed attempts', numeric: true },
        ]}
        rows={pending.slice(0, LISTED).map(({ id, kind, due_at, failures }) => ({
          key: id,
          cells: [<Moment at={due_at} />, kind.replaceAll('_', ' '), id, failures],
        }))}
      />
      {pending.length > LISTED && <p class="text-sm text-muted">The first {LISTED} are listed.</p>}
    </>
  )
}

function pendingCount(count: number): string {
  return count > LISTED ? `over ${LISTED}` : String(count)
}
