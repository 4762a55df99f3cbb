import type * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import type { SalesContext, Side } from '#http/guards/seller-or-staff'
import { clockNotice } from '#http/test-clock-notice'
import type { ActorOf } from '#platform/audit'

/** The seller or staff as the actor of a change. */
export function actorOf({ session, request, as, app }: SalesContext): ActorOf<Side> {
  const person = { user_id: session.user_id, request_id: request.id }
  return as === 'staff'
    ? { ...person, kind: as }
    : { ...person, kind: as, seller_id: app?.seller_id }
}

/** The facts that every page about sales shows. */
export interface SalesPageFacts {
  csrf_token: string
  base: string
  as: Side
  /** The banner about the app's own time. */
  notice: string | undefined
}

/** Gathers the facts that every page about an app's sales shows. */
export function pageFacts(world: World, context: SalesContext, app: apps.App): SalesPageFacts {
  const { request, reply, base, as } = context
  return {
    csrf_token: csrfToken(world, request, reply),
    base,
    as,
    notice: clockNotice(world, app),
  }
}
