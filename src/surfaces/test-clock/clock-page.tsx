import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Alert, ErrorSummary, StatusBadge } from '#design/feedback'
import { Field, Form, SelectField } from '#design/forms'
import { formatMoment, Moment } from '#design/money'
import { EmptyState, Panel } from '#design/panels'
import { RecordRows, recordDescription } from '#design/records'
import { addressOf } from '#http/app-menu'
import type { FormFault } from '#http/form-errors'
import type { LicenseId } from '#platform/ids'
import { capitalized } from '#platform/text'
import { DISTANCES } from './advance-form.ts'
import { ClockLayout, type ClockLayoutFacts } from './layout.tsx'
import { RETRIES, SCENARIOS } from './scenarios.ts'

/** The number up to which subscribers are counted. */
export const MAX_COUNTED = 1_000

/** The facts of the test clock's main page. */
export interface ClockFacts extends ClockLayoutFacts {
  /** The next event, described. */
  due: { at: Date; text: string } | undefined
  subscribers: {
    license_id: LicenseId
    email: string
    product_name: string
    status: string
    next: { at: Date; text: string } | undefined
  }[]
  /** One above `MAX_COUNTED` if there are more. */
  subscriber_count: number
  /** Prices that scenarios can buy. */
  prices: { value: string; label: string }[]
  /** Why no scenario can run. */
  closed: 'not_on_sale' | 'no_prices' | 'archived' | 'suspended' | undefined
  /** The progress page of the task that is running. */
  under_way_url: string | undefined
  latest: { key: string; title: string; at: Date; href: string; text: string }[]
  /** What is wrong with the submitted form, and in which field. */
  faulty: FormFault | undefined
  /** The fields of the submitted form. */
  form: { date?: string; price_id?: string; retry?: string }
}

/** The app's time, upcoming events, advances and scenarios. */
export function ClockPage(facts: ClockFacts): JSX.Element {
  return (
    <ClockLayout {...facts} fault={facts.faulty?.message}>
      {facts.faulty && (
        <ErrorSummary
          errors={[facts.faulty]}
          title={
            facts.faulty.id === 'date' ? 'The clock was not advanced' : 'The scenario did not run'
          }
        />
      )}
      {facts.under_way_url && (
        <Alert tone="info" title="Advancing the clock">
          An advance or a scenario is running.{' '}
          <TextLink href={facts.under_way_url}>View progress</TextLink>
        </Alert>
      )}
      <div class="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
        <Now {...facts} />
        <Subscribers {...facts} />
      </div>
      <ScenarioPanel {...facts} />
      {facts.latest.length > 0 && <Latest {...facts} />}
    </ClockLayout>
  )
}

