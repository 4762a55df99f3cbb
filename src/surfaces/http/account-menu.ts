import type { Link } from '#design/layout'
import * as affiliates from '#domain/affiliates'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import type { UserId } from '#platform/ids'

/** The entries of an account's menu. */
export type MenuPlace =
  | 'purchases'
  | 'apps'
  | 'payouts'
  | 'referrals'
  | 'admin'
  | 'connections'
  | 'security'

/**
 * The menu of an account with the current page marked: sellers also have apps and payouts,
 * affiliates their referrals, and staff the admin area.
 */
export async function accountNav(
  { db }: World,
  user_id: UserId,
  current: MenuPlace,
): Promise<Link[]> {
  const memberships = await sellers.membershipsOf(db, user_id)
  const sells = current === 'apps' || memberships.length > 0
  const seesPayouts = memberships.some(({ role }) => sellers.isAllowed(role, 'payouts'))
  const refers = (await affiliates.affiliateOf(db, user_id)) !== undefined
  const isStaff = (await identity.findUser(db, user_id))?.staff_role != null
  const places: readonly [place: MenuPlace, label: string, href: string, isTheirs: boolean][] = [
    ['purchases', 'Purchases', '/account/', true],
    ['apps', 'Your apps', '/dashboard/', sells],
    ['payouts', 'Payouts', '/dashboard/payouts/', seesPayouts],
    ['referrals', 'Referrals', '/affiliate/', refers || current === 'referrals'],
    ['admin', 'Admin', '/admin/', isStaff],
    ['connections', 'Connections', '/account/connections/', true],
    ['security', 'Security', '/account/security/', true],
  ]
  return places
    .filter(([, , , isTheirs]) => isTheirs)
    .map(([place, label, href]) => ({ label, href, current: place === current }))
}
