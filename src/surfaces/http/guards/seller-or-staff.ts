import type { FastifyReply, FastifyRequest } from 'fastify'
import type * as apps from '#domain/apps'
import type { StaffPermission, StaffRole } from '#domain/identity'
import type { SellerPermission } from '#domain/sellers'
import type { World } from '#flows/world'
import { APP_PATH, requireSeller } from '#http/guards/seller'
import type { SessionContext } from '#http/guards/session'
import { requireStaff } from '#http/guards/staff'

/** Who views a sale: its seller in the dashboard, or staff in the admin area. */
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
  permissions: { seller: SellerPermission; staff: StaffPermission },
): Promise<SalesContext> {
  if (as === 'staff') {
    const context = await requireStaff(world, request, reply, `${SIDES.staff}/`, permissions.staff)
    return { ...context, as, app: undefined, base: SIDES.staff }
  }
  const context = await requireSeller(world, request, reply, permissions.seller)
  return { ...context, as, base: `/dashboard/apps/${context.app.slug}` }
}
