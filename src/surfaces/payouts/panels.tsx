import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Alert, Badge } from '#design/feedback'
import { Form } from '#design/forms'
import { Day, formatDay, formatMoney, Money } from '#design/money'
import { Pager } from '#design/navigation'
import { DescriptionList, Panel } from '#design/panels'
import { RecordCards } from '#design/records'
import { payoutLabel } from '#http/payout-label'
import type { PayoutId } from '#platform/ids'
import { type Cents, cents, sum } from '#platform/money'
import { ownValue } from '#platform/record'
import { causeLabel } from './labels.ts'

/** A payout in a list. */
export interface PayoutCard {
  id: PayoutId
  number: number
  amount: Cents
  cause: 'weekly' | 'request'
  status: 'open' | 'pending' | 'paid' | 'failed'
  was_refused: boolean
  created_at: Date
}

/** A payee's balance, bank account and payouts; amounts in cents. */
export interface BalanceFacts {
  /** The banner about the payee's own time. */
  notice: string | undefined
  /** The base path of forms and statements. */
  base: string
  csrf_token: string
  /** The available balance; negative if the payee owes it. */
  total: Cents
  minimum: Cents
  delay_days: number
  pending: { at: Date; amount: Cents }[]
  pending_total: Cents
  /** What open disputes took, and return if they are won. */
  reserved: Cents
  /** Whether the balance reaches the minimum payout, and they are not paused. */
  is_payable: boolean
  /** Whether staff pause the payouts. */
  are_paused: boolean
  /** Whether the seller is suspended: paid weekly, but not on request. */
  is_suspended: boolean
  next_weekly: Date
  bank: { name: string; last4: string } | undefined
  /** The bank account that returned a payout, until the payee changes or confirms it. */
  returned_by: string | undefined
  payouts: PayoutCard[]
  /** The addresses of earlier payouts, and of the latest ones. */
  older_payouts: string | undefined
  latest_payouts: string | undefined
}

/** The available and pending balance, and the next step. */
export function BalancePanel(facts: BalanceFacts & { earned: string }): JSX.Element {
  const { total, pending, pending_total, bank, is_payable, is_suspended } = facts
  return (
    <Panel title={total < 0 ? 'Balance due' : 'Available now'}>
      <p class="text-2xl font-semibold tracking-tight sm:text-3xl">
        <Money amount={cents(Math.abs(total))} />
      </p>
      <p class="text-sm text-muted">{balanceText(facts)}</p>
      {bank && is_payable && !is_suspended && (
        <Form action={`${facts.base}request`} csrf_token={facts.csrf_token}>
          <Actions>
            <Button kind="primary" pending="Paying…">
              Pay out now
            </Button>
          </Actions>
        </Form>
      )}
      <div class="grid gap-2">
        <h3 class="text-sm font-medium">
          Pending: <Money amount={pending_total} />
        </h3>
        <p class="text-sm text-muted">
          {facts.earned} becomes available after {facts.delay_days} days, because it may still be
          refunded.
        </p>
        {pending.length > 0 && (
          <div class="pt-2">
            <DescriptionList
              items={pending.slice(0, MAX_DAYS).map(({ at, amount }) => ({
                term: formatDay(at),
                detail: <Money amount={amount} />,
              }))}
            />
          </div>
        )}
        {pending.length > MAX_DAYS && (
          <p class="text-sm text-muted">
            And {formatMoney(laterTotal(pending))} on {pending.length - MAX_DAYS} later days.
          </p>
        )}
      </div>
      {facts.reserved > 0 && (
        <div class="grid gap-2">
          <h3 class="text-sm font-medium">
            Reserve for open disputes: <Money amount={facts.reserved} />
          </h3>
          <p class="text-sm text-muted">
            Deducted until the bank decides. If you win, it is returned with the dispute fee.
          </p>
        </div>
      )}
    </Panel>
  )
}

const MAX_DAYS = 10

function laterTotal(pending: BalanceFacts['pending']): Cents {
  return sum(...pending.slice(MAX_DAYS).map(({ amount }) => amount))
}

function balanceText(facts: BalanceFacts): string {
  const { total, minimum, is_payable, are_paused, bank, next_weekly } = facts
  const least = formatMoney(minimum)
  const monday = formatDay(next_weekly)
  if (total < 0) {
    const deducted = 'This is deducted from your next earnings.'
    return are_paused ? deducted : `${deducted} Payouts resume once the balance is positive.`
  }
  if (are_paused) return 'Nothing is paid out until your payouts are resumed.'
  if (!is_payable) {
    return `The minimum payout is ${least}. Smaller balances roll over to the next payout, on Monday, ${monday}.`
  }
  if (facts.returned_by !== undefined)
    return 'Change or confirm your bank account to receive payouts.'
  if (!bank) return 'Add a bank account to receive payouts.'
  const automatically = `Paid automatically on Monday, ${monday}`
  return facts.is_suspended ? `${automatically}.` : `${automatically}, or request it now.`
}

