import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountMenu, Link } from '#design/layout'
import type { ModeSwitch } from '#design/menu'
import type { World } from '#flows/world'
import { ENGLISH, type Locale } from '#platform/language/locale'
import { csrfToken } from './form-token.ts'
import { type Roles, rolesOf } from './home.ts'
import { currentSession } from './session.ts'

/** Adds the signed-in person's menu, with its sign-out button, to the pages of this request. */
export async function addAccountMenu(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const session = await currentSession(world, request)
  if (!session) return
  const { user_id, email, viewing_seller_id } = session
  const isViewing = viewing_seller_id !== null
  const own = await rolesOf(world, user_id)
  // Staff who are viewing a seller's pages get the seller's entries too.
  const roles = isViewing ? { ...own, is_seller: true, sees_payouts: true } : own
  const mode = own.is_seller && session.app_id === null ? modeOf(world, request) : undefined
  setMenu(world, request, reply, { email, roles, mode })
}

const NO_ROLES: Roles = {
  is_staff: false,
  is_seller: false,
  sees_payouts: false,
  is_affiliate: false,
}

/** The same for an account that was just created and signed in, which has no role to read. */
export function addNewAccountMenu(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  email: string,
): void {
  setMenu(world, request, reply, { email, roles: NO_ROLES, mode: undefined })
}

function setMenu(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  { email, roles, mode }: { email: string; roles: Roles; mode: ModeSwitch | undefined },
): void {
  // The token is made with the page, because the session's secret may change before.
  request.account_menu = (): AccountMenu => ({
    email,
    // A page that is not translated has asked for no language.
    links: accountLinks(roles, request.url, request.locale ?? ENGLISH),
    csrf_token: csrfToken(world, request, reply),
    mode,
  })
}

/**
 * The menu of an account, with the entry marked to which an address belongs: sellers also have apps
 * and payouts, affiliates their referrals, and staff the admin area.
 */
function accountLinks(roles: Roles, address: string, { t }: Locale): Link[] {
  const { is_staff, is_seller, sees_payouts, is_affiliate } = roles
  const isAt = (href: string) => address.startsWith(href)
  const entries: readonly [label: string, href: string, isTheirs: boolean][] = [
    [t('menu.purchases'), '/account/', true],
    [t('menu.apps'), '/dashboard/', is_seller || isAt('/dashboard/')],
    [t('menu.payouts'), '/dashboard/payouts/', sees_payouts],
    [t('menu.referrals'), '/affiliate/', is_affiliate || isAt('/affiliate/')],
    [t('menu.admin'), '/admin/', is_staff],
    [t('menu.profile'), '/account/profile/', true],
    [t('menu.connections'), '/account/connections/', true],
    [t('menu.security'), '/account/security/', true],
  ]
  const theirs = entries.filter(([, , isTheirs]) => isTheirs)
  // The entry with the longest matching path is the current one.
  const current = theirs
    .map(([, href]) => href)
    .filter(isAt)
    .sort((a, b) => b.length - a.length)[0]
  return theirs.map(([label, href]) => ({ label, href, current: href === current }))
}

/** The switch to the other mode, at the same page of the dashboard. */
function modeOf({ config }: World, request: FastifyRequest): ModeSwitch | undefined {
  const return_to = dashboardPage(request.url)
  if (config.live_url) {
    // Live mode has no test clock.
    const page = return_to.replace(/test-clock\/$/, '')
    return { to: 'live', href: `${config.live_url}${page}` }
  }
  return config.test_mode && { to: 'test', action: TEST_MODE, return_to }
}

/** Opens test mode for a member of a seller. */
export const TEST_MODE = '/dashboard/test-mode'

/**
 * The address of a dashboard page if both modes have it; otherwise that of the dashboard's home.
 */
export function dashboardPage(path: string): string {
  const page = /^\/dashboard\/(?:payouts\/|apps\/(?!new\/)[a-z0-9-]+\/(?:[a-z-]+\/)?)/.exec(path)
  return page ? page[0] : '/dashboard/'
}
