/**
 * Sellers: the businesses that sell apps, and the people who act for them.
 *
 * Knows sellers with their legal name, address and accepted terms; their members, each with a role
 * and the emails that the member turned off; invitations to a team; and what each role may do. Owns
 * `sellers`, `seller_members` and `member_invitations`. Guarantees: a seller has one owner, and an
 * account is a member of a seller at most once. Spec: What the service does, 4.
 */
export { type EnteredDetails, readDetails } from './details.ts'
export * from './invitations.ts'
export * from './members.ts'
export * from './mirrored.ts'
export { INVITATION_SWEEP } from './retention.ts'
export {
  type InvitedRole,
  isAllowed,
  MEMBER_ROLES,
  type MemberRole,
  readInvitedRole,
  rolesWith,
  type SellerPermission,
} from './role.ts'
export { SELLER_EMAILS, type SellerEmail } from './seller-email.ts'
export * from './seller-list.ts'
export * from './sellers.ts'
export { readState, stateName } from './state.ts'
