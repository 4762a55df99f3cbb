import type * as apps from '#domain/apps'
import type { StaffRole } from '#domain/identity'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import type { SalesContext, Side } from '#http/guards/seller-or-staff'
import { type AppSuspension, suspensionOf } from '#http/suspended-app'
import { clockNotice } from '#http/test-clock-notice'
import type { ActorOf } from '#platform/audit'

/** The seller or staff as the actor of a change. */
export function actorOf(context: SalesContext): ActorOf<Side> {
  const { session, request, as } = context
  if (as === 'seller') return sellerOf(context)
  return { kind: as, user_id: session.user_id, request_id: request.id }
}

/** The member as the actor of a change, on a page of their seller. */
export function sellerOf({ session, request, app }: SalesContext): ActorOf<'seller'> {
  const { user_id } = session
  return { kind: 'seller', user_id, request_id: request.id, seller_id: app?.seller_id }
}

/** The facts that every page about sales shows. */
export interface SalesPageFacts {
  csrf_token: string
  base: string
  as: Side
  /** The role of staff; undefined for a seller. */
  role: StaffRole | undefined
  /** The suspension of the app or its seller, for a member. */
  suspension: AppSuspension | undefined
  /** The banner about the app's own time. */
  notice: string | undefined
}

/** Gathers the facts that every page about an app's sales shows. */
export function pageFacts(world: World, context: SalesContext, app: apps.App): SalesPageFacts {
  const { request, reply, base, as, role, member } = context
  return {
    csrf_token: csrfToken(world, request, reply),
    base,
    as,
    role,
    suspension: member && suspensionOf(app, member),
    notice: clockNotice(world, app),
  }
}
