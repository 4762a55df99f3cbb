import type { FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import { owesTerms } from '#flows/accept-terms'
import type { World } from '#flows/world'
import { refuseAudited, requireSession, type SessionContext } from '#http/guards/session'
import { paramsOf } from '#http/input'
import { AnsweredByGuard, redirectTo } from '#http/pages'
import { returnQuery } from '#http/redirect'

/** The base path of an app's dashboard pages. */
export const APP_PATH = '/dashboard/apps/:slug'
const HOME = '/dashboard/'

/** A request of a seller about one of their apps. */
export interface SellerContext extends SessionContext {
  app: apps.App
}

/** The app in the path, for its seller; everyone else gets 404. */
export async function requireSeller(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SellerContext> {
  const context = await requireSession(world, request, reply, HOME)
  const { slug } = paramsOf(APP_PATH, request)
  const app = await apps.findOwn(world.db, { slug, seller_user_id: context.session.user_id })
  if (!app) throw await refuseAudited(world, context)
  return { ...context, app }
}

/** A request of a seller that may change the app once the seller terms are accepted. */
export interface SellerTermsContext extends SellerContext {
  /** True until the seller accepts the terms; nothing can be saved before. */
  owes_terms: boolean
}

/** Like `requireSeller`; a form sent before the terms are accepted redirects to the terms. */
export async function requireSellerTerms(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SellerTermsContext> {
  const context = await requireSeller(world, request, reply)
  const owes_terms = await owesTerms(world, context.session.user_id)
  if (owes_terms && request.method === 'POST') {
    const address = `/dashboard/terms/${returnQuery(pageOf(request.url))}`
    throw new AnsweredByGuard((to) => redirectTo(to, address))
  }
  return { ...context, owes_terms }
}

/** The page of a form: its own path, or the parent of a switch such as `add-on`. */
function pageOf(url: string): string {
  return (url.split('?')[0] ?? '').replace(/[^/]*$/, '')
}
