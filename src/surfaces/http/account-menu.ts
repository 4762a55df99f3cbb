import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountMenu, Link } from '#design/layout'
import type { World } from '#flows/world'
import type { UserId } from '#platform/ids'
import { csrfToken } from './form-token.ts'
import { rolesOf } from './home.ts'
import { currentSession } from './session.ts'

/** Adds the signed-in person's menu, with its sign-out button, to the pages of this request. */
export async function addAccountMenu(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const session = await currentSession(world, request)
  if (!session) return
  const { user_id, email } = session
  const links = await accountLinks(world, user_id, request.url)
  // The token is made with the page, because the session's secret may change before.
  request.account_menu = (): AccountMenu => ({
    email,
    links,
    csrf_token: csrfToken(world, request, reply),
  })
}

/**
 * The menu of an account, with the entry marked to which an address belongs: sellers also have apps
 * and payouts, affiliates their referrals, and staff the admin area.
 */
async function accountLinks(world: World, user_id: UserId, address: string): Promise<Link[]> {
  const { is_staff, is_seller, sees_payouts, is_affiliate } = await rolesOf(world, user_id)
  const isAt = (href: string) => address.startsWith(href)
  const entries: readonly [label: string, href: string, isTheirs: boolean][] = [
    ['Purchases', '/account/', true],
    ['Your apps', '/dashboard/', is_seller || isAt('/dashboard/')],
    ['Payouts', '/dashboard/payouts/', sees_payouts],
    ['Referrals', '/affiliate/', is_affiliate || isAt('/affiliate/')],
    ['Admin', '/admin/', is_staff],
    ['Profile', '/account/profile/', true],
    ['Connections', '/account/connections/', true],
    ['Security', '/account/security/', true],
  ]
  const theirs = entries.filter(([, , isTheirs]) => isTheirs)
  // An entry is deeper than another where its address goes on from there.
  const current = theirs
    .map(([, href]) => href)
    .filter(isAt)
    .sort((a, b) => b.length - a.length)[0]
  return theirs.map(([label, href]) => ({ label, href, current: href === current }))
}
