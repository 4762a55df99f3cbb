import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { StatusBadge } from '#design/feedback'
import { Form } from '#design/forms'
import { Day, formatMoney, Money, Price, priceText } from '#design/money'
import { DescriptionList, Panel } from '#design/panels'
import type { Cents } from '#platform/money'
import type { ManageFacts, NextFigures } from './manage-facts.ts'

type Items = Parameters<typeof DescriptionList>[0]['items']

/** The current plan, its next charge, and the available changes. */
export function PlanPanel(facts: ManageFacts): JSX.Element {
  const { next, renewing } = facts
  return (
    <Panel title="Plan" aside={<StatusBadge status={facts.status} />}>
      {facts.status !== 'canceled' && !facts.is_given && (
        <Price amount={facts.amount} frequency={facts.frequency} />
      )}
      <DescriptionList items={[{ term: 'Plan', detail: facts.product_name }, ...itemsOf(facts)]} />
      {next && isCharging(facts) && <p class="text-sm text-muted">{partsOf(next)}</p>}
      {renewing && <PlanActions {...facts} renewing={renewing} />}
    </Panel>
  )
}

/** Whether the next charge is automatic. */
function isCharging({ status, renewing }: ManageFacts): boolean {
  const isRunning = status === 'active' || status === 'trialing'
  return isRunning && (renewing?.auto_renew ?? false) && !renewing?.pause_at_end
}

function itemsOf(facts: ManageFacts): Items {
  const { status, canceled_at, renewing, next } = facts
  if (status === 'canceled') {
    return [{ term: 'Ended', detail: canceled_at ? <Day date={canceled_at} /> : 'Yes' }]
  }
  if (facts.is_given) {
    return [
      { term: 'Cost', detail: 'Nothing: the seller gave you this plan' },
      ...(canceled_at ? [{ term: 'Ends on', detail: <Day date={canceled_at} /> }] : []),
    ]
  }
  if (!renewing) return [{ term: 'Paid', detail: 'Once' }]
  if (status === 'past_due' || status === 'unpaid') return owing(facts)
  const day = <Day date={renewing.period_end} />
  if (status === 'paused') return [{ term: 'Paid until', detail: day }]
  const running = status === 'trialing' ? 'Trial until' : 'Paid until'
  if (!renewing.auto_renew) {
    return [
      { term: 'Ends on', detail: day },
      { term: 'Auto-renew', detail: 'Off' },
    ]
  }
  if (renewing.pause_at_end) return [{ term: 'Pauses on', detail: day }]
  return [
    { term: running, detail: day },
    ...(renewing.pending
      ? [{ term: 'Then', detail: `Changes to ${nameOf(renewing.pending)}` }]
      : []),
    ...(renewing.discount ? [{ term: 'Discount', detail: renewing.discount }] : []),
    {
      term: status === 'trialing' ? 'First charge' : 'Next charge',
      detail: next && <Charge {...next} day={renewing.period_end} />,
    },
    { term: 'Auto-renew', detail: 'On' },
  ]
}

function owing({ next, renewing }: ManageFacts): Items {
  const { retry_at, gives_up_at } = renewing!
  return [
    { term: 'Amount due', detail: next && <Money amount={next.total} /> },
    {
      term: 'Next retry',
      detail: retry_at ? <Day date={retry_at} /> : 'After you update your card',
    },
    ...(gives_up_at ? [{ term: 'Ends if not paid by', detail: <Day date={gives_up_at} /> }] : []),
  ]
}

function Charge({ total, is_about, day }: NextFigures & { day: Date }): JSX.Element {
  return (
    <>
      {is_about && 'about '}
      <Money amount={total} /> on <Day date={day} />
    </>
  )
}

/** The parts of the next charge. */
function partsOf({ amount, tax, state, is_about }: NextFigures): string {
  if (tax === 0) return `No sales tax in ${state}.`
  const about = is_about ? 'about ' : ''
  return `${formatMoney(amount)} plus ${about}${formatMoney(tax)} sales tax (${state}).`
}

/** A plan with its price, in one name. */
export function nameOf(plan: {
  product_name: string
  amount: Cents
  frequency: string | null
}): string {
  return `${plan.product_name}, ${priceText(plan.amount, plan.frequency)}`
}

function PlanActions(
  facts: ManageFacts & { renewing: NonNullable<ManageFacts['renewing']> },
): JSX.Element | null {
  const { status, renewing, at } = facts
  const isOwnPause = status === 'paused' && facts.paused_for === 'buyer'
  if ((status === 'paused' && !isOwnPause) || status === 'canceled') return null
  const { auto_renew, pause_at_end } = renewing
  const isOwing = status === 'past_due' || status === 'unpaid'
  if (isOwing || isOwnPause) {
    return (
      <Actions>
        <Button href={at('auto-renew/')}>Cancel subscription</Button>
      </Actions>
    )
  }
  return (
    <Actions>
      {!auto_renew && (
        <Button kind="primary" href={at('auto-renew/')}>
          Keep my subscription
        </Button>
      )}
      {facts.may_change_plan && (
        <Button kind={auto_renew ? 'primary' : 'plain'} href={at('plan/')}>
          Change plan
        </Button>
      )}
      {renewing.pending && (
        <Form action={at('plan/keep')} csrf_token={facts.csrf_token}>
          <Button pending="Saving…">Keep my plan</Button>
        </Form>
      )}
      {auto_renew && <Button href={at('auto-renew/')}>Cancel subscription</Button>}
      {(facts.may_pause || pause_at_end) && (
        <Button href={at('pause/')}>{pause_at_end ? 'Do not pause' : 'Pause'}</Button>
      )}
    </Actions>
  )
}
