import type { FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type { StaffPermission, StaffRole } from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { APP_PATH, DASHBOARD, membershipOf, requireSeller } from '#http/guards/seller'
import { requireSession, type SessionContext } from '#http/guards/session'
import { requireStaff } from '#http/guards/staff'
import { paramsOf } from '#http/input'
import { readId } from '#platform/ids'

/** Who views an invoice: its seller in the dashboard, or staff in the admin area. */
export type Side = 'seller' | 'staff'

/** The base path of each side. */
export const SIDES = { seller: APP_PATH, staff: '/admin' } as const satisfies Record<Side, string>

/** A request about sales: of one app, or of all if `app` is undefined. */
export interface SalesContext extends SessionContext {
  as: Side
  app: apps.App | undefined
  /** The base path of the pages, without a trailing slash. */
  base: string
  /** The role of staff; undefined for a seller. */
  role?: StaffRole
  /** The membership in the app's seller; undefined for staff and for the former seller. */
  member?: sellers.Membership
  /** The visitor sold this before the app was transferred to another seller. */
  is_former?: true
}

/** A request about what one app sold, of a member of its seller. */
export interface AppSalesContext extends SalesContext {
  app: apps.App
  member: sellers.Membership
}

/** The sales of the app in the path, for a member of its seller with this permission. */
export async function requireAppSales(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  permission: sellers.SellerPermission,
): Promise<AppSalesContext> {
  const context = await requireSeller(world, request, reply, permission)
  return { ...context, as: 'seller', base: `/dashboard/apps/${context.app.slug}` }
}

/**
 * A member of the app's seller, or staff, with their permission for this, depending on the path.
 * Other staff get 403, and everyone else 404.
 */
export async function requireSellerOrStaff(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  as: Side,
  permissions: { seller: sellers.SellerPermission; staff: StaffPermission },
): Promise<SalesContext> {
  if (as === 'staff') {
    const context = await requireStaff(world, request, reply, `${SIDES.staff}/`, permissions.staff)
    return { ...context, as, app: undefined, base: SIDES.staff }
  }
  return await requireAppSales(world, request, reply, permissions.seller)
}

/**
 * Like `requireSellerOrStaff`, for the page of the invoice in the path: members of the former
 * seller who wrote it may view it too, as it is on their statements (decision 100).
 */
export async function requireViewerOfInvoice(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  as: Side,
  permissions: { seller: sellers.SellerPermission; staff: StaffPermission },
): Promise<SalesContext> {
  const { seller: permission } = permissions
  const former =
    as === 'seller' ? await formerSellerOf(world, request, reply, permission) : undefined
  return former ?? (await requireSellerOrStaff(world, request, reply, as, permissions))
}

/** The context of a former seller's member; undefined for everyone else. */
async function formerSellerOf(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  permission: sellers.SellerPermission,
): Promise<SalesContext | undefined> {
  const { db } = world
  const context = await requireSession(world, request, reply, DASHBOARD)
  const { slug, invoice_id } = paramsOf(`${APP_PATH}/sales/:invoice_id/`, request)
  const id = readId('inv', invoice_id)
  const invoice = id && (await billing.findSellerInvoice(db, { id, app_id: null }))
  const app = invoice && (await apps.find(db, invoice.app_id))
  if (!app || app.slug !== slug || app.seller_id === invoice.seller_id) return
  // A member of both sellers has the page with everything that the app's seller may do.
  if (await membershipOf(world, context, app)) return
  const member = await membershipOf(world, context, invoice)
  if (!member || !sellers.isAllowed(member.role, permission)) return
  return { ...context, as: 'seller', app, base: `/dashboard/apps/${slug}`, is_former: true }
}
