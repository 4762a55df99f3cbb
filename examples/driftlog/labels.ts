/** The states of a plan as a walker reads them. */
import { day } from '../shared/format.ts'
import type { Entitlement } from './plans.ts'

export const statusName: Record<Entitlement['status'], string> = {
  active: 'Active',
  trialing: 'In trial',
  one_time_active: 'Yours for good',
  free: 'Free',
  preview: 'Developer preview',
  none: 'No plan',
}

/** What happens next with a plan. */
export function whatIsNext({ status, period_end }: Entitlement): string {
  if (status === 'trialing' && period_end) return `First payment on ${day(period_end)}`
  if (period_end) return `Paid until ${day(period_end)}`
  return status === 'preview' ? 'Not a sale' : 'Nothing to renew'
}
