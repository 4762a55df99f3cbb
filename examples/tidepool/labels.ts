/** The states of a license as a walker reads them. */
import type { LicenseState, LicenseStatus } from '@purser/client'
import { day } from '../shared/format.ts'

export const statusName: Record<LicenseStatus, string> = {
  active: 'Active',
  trialing: 'In trial',
  one_time_active: 'Yours for good',
  preview: 'Developer preview',
  past_due: 'Renewal failed',
  unpaid: 'Unpaid',
  paused: 'Paused',
  canceled: 'Ended',
}

/** What happens next with a license that is entitled. */
export function whatIsNext({ status, period_end, canceled_at }: LicenseState): string {
  if (canceled_at) return `Ends on ${day(canceled_at)}`
  if (!period_end) return status === 'preview' ? 'Not a sale' : 'Nothing to renew'
  return `${status === 'trialing' ? 'First payment' : 'Renews'} on ${day(period_end)}`
}
