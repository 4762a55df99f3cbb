import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Badge } from '#design/feedback'
import { Form } from '#design/forms'
import { Moment } from '#design/money'
import { Panel, RecordTable } from '#design/panels'
import type { StaffRole } from '#domain/identity'
import { capitalized } from '#platform/text'
import type { Checked, EventsReprocessed } from './check-results.ts'
import { AdminPage } from './layout.tsx'

interface ChecksFacts {
  role: StaffRole
  csrf_token: string
  /** The results of the latest runs, with their times. */
  books: (Checked & { at: Date }) | undefined
  events: (EventsReprocessed & { at: Date }) | undefined
}

/** Periodic jobs that staff can run now, with their latest results. */
export function ChecksPage(facts: ChecksFacts): JSX.Element {
  const { csrf_token, books, events } = facts
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
          detail="Fetches and processes events that were missed. Events that were already processed are skipped."
          action="events"
          button="Reprocess events"
          csrf_token={csrf_token}
        >
          {events && <Events {...events} />}
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
      {facts.children}
      <Form action={`/admin/checks/${facts.action}`} csrf_token={facts.csrf_token}>
        <Actions>
          <Button pending="Running…">{facts.button}</Button>
        </Actions>
      </Form>
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
          rows={differences.map(({ subject, rule, detail }, index) => ({
            key: `${index}`,
            cells: [subject, rule, detail],
          }))}
        />
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

function Events({ at, processed, waiting }: EventsReprocessed & { at: Date }): JSX.Element {
  return (
    <>
      <p class="flex flex-wrap items-center gap-3 text-sm">
        <Badge tone={waiting.length === 0 ? 'good' : 'info'} wraps>
          {processed} processed, {waiting.length} pending
        </Badge>
        <span class="text-muted">
          <Moment at={at} />
        </span>
      </p>
      {waiting.length > 0 && (
        <RecordTable
          caption="Pending events"
          columns={[{ label: 'Due' }, { label: 'Event' }, { label: 'ID' }]}
          rows={waiting.map((event) => ({
            key: event.id,
            cells: [<Moment at={new Date(event.at)} />, event.kind.replaceAll('_', ' '), event.id],
          }))}
        />
      )}
    </>
  )
}
