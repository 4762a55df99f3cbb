/**
 * Actions of staff: suspend a license, an app or a seller, pause payouts, unlock an account or sign
 * it out, settle an amount that was never reconciled automatically. Each action is audited with its
 * reason.
 */
export { resolveByStaff } from './staff-actions/alarm.ts'
export { decideAboutApp } from './staff-actions/app.ts'
export { auditAttemptClosed } from './staff-actions/attempt.ts'
export { resendByStaff } from './staff-actions/email.ts'
export {
  INVITATION_HOURS,
  inviteByCommand,
  inviteByEmail,
  withdrawInvitation,
} from './staff-actions/invite.ts'
export { actOnJob, type JobActionOutcome } from './staff-actions/job.ts'
export { changeStaffRole, type StaffChanged } from './staff-actions/members.ts'
export { payBuyerOtherwise } from './staff-actions/money.ts'
export { owedByBuyer, recordRepayment } from './staff-actions/repayment.ts'
export { decideAboutSeller } from './staff-actions/seller.ts'
export { type SignedOutByStaff, signOutAccount } from './staff-actions/sign-out.ts'
export type { StaffWithReason } from './staff-actions/staff.ts'
export { reinstateByStaff, suspendByStaff } from './staff-actions/suspend.ts'
export { bookSuspense } from './staff-actions/suspense.ts'
export { unlockAccount } from './staff-actions/unlock.ts'
export { stopViewing, viewAsSeller } from './staff-actions/view.ts'
export { writeOff, writeOffExcess } from './staff-actions/write-off.ts'
