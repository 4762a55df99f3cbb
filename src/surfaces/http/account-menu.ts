import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountMenu, Link } from '#design/layout'
import type { World } from '#flows/world'
import type { UserId } from '#platform/ids'
import { csrfToken } from './form-token.ts'
import { rolesOf } from './home.ts'
import { currentSession } from './session.ts'

/** The entries of an account's menu. */
export type MenuPlace =
  | 'purchases'
  | 'apps'
  | 'payouts'
  | 'referrals'
  | 'admin'
  | 'profile'
  | 'connections'
  | 'security'

/**
 * The menu of an account with the current page marked: sellers also have apps and payouts,
 * affiliates their referrals, and staff the admin area.
 */
export async function accountNav(
  world: World,
  user_id: UserId,
  current?: MenuPlace,
): Promise<Link[]> {
  const { is_staff, is_seller, sees_payouts, is_affiliate } = await rolesOf(world, user_id)
  const sells = is_seller || current === 'apps'
  const places: readonly [place: MenuPlace, label: string, href: string, isTheirs: boolean][] = [
    ['purchases', 'Purchases', '/account/', true],
    ['apps', 'Your apps', '/dashboard/', sells],
    ['payouts', 'Payouts', '/dashboard/payouts/', sees_payouts],
    ['referrals', 'Referrals', '/affiliate/', is_affiliate || current === 'referrals'],
    ['admin', 'Admin', '/admin/', is_staff],
    ['profile', 'Profile', '/account/profile/', true],
    ['connections', 'Connections', '/account/connections/', true],
    ['security', 'Security', '/account/security/', true],
  ]
  return places
    .filter(([, , , isTheirs]) => isTheirs)
    .map(([place, label, href]) => ({ label, href, current: place === current }))
}

/** Adds the signed-in person's menu, with its sign-out button, to the pages of this request. */
export async function addAccountMenu(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const session = await currentSession(world, request)
  if (!session) return
  const { user_id, email } = session
  const links = await accountNav(world, user_id)
  // The token is made with the page, because the session's secret may change before.
  request.account_menu = (): AccountMenu => ({
    email,
    links,
    csrf_token: csrfToken(world, request, reply),
  })
}
