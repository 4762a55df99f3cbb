import type { FastifyReply, FastifyRequest } from 'fastify'
import * as imports from '#domain/imports'
import { owesTerms } from '#flows/seller'
import type { World } from '#flows/world'
import { APP_PATH, requireSeller, type SellerTermsContext } from '#http/guards/seller'
import { requireRecentProof } from '#http/guards/session'
import { paramsOf, requireId } from '#http/input'
import { AnsweredByGuard, redirectTo } from '#http/pages'
import { sellerTermsUrl } from '#http/redirect'
import { refuse } from '#http/refusals'
import type { Limit } from '#platform/limits'

export const IMPORT = `${APP_PATH}/import/`
export const IMPORT_STEPS = `${IMPORT}:import_id/`

/** The limit of a member's uploads and runs, as each reads a whole file. */
export const IMPORT_LIMIT: Limit = { name: 'imports', points: 60, seconds: 3600 }

/** The path of an app's imports. */
export function importsAddress(slug: string): string {
  return IMPORT.replace(':slug', slug)
}

/**
 * A member who may import data and has recently re-authenticated, as an import changes who may use
 * the app. A form sent before the seller terms are accepted redirects to them.
 */
export async function requireImporter(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SellerTermsContext> {
  const context = await requireSeller(world, request, reply, 'move_data')
  const back = importsAddress(context.app.slug)
  requireRecentProof(world, context, request.method === 'GET' ? request.url : back)
  const owes_terms = await owesTerms(world, context.app.seller_id)
  if (owes_terms && request.method === 'POST') {
    throw new AnsweredByGuard((to) => redirectTo(to, sellerTermsUrl(back)))
  }
  return { ...context, owes_terms }
}

/** A request about one import. */
export interface ImportContext extends SellerTermsContext {
  read: imports.Import
  address: string
}

/** The import in the path, for a member who may move data; 404 for another app's. */
export async function requireImport(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ImportContext> {
  const context = await requireImporter(world, request, reply)
  const id = requireId('imp', paramsOf(IMPORT_STEPS, request).import_id)
  const read = await imports.findImport(world.db, { id, app_id: context.app.id })
  if (!read) throw refuse('not_found')
  return { ...context, read, address: `${importsAddress(context.app.slug)}${id}/` }
}
