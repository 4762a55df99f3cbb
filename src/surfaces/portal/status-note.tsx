import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Form } from '#design/forms'
import { Icon } from '#design/icons'
import { Day, formatMoney } from '#design/money'
import type { ManageFacts } from './manage-facts.ts'

/** Why a license cannot be used, and what to do about it. */
export function StatusNote(facts: ManageFacts): JSX.Element | null {
  const { status } = facts
  if (status === 'past_due' || status === 'unpaid') return <Owing {...facts} />
  if (status === 'paused') return <Paused {...facts} />
  if (status !== 'canceled') return null
  return (
    <StatusAlert
      title="This license has ended"
      action={
        facts.buy_url && (
          <Button kind="primary" href={facts.buy_url}>
            Buy it again
          </Button>
        )
      }
    >
      {facts.buy_url ? '' : `${facts.app_name} is no longer sold here. `}Nothing more is charged.
      Your receipts are kept here.
    </StatusAlert>
  )
}

function StatusAlert(facts: {
  title: string
  children: ComponentChildren
  action?: ComponentChildren
}): JSX.Element {
  return (
    <section
      aria-label={facts.title}
      class="flex gap-4 rounded-box border border-warning bg-base-100 p-5 sm:p-6"
    >
      <span class="mt-0.5 text-warning">
        <Icon name="warning" />
      </span>
      <div class="grid gap-4">
        <div class="grid gap-1">
          <h2 class="text-lg font-semibold">{facts.title}</h2>
          <div class="text-sm">{facts.children}</div>
        </div>
        {facts.action && <Actions>{facts.action}</Actions>}
      </div>
    </section>
  )
}

function Owing(facts: ManageFacts): JSX.Element | null {
  const { at, csrf_token, renewing, next } = facts
  if (!renewing || !next) return null
  const { declined, retry_at, gives_up_at } = renewing
  return (
    <StatusAlert
      title="Your last payment failed"
      action={
        <>
          <Form action={at('card')} csrf_token={csrf_token}>
            <Button kind="primary" icon="card" pending="Opening…">
              Update your card
            </Button>
          </Form>
          <Form action={at('pay')} csrf_token={csrf_token}>
            <input type="hidden" name="total" value={next.total} />
            <Button pending="Paying…">Pay {formatMoney(next.total)} now</Button>
          </Form>
        </>
      }
    >
      {declined} Pay to restore access with the same key. You do not need to buy again.{' '}
      {retry_at && (
        <>
          We retry automatically on <Day date={retry_at} />.{' '}
        </>
      )}
      {gives_up_at && (
        <>
          If not paid by <Day date={gives_up_at} />, the license ends.
        </>
      )}
    </StatusAlert>
  )
}

function Paused(facts: ManageFacts): JSX.Element {
  const { paused_for, at, csrf_token, next } = facts
  if (paused_for === 'buyer' && next) {
    return (
      <StatusAlert
        title="You paused this license"
        action={
          <Form action={at('pay')} csrf_token={csrf_token}>
            <input type="hidden" name="total" value={next.total} />
            <Button kind="primary" pending="Paying…">
              Resume for {formatMoney(next.total)}
            </Button>
          </Form>
        }
      >
        Nothing is charged while paused. Resuming starts a new {facts.frequency} today. Your key
        stays the same.
      </StatusAlert>
    )
  }
  return (
    <StatusAlert title="This license is paused">
      {paused_for === 'dispute'
        ? 'A payment for this license is disputed. If the bank upholds the payment, the license works again with the same key. If the bank returns your money, the license ends, and you can buy again.'
        : 'We suspended this license while we review a problem. Questions? Reply to any email from us.'}{' '}
      Until then, the license cannot be used and nothing is charged.
    </StatusAlert>
  )
}
