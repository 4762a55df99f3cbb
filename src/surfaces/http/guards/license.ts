import type { FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import type { Session } from '#domain/identity'
import * as licensing from '#domain/licensing'
import { mayBuyAs } from '#flows/checkout'
import type { World } from '#flows/world'
import { withQuery } from '#http/address'
import { MisconfiguredPage } from '#http/error-page'
import { type SessionContext, signInFirst } from '#http/guards/session'
import { isRepeated, paramsOf, queryOf, requireId } from '#http/input'
import { AnsweredByGuard, sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import { currentSession } from '#http/session'
import type { AppId } from '#platform/ids'
import { localeOf } from '#platform/language/request'

/** The base path of a license's manage pages. */
export const MANAGE_PATH = '/manage/:client_id'

/** A request about an app from a person who may not have a license. */
export interface AppContext extends SessionContext {
  app: apps.App
  /** The validated return address of the link. */
  next: string | undefined
}

/** A request about a person's license of an app. */
export interface LicenseContext extends AppContext {
  license: licensing.PausableLicense
}

/** Like `findLicense`, but a person without a license gets 404. */
export async function requireLicense(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<LicenseContext> {
  const { license, ...context } = await findLicense(world, request, reply)
  if (!license) throw refuse('not_found')
  return { ...context, license }
}

/**
 * The app in the path and the person's license of it, if any (spec: manage links). People who are
 * not signed in sign in first, even if the app is no longer published.
 */
export async function findLicense(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AppContext & Partial<LicenseContext>> {
  const app_id = requireId('app', paramsOf(MANAGE_PATH, request).client_id)
  const app = await apps.find(world.db, app_id)
  const session = await currentSession(world, request)
  const owner = session && mayBuyAs(session, session.user_id, app_id) ? session : undefined
  const license = app && owner && (await latestLicense(world, app, owner))
  if (!app) throw refuse('not_found')
  const isKnown = license || (!owner && (await licensing.hadCustomers(world.db, app.id)))
  if (!app.is_published && !isKnown) throw refuse('not_found')
  const link = readNext(request, app)
  if (!link) {
    const page = MisconfiguredPage({ ...apps.brandOf(app), locale: localeOf(request) })
    throw new AnsweredByGuard((to) => sendPage(to, page, { status: 400 }))
  }
  const { next } = link
  if (!owner) throw signInFirst(request, manageUrl(app.id, '', { next }))
  const context = { request, reply, session: owner, app, next }
  return license ? { ...context, license } : context
}

async function latestLicense({ db }: World, app: apps.App, { user_id }: Session) {
  const found = await licensing.findLatest(db, { app_id: app.id, user_id })
  return found && (await licensing.getPausable(db, found.license_id))
}

/** The return address of the link; undefined unless it is registered with the app. */
function readNext(
  request: FastifyRequest,
  app: apps.App,
): { next: string | undefined } | undefined {
  if (isRepeated(request, 'next')) return undefined
  const given = queryOf(request, 'next')
  if (!given) return { next: undefined }
  const url = apps.readReturnUrl(given, app.url)
  return url && { next: url.href }
}

/** An address under an app's manage page; undefined query values are omitted. */
export function manageUrl(
  app_id: AppId,
  path = '',
  query: Record<string, string | undefined> = {},
): string {
  return withQuery(`/manage/${app_id}/${path}`, query)
}