function bankText({ bank, returned_by }: BalanceFacts): string {
  if (bank) return `${bank.name}, account ending in ${bank.last4}.`
  if (returned_by === undefined) return 'Payouts need a bank account in the United States.'
  return `${returned_by} returned a payout. Change it, or confirm that its details are right. Payouts continue then.`
}

/** The payout bank account. */
export function BankPanel(facts: BalanceFacts): JSX.Element {
  const { base, csrf_token, bank, returned_by } = facts
  const isAdded = bank !== undefined || returned_by !== undefined
  const missing = returned_by === undefined ? 'Missing' : 'Returned a payout'
  const badge = bank ? <Badge tone="good">Ready</Badge> : <Badge tone="warn">{missing}</Badge>
  return (
    <Panel title="Bank account" aside={badge}>
      <p class="text-sm">{bankText(facts)}</p>
      <Form action={`${base}bank`} csrf_token={csrf_token}>
        <Actions>
          <Button kind={bank ? 'plain' : 'primary'} pending="Opening…">
            {isAdded ? 'Change bank account' : 'Add bank account'}
          </Button>
        </Actions>
      </Form>
      {returned_by !== undefined && (
        <Form action={`${base}bank/confirm`} csrf_token={csrf_token}>
          <Actions>
            <Button pending="Confirming…">Its details are right</Button>
          </Actions>
        </Form>
      )}
    </Panel>
  )
}

/** The list of payouts, with links to their statements. */
export function PayoutsPanel(facts: BalanceFacts): JSX.Element {
  const { base, payouts } = facts
  return (
    <section id="payouts" class="grid grid-cols-1 gap-4">
      <h2 class="text-lg font-semibold">Payouts</h2>
      {payouts.length === 0 ? (
        <p class="text-sm text-muted">No payouts yet. Each payout has an itemized statement.</p>
      ) : (
        <RecordCards
          records={payouts.map((payout) => {
            const { label, tone } = payoutLabel(payout)
            return {
              key: payout.id,
              href: `${base}${payout.id}/`,
              title: `Payout ${payout.number}: ${formatMoney(payout.amount)}`,
              details: [<Day date={payout.created_at} />, causeLabel(payout)],
              aside: <Badge tone={tone}>{label}</Badge>,
            }
          })}
        />
      )}
      <Pager label="Pages of payouts" newest={facts.latest_payouts} older={facts.older_payouts} />
    </section>
  )
}

/** A message about what was done, or why it was not. */
export function DoneNote({ done }: { done: string | undefined }): JSX.Element | null {
  const note = ownValue(NOTES, done)
  if (!note) return null
  return <Alert tone={note.tone}>{note.text}</Alert>
}

const NOTES: Record<string, { tone: 'success' | 'info' | 'error'; text: string }> = {
  paid: { tone: 'success', text: 'Payout paid.' },
  pending: { tone: 'success', text: 'Payout sent to your bank.' },
  processing: { tone: 'info', text: 'Your payout is processing.' },
  waiting: {
    tone: 'info',
    text: 'Your payout is queued. We send it automatically when funds are available at our payment processor.',
  },
  in_progress: { tone: 'info', text: 'Another payout is processing. Try again in a moment.' },
  too_little: { tone: 'info', text: 'No balance is available for payout.' },
  paused: { tone: 'info', text: 'Your payouts are paused.' },
  no_bank: { tone: 'info', text: 'Add a bank account first.' },
  failed: { tone: 'error', text: 'The payout failed. See its statement for the reason.' },
  bank: { tone: 'success', text: 'Your bank account is ready for payouts.' },
  no_bank_yet: { tone: 'info', text: 'No bank account was added.' },
  same_bank: { tone: 'info', text: 'Your bank account is still the one that returned a payout.' },
  unpayable: {
    tone: 'error',
    text: 'Our payment processor does not pay to this bank account. Change it to receive payouts.',
  },
  away: { tone: 'error', text: 'The payment processor is not responding. Try again in a moment.' },
  joined: { tone: 'success', text: 'You are now an affiliate. Share your link.' },
}
