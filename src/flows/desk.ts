/**
 * What staff does by hand: holds a license, unlocks an account, settles what is owed and never came
 * together by itself. Each deed is in the audit log with its reason.
 */
export { resolveByStaff } from './desk/alarm.ts'
export { noteAttemptClosed } from './desk/attempt.ts'
export { holdByStaff, releaseByStaff } from './desk/hold.ts'
export { payBuyerOtherwise, writeOff } from './desk/money.ts'
export type { Staff } from './desk/staff.ts'
export { unlockAccount } from './desk/unlock.ts'
