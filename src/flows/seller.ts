/**
 * Sellers: becoming one, their details and team, and the terms they accept (spec: What the service
 * does, 4).
 */
export { saveDetails } from './seller/details.ts'
export { startSelling } from './seller/start.ts'
export {
  acceptInvitation,
  changeMemberRole,
  INVITATION_DAYS,
  type InvitedMember,
  inviteMember,
  type MemberChanged,
  removeMember,
  transferOwnership,
  withdrawMemberInvitation,
} from './seller/team.ts'
export { acceptTerms, owesTerms } from './seller/terms.ts'
