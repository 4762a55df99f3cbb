import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { CopyField } from '#design/copy'
import { Alert, Badge, StatusBadge } from '#design/feedback'
import { formatMoney, Moment } from '#design/money'
import { PageNav } from '#design/navigation'
import { DescriptionList, EmptyState, Panel } from '#design/panels'
import { Timeline, type TimelineEntry } from '#design/timeline'
import type { Tally, TimelineEvent } from '#domain/billing'
import type { Entry } from '#domain/ledger'
import { isEntitled, type LicenseState, type LicenseStatus } from '#domain/licensing'
import { LedgerEntries } from '#http/ledger-entries'
import type { Paging } from '#http/pagination'
import { eventText } from '#http/timeline-labels'
import { type ClockLayoutFacts, ResultLayout } from './layout.tsx'

/** The result of an advance: what happened between two times. */
export interface AdvanceFacts extends ClockLayoutFacts {
  from: Date
  to: Date
  requested: Date
  outcome: 'there' | 'stuck' | 'refused'
  /** The due event that could not be processed. */
  stuck_at: { at: Date; text: string } | undefined
  tally: Tally[]
  events: TimelineEvent[]
  /** Which page of the events is shown, the earliest first. */
  paging: Paging
  hrefOf(page: number): string
}

/** The result page of an advance. */
export function AdvancePage(facts: AdvanceFacts): JSX.Element {
  const { from, to, requested, outcome, stuck_at, tally, events } = facts
  const span = (
    <>
      From <Moment at={from} /> to <Moment at={to} />.
    </>
  )
  return (
    <ResultLayout {...facts} title="Result" intro={span}>
      {outcome === 'stuck' && (
        <Alert tone="warning" title="The clock stopped early">
          It did not reach <Moment at={requested} />.{' '}
          {stuck_at ? (
            <>
              <Moment at={stuck_at.at} />: {stuck_at.text}, and the processor is not responding.
            </>
          ) : (
            'The processor is not responding.'
          )}{' '}
          We retry automatically. Advance again to continue.
        </Alert>
      )}
      {events.length === 0 ? (
        <EmptyState title="No events" action={<Button href={facts.base}>Test clock</Button>}>
          Nothing was due in this period.
        </EmptyState>
      ) : (
        <div class="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
          <div class="grid grid-cols-1 gap-4 lg:order-1">
            <Panel title="Summary">
              <DescriptionList
                items={tally.map((each) => ({
                  term: eventText(each),
                  detail:
                    each.amount > 0 ? `${each.count} for ${formatMoney(each.amount)}` : each.count,
                }))}
              />
            </Panel>
          </div>
          <div class="grid grid-cols-1 gap-4">
            <Panel title="Events">
              <Timeline entries={events.map((each, index) => entryOf(facts.slug, each, index))} />
            </Panel>
            <PageNav label="Pages of events" {...facts.paging} href={facts.hrefOf} />
          </div>
        </div>
      )}
    </ResultLayout>
  )
}

/** The result of a scenario. */
export interface ScenarioFacts extends ClockLayoutFacts {
  title: string
  description: string
  outcome: 'completed' | 'stuck'
  from: Date
  to: Date
  email: string
  license_key: string
  state: LicenseState
  /** A curl command that validates the key. */
  curl: string
  events: TimelineEvent[]
  entries: Entry[]
}

/** The result page of a scenario: its events in order, and the key. */
export function ScenarioPage(facts: ScenarioFacts): JSX.Element {
  const { state } = facts
  const moved = facts.to.getTime() - facts.from.getTime() >= 60_000
  return (
    <ResultLayout {...facts} intro={facts.description}>
      {facts.outcome === 'stuck' && (
        <Alert tone="warning" title="The scenario did not finish">
          The expected result did not occur. The events show how far it got.
        </Alert>
      )}
      <div class="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)]">
        <Panel title="Events" aside={<StatusBadge status={state.status} />}>
          <p class="text-sm text-muted">
            {moved ? (
              <>
                The app’s clock advanced from <Moment at={facts.from} /> to <Moment at={facts.to} />
                .
              </>
            ) : (
              'The app’s clock was not advanced.'
            )}
          </p>
          <Timeline
            entries={facts.events.map((each, index) =>
              entryOf(facts.slug, { ...each, email: undefined }, index),
            )}
          />
        </Panel>
        <div class="grid grid-cols-1 gap-6">
          <Panel title="License">
            <DescriptionList
              items={[
                { term: 'Buyer', detail: facts.email },
                { term: 'Status', detail: <Answer status={state.status} /> },
                { term: 'period_end', detail: state.period_end ?? 'null' },
                { term: 'canceled_at', detail: state.canceled_at ?? 'null' },
              ]}
            />
            <CopyField id="license_key" label="License key" value={facts.license_key} />
            <CopyField id="curl" label="Validate request" value={facts.curl} />
          </Panel>
        </div>
      </div>
      {facts.entries.length > 0 && <LedgerEntries entries={facts.entries} with_time />}
    </ResultLayout>
  )
}

/** What validate returns for a license of this status. */
function Answer({ status }: { status: LicenseStatus }): JSX.Element {
  return isEntitled(status) ? (
    <Badge tone="good" wraps>
      {status}, entitled
    </Badge>
  ) : (
    <Badge tone="bad" wraps>
      {status}, not entitled
    </Badge>
  )
}

/** A timeline event as a row; it names the buyer only where buyers differ. */
function entryOf(
  slug: string,
  event: Omit<TimelineEvent, 'email'> & { email: string | null | undefined },
  index: number,
): TimelineEntry {
  const { at, kind, why, status, amount, subject, email } = event
  const isYours = kind === 'email' && why.startsWith('dispute_')
  const hasPage = kind === 'paid' || kind === 'declined'
  const text = eventText(event)
  return {
    key: `${index}-${subject}`,
    at,
    title: hasPage ? (
      <TextLink href={`/dashboard/apps/${slug}/sales/${subject}/`}>{text}</TextLink>
    ) : (
      text
    ),
    details: [
      ...(isYours ? ['You'] : email === undefined ? [] : [email ?? 'You']),
      ...(amount === null ? [] : [formatMoney(amount)]),
    ],
    ...(status === null ? {} : { aside: <Answer status={status as LicenseStatus} /> }),
  }
}
