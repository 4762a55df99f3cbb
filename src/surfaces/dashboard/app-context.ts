import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { noteFor } from '#http/action-note'
import { csrfToken } from '#http/form-token'
import type { MemberContext, SellerTermsContext } from '#http/guards/seller'
import type { SessionContext } from '#http/guards/session'
import { suspensionOf } from '#http/suspended-app'
import { clockNotice } from '#http/test-clock-notice'
import type { ActorOf } from '#platform/audit'
import type { AppFacts } from './layout.tsx'

/** The member of a seller as the actor of a change. */
export function actorOf(context: SessionContext | MemberContext): ActorOf<'seller'> {
  const { request, session } = context
  const seller_id = 'member' in context ? context.member.seller_id : undefined
  return { kind: 'seller', user_id: session.user_id, request_id: request.id, seller_id }
}

/** The facts that every page of an app shows; `notes` are the messages by the value of `?done=`. */
export function appFactsOf(
  world: World,
  { request, reply, app, member, owes_terms }: SellerTermsContext,
  notes: Record<string, string> = {},
): AppFacts {
  return {
    slug: app.slug,
    app_name: app.name,
    csrf_token: csrfToken(world, request, reply),
    owes_terms,
    suspension: suspensionOf(app, member),
    has_clock: world.processor.has_test_clock,
    notice: clockNotice(world, app),
    note: request.method === 'GET' ? noteFor(request, notes) : undefined,
    viewers_role: sellers.isAllowed(member.role, 'edit_apps') ? undefined : member.role,
  }
}
