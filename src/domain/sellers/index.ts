/**
 * Sellers: the businesses that sell apps, and the people who act for them.
 *
 * Knows sellers with their legal name, address and accepted terms; their members, each with a role
 * and the emails that the member turned off; and what each role may do. Owns `sellers` and
 * `seller_members`. Guarantees: a seller has one owner, and an account is a member of a seller at
 * most once. Spec: What the service does, 4.
 */
export { type EnteredDetails, readDetails } from './details.ts'
export * from './members.ts'
export {
  isAllowed,
  MEMBER_ROLES,
  type MemberRole,
  rolesWith,
  type SellerPermission,
} from './role.ts'
export { SELLER_EMAILS, type SellerEmail } from './seller-email.ts'
export * from './sellers.ts'
export { readState, stateName } from './state.ts'
