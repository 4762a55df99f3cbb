import * as affiliates from '#domain/affiliates'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import type { UserId } from '#platform/ids'

/** The roles of an account, besides being a buyer. */
export interface Roles {
  is_staff: boolean
  /** Whether it is a member of a seller. */
  is_seller: boolean
  sees_payouts: boolean
  is_affiliate: boolean
}

/**
 * The page after a sign-in that has no page to return to: the home of the first role in this order.
 */
export function homeFor(roles: Omit<Roles, 'sees_payouts'> & { has_purchases: boolean }): string {
  if (roles.is_staff) return '/admin/'
  if (roles.is_seller) return '/dashboard/'
  if (roles.is_affiliate && !roles.has_purchases) return '/affiliate/'
  return '/account/'
}

/** The roles of an account. */
export async function rolesOf({ db }: World, user_id: UserId): Promise<Roles> {
  const memberships = await sellers.membershipsOf(db, user_id)
  return {
    is_staff: (await identity.findUser(db, user_id))?.staff_role != null,
    is_seller: memberships.length > 0,
    sees_payouts: memberships.some(({ role }) => sellers.isAllowed(role, 'payouts')),
    is_affiliate: (await affiliates.affiliateOf(db, user_id)) !== undefined,
  }
}

/** The page of an account after a sign-in that has no page to return to. */
export async function homeOf(world: World, user_id: UserId): Promise<string> {
  const roles = await rolesOf(world, user_id)
  const bought = await billing.purchasesOf(world.db, { user_id, app_id: null }, { limit: 1 })
  return homeFor({ ...roles, has_purchases: bought.length > 0 })
}
