import type { FastifyReply, FastifyRequest } from 'fastify'
import type * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { APP_PATH, requireSeller } from '#http/guards/seller'
import type { SessionContext } from '#http/guards/session'
import { requireStaff } from '#http/guards/staff'

/** Who looks at a sale: its seller on the pages of the app, or staff in the admin area. */
export type Side = 'seller' | 'staff'

/** Under which address each side has its pages. */
export const SIDES = { seller: APP_PATH, staff: '/admin' } as const satisfies Record<Side, string>

/** A request about sales: of one app, or of all where `app` is undefined. */
export interface SalesContext extends SessionContext {
  as: Side
  app: apps.App | undefined
  /** The address of the pages, without a slash at its end. */
  base: string
}

/** An app's own seller, or staff, by the side on which the address is; everyone else gets 404. */
export async function requireSellerOrStaff(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  as: Side,
): Promise<SalesContext> {
  if (as === 'staff') {
    const context = await requireStaff(world, request, reply, `${SIDES.staff}/`)
    return { ...context, as, app: undefined, base: SIDES.staff }
  }
  const context = await requireSeller(world, request, reply)
  return { ...context, as, base: `/dashboard/apps/${context.app.slug}` }
}
