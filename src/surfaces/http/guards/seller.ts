import type { FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as sellers from '#domain/sellers'
import { owesTerms } from '#flows/seller'
import type { World } from '#flows/world'
import { chooseNamedSeller, memberOfForm } from '#http/guards/named-seller'
import { refuseAudited, requireSession, type SessionContext } from '#http/guards/session'
import { paramsOf } from '#http/input'
import { AnsweredByGuard, redirectTo, sendPage } from '#http/pages'
import { sellerTermsUrl } from '#http/redirect'
import type { SellerId } from '#platform/ids'
import { RolePage } from './role-page.tsx'
import { SuspendedPage } from './suspended-page.tsx'

/** The base path of an app's dashboard pages. */
export const APP_PATH = '/dashboard/apps/:slug'
/** The home page of the dashboard. */
export const DASHBOARD = '/dashboard/'

/** A request of a seller's member. */
export interface MemberContext extends SessionContext {
  member: sellers.Membership
}

/**
 * The seller whose pages the session opens, for a member with this permission. Accounts that are
 * not members of a seller get 404; a member without the permission gets a page that names their
 * role. If the seller is suspended, a form that changes something gets a page that says so, except
 * the forms about its bank account and the exports of its data.
 */
export async function requireMember(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  permission: sellers.SellerPermission,
): Promise<MemberContext> {
  const context = await requireSession(world, request, reply, DASHBOARD)
  await chooseNamedSeller(world, context)
  return await permittedShown(world, context, permission)
}

/**
 * Like `requireMember`, but for the seller of an app if the page to return to is one of its pages:
 * a member of several sellers may open it while another seller's pages are chosen.
 */
export async function requireMemberFor(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  { permission, return_to }: { permission: sellers.SellerPermission; return_to: string },
): Promise<MemberContext> {
  const context = await requireSession(world, request, reply, DASHBOARD)
  const [, slug] = /^\/dashboard\/apps\/([^/?]+)\//.exec(return_to) ?? []
  const app = slug === undefined ? undefined : await namedApp(world, context, slug)
  const member = app && (await membershipOf(world, context, app))
  return await permittedShown(world, context, permission, member)
}

/** Like `permitted`, for a page that is about one seller, by default the chosen one. */
async function permittedShown(
  world: World,
  context: SessionContext,
  permission: sellers.SellerPermission,
  named?: sellers.Membership,
): Promise<MemberContext> {
  const current = named ?? (await currentMember(world, context))
  const member = named ?? (await memberOfForm(world, context, current))
  context.request.shown_seller = member?.seller_id
  return await permitted(world, context, member, permission)
}

async function permitted(
  world: World,
  context: SessionContext,
  member: sellers.Membership | undefined,
  permission: sellers.SellerPermission,
): Promise<MemberContext> {
  if (!member) throw await refuseAudited(world, context)
  requirePermission(context, member, permission)
  return { ...context, member }
}

/**
 * The membership whose pages a session opens: the chosen one, or the oldest. Staff who are viewing
 * a seller's pages see them as its owner; a hook on every page refuses the forms that they send.
 */
export async function currentMember(
  { db }: World,
  { session }: Pick<SessionContext, 'session'>,
): Promise<sellers.Membership | undefined> {
  const { user_id, viewing_seller_id } = session
  if (viewing_seller_id)
    return await sellers.viewedBy(db, { seller_id: viewing_seller_id, user_id })
  const memberships = await sellers.membershipsOf(db, user_id)
  return memberships.find(({ seller_id }) => seller_id === session.seller_id) ?? memberships[0]
}

function requirePermission(
  { request }: SessionContext,
  member: sellers.Membership,
  permission: sellers.SellerPermission,
): void {
  const { changes_nothing, serves_suspended } = request.routeOptions.config
  const isRefused = request.method === 'POST' && !changes_nothing && !serves_suspended
  if (member.is_suspended && isRefused) {
    throw new AnsweredByGuard((to) => sendPage(to, SuspendedPage(member), { status: 403 }))
  }
  if (sellers.isAllowed(member.role, permission)) return
  const page = RolePage({ ...member, roles: sellers.rolesWith(permission) })
  throw new AnsweredByGuard((to) => sendPage(to, page, { status: 403 }))
}

/** A request of a seller's member about one of the seller's apps. */
export interface SellerContext extends MemberContext {
  app: apps.App
}

/**
 * The app in the path, for a member of its seller with this permission. Everyone else gets 404; a
 * member without the permission, a page that names their role.
 */
export async function requireSeller(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  permission: sellers.SellerPermission,
): Promise<SellerContext> {
  const context = await requireSession(world, request, reply, DASHBOARD)
  const { slug } = paramsOf(APP_PATH, request)
  const app = await namedApp(world, context, slug)
  const member = app && (await membershipOf(world, context, app))
  if (!app) throw await refuseAudited(world, context)
  return { ...(await permitted(world, context, member, permission)), app }
}

async function namedApp({ db }: World, { session }: SessionContext, slug: string) {
  const { user_id, viewing_seller_id: seller_id } = session
  if (seller_id) return await apps.findOfSeller(db, { slug, seller_id })
  return await apps.findOwn(db, { slug, user_id })
}

/**
 * The membership of a session in a seller; for staff, in the seller whose pages they are viewing.
 * Undefined for everyone else.
 */
export async function membershipOf(
  { db }: World,
  { session }: Pick<SessionContext, 'session'>,
  { seller_id }: { seller_id: SellerId },
): Promise<sellers.Membership | undefined> {
  const { user_id, viewing_seller_id } = session
  if (viewing_seller_id && viewing_seller_id !== seller_id) return undefined
  if (viewing_seller_id) return await sellers.viewedBy(db, { seller_id, user_id })
  return await sellers.memberOf(db, { seller_id, user_id })
}

/** A request of a seller that may change the app once the seller terms are accepted. */
export interface SellerTermsContext extends SellerContext {
  /** True until the seller accepts the terms; nothing can be saved before. */
  owes_terms: boolean
}

/**
 * Like `requireSeller`, for the pages that edit an app: every member may view them, and a form
 * needs `edit_apps`. A form sent before the terms are accepted redirects to the terms.
 */
export async function requireSellerTerms(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SellerTermsContext> {
  const isForm = request.method === 'POST'
  const context = await requireSeller(world, request, reply, isForm ? 'edit_apps' : 'view')
  const owes_terms = await owesTerms(world, context.app.seller_id)
  if (owes_terms && isForm) {
    const address = sellerTermsUrl(pageOf(request.url))
    throw new AnsweredByGuard((to) => redirectTo(to, address))
  }
  return { ...context, owes_terms }
}

/** The page of a form: its own path, or the parent of a switch such as `add-on`. */
function pageOf(url: string): string {
  return (url.split('?')[0] ?? '').replace(/[^/]*$/, '')
}
