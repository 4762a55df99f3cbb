import { formatMoney } from '#design/money'
import type * as billing from '#domain/billing'
import type { Cents } from '#platform/money'
import type { OtherDue } from './clock-work.ts'

/** The next step of a subscription, to follow the buyer's email address. */
export function stepText(
  step: billing.NextStep,
  { status }: Pick<billing.Subscriber, 'status'>,
  total?: Cents,
): string {
  const paid = total === undefined ? '' : ` ${formatMoney(total)}`
  const sum = paid && ` for${paid}`
  switch (step) {
    case 'remind':
      return status === 'trialing' ? 'gets the trial-ending email' : 'gets the renewal reminder'
    case 'renew':
      return status === 'trialing' ? `ends the trial and pays${paid}` : `renews${sum}`
    case 'retry':
      return `retries the card${sum}`
    case 'skip_retry':
      return 'would retry the card, but the bank declined it permanently'
    case 'end':
      return 'loses access'
    case 'pause':
      return 'pauses'
    case 'rest':
      return 'is checked again'
  }
}

/** A due event that is not about a subscription; licenses that are not charged end too. */
export interface OtherEvent {
  at: Date
  what: OtherDue['what'] | 'end' | 'reminder'
}

const OTHER: Record<OtherEvent['what'], string> = {
  bank: 'A bank responds',
  payouts: 'Weekly payouts are sent',
  end: 'A given or imported license ends',
  reminder: 'The owner of an imported license is reminded of its end',
}

/** A due event that is not about a subscription. */
export function otherDueText({ what }: OtherEvent): string {
  return OTHER[what]
}