function Now(facts: ClockFacts): JSX.Element {
  const { now, is_ahead, due, base, csrf_token, faulty, form, app_name, subscriber_count } = facts
  const error = faulty?.id === 'date' ? faulty.message : undefined
  return (
    <Panel title="Now">
      <div class="grid gap-1">
        <p class="text-xl font-semibold tracking-tight">
          <Moment at={now} />
        </p>
        <p class="text-sm text-muted">
          {is_ahead
            ? `${app_name} is ahead of real time. Its clock cannot go back.`
            : 'Real time. Once the clock is advanced, it cannot go back.'}
        </p>
      </div>
      <div class="grid gap-1 text-sm">
        <h3 class="font-medium">Next event</h3>
        {due ? (
          <p>
            <Moment at={due.at} />: {due.text}
          </p>
        ) : (
          <p class="text-muted">
            {subscriber_count === 0 ? 'None. There are no subscribers yet.' : 'None.'}
          </p>
        )}
      </div>
      <Form action={`${base}advance`} csrf_token={csrf_token}>
        {due && (
          <Actions>
            <Button kind="primary" name="by" value="due" pending="Advancing…">
              Advance to this event
            </Button>
          </Actions>
        )}
        <fieldset>
          <legend class="mb-1.5 text-sm font-medium">Advance by</legend>
          <Actions>
            {DISTANCES.map(({ value, label }) => (
              <Button key={value} name="by" value={value} pending="Advancing…">
                {label}
              </Button>
            ))}
          </Actions>
        </fieldset>
      </Form>
      <Form action={`${base}advance`} csrf_token={csrf_token}>
        <Field
          label="Advance to the end of a day (UTC)"
          name="date"
          type="date"
          value={form.date ?? ''}
          error={error}
        />
        <Actions>
          <Button pending="Advancing…">Advance to this day</Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function Subscribers({ subscribers, subscriber_count }: ClockFacts): JSX.Element {
  const more = Math.min(subscriber_count, MAX_COUNTED) - subscribers.length
  const isMore = subscriber_count > MAX_COUNTED
  return (
    <Panel title="Subscribers">
      {subscribers.length === 0 ? (
        <p class="text-sm text-muted">
          No subscribers yet. Open one of your Buy links and pay with a test card, or run a
          scenario.
        </p>
      ) : (
        <RecordRows
          records={subscribers.map(({ license_id, email, product_name, status, next }) => ({
            key: license_id,
            title: email,
            aside: <StatusBadge status={status} />,
            details: [
              product_name,
              next ? (
                <>
                  {capitalized(next.text)} on <Moment at={next.at} />
                </>
              ) : (
                'Nothing due'
              ),
            ],
          }))}
        />
      )}
      {more > 0 && (
        <p class="text-sm text-muted">
          And {isMore && 'more than '}
          {more} more with later events.
        </p>
      )}
    </Panel>
  )
}

/** Why scenarios cannot run, and the page where that changes; staff end a suspension. */
const CLOSED: Record<
  NonNullable<ClockFacts['closed']>,
  { text: string; link?: { page: 'plans' | 'overview' | 'settings'; label: string } }
> = {
  no_prices: {
    text: 'Scenarios buy one of your plans. Add a plan with a price first.',
    link: { page: 'plans', label: 'Plans' },
  },
  not_on_sale: {
    text: 'Scenarios use your checkout, which is closed. Publish the app and enable external sales first.',
    link: { page: 'overview', label: 'View what is left to do' },
  },
  archived: {
    text: 'Scenarios use your checkout, which is closed while the app is archived. Restore it and publish it first.',
    link: { page: 'settings', label: 'Settings' },
  },
  suspended: { text: 'Scenarios use your checkout, which is closed while the app is suspended.' },
}

function ScenarioPanel(facts: ClockFacts): JSX.Element {
  const { closed, base, csrf_token, prices, app_name, slug, faulty } = facts
  if (closed) {
    const { text, link } = CLOSED[closed]
    return (
      <Panel title="Scenarios">
        <EmptyState
          title="Scenarios are not available"
          action={link && <Button href={addressOf(slug, link.page)}>{link.label}</Button>}
        >
          {text}
        </EmptyState>
      </Panel>
    )
  }
  return (
    <Panel title="Scenarios">
      <p class="text-sm text-muted">
        Each scenario creates a test buyer who buys through your checkout. If a scenario advances
        the clock, it advances for all subscribers of {app_name}.
      </p>
      <Form action={`${base}scenarios`} csrf_token={csrf_token}>
        <div class="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Plan to buy"
            name="price_id"
            options={prices}
            value={facts.form.price_id}
            error={faulty?.id === 'price_id' ? faulty.message : undefined}
          />
          <SelectField
            label="Retry that succeeds"
            name="retry"
            options={RETRIES}
            value={facts.form.retry}
          />
        </div>
        <RecordRows
          records={SCENARIOS.map(({ name, title, description }) => ({
            key: name,
            title: name === 'recovered' ? `${title} N` : title,
            details: [description],
            action: (
              <Button
                name="scenario"
                value={name}
                pending="Running…"
                describedby={recordDescription(name)}
              >
                {' '}
                Run{' '}
              </Button>
            ),
          }))}
        />
      </Form>
    </Panel>
  )
}

function Latest({ latest }: ClockFacts): JSX.Element {
  return (
    <Panel title="Recent advances and scenarios">
      <RecordRows
        records={latest.map(({ key, title, at, href, text }) => ({
          key,
          title,
          details: [`Started on ${formatMoment(at)}`, text],
          link: { label: 'View result', href: href },
        }))}
      />
    </Panel>
  )
}
