/**
 * What staff does by hand: suspends a license, unlocks an account, settles what is owed and never came
 * together by itself. Each action is in the audit log with its reason.
 */
export { resolveByStaff } from './staff-actions/alarm.ts'
export { noteAttemptClosed } from './staff-actions/attempt.ts'
export { payBuyerOtherwise, writeOff } from './staff-actions/money.ts'
export type { StaffWithReason } from './staff-actions/staff.ts'
export { reinstateByStaff, suspendByStaff } from './staff-actions/suspend.ts'
export { unlockAccount } from './staff-actions/unlock.ts'
