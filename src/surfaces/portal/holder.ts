import type { FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type { Session } from '#domain/identity'
import * as licensing from '#domain/licensing'
import { mayBuyAs } from '#flows/checkout'
import { appTime, type World } from '#flows/world'
import { accountNav } from '#surfaces/account-nav'
import { csrfToken, currentSession } from '#surfaces/browser'
import { MisconfiguredPage } from '#surfaces/error-page'
import { returnQuery } from '#surfaces/onwards'
import { goTo, queryOf, sendPage } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import type { Handler, Visit } from '#surfaces/visits'
import type { ManageFrame } from './frame.tsx'
import { signDone } from './notes.ts'

/** An address under an app's manage page; the link's own return address goes along. */
export type At = (path?: string, query?: Record<string, string>) => string

/** Somebody at the manage page of an app that he bought. */
export interface HolderVisit extends Visit {
  app: apps.App
  license: licensing.PausableLicense
  /** Undefined where nothing renews. */
  subscription: billing.RunningSubscription | undefined
  /** The app's own time. */
  now: Date
  /** The link's own return address, checked. */
  next: string | undefined
  at: At
}

/** Somebody who is signed in and never bought the app. */
export type Stranger = Visit & Pick<HolderVisit, 'app'>

/**
 * A page about what a person holds of the app that the address names (spec: manage links). Whoever
 * is not signed in does so first, also where the app was withdrawn after somebody bought it; for
 * whoever holds nothing there is nothing, or `nothing`.
 */
export function forHolder(
  world: World,
  page: (visit: HolderVisit) => Promise<FastifyReply>,
  nothing?: (visit: Stranger) => Promise<FastifyReply>,
): Handler {
  return async (request, reply) => {
    const { client_id } = request.params as { client_id: string }
    const app = await apps.find(world.db, client_id)
    const session = await currentSession(world, request)
    const owner = session && mayBuyAs(session, session.user_id, client_id) ? session : undefined
    const license = app && owner && (await findLicense(world, app, owner))
    if (!app) throw refuse('not_found')
    const maySuspend = license || (!owner && (await licensing.wasBought(world.db, app.id)))
    if (!app.is_published && !maySuspend) throw refuse('not_found')
    const link = readNext(request, app)
    if (!link) return sendPage(reply, MisconfiguredPage({ app_name: app.name }), { status: 400 })
    const at = addressing(world, { app, license, next: link.next })
    if (!owner) {
      return goTo(reply, `/signin/${returnQuery(request.method === 'POST' ? at() : request.url)}`)
    }
    if (!license) {
      if (!nothing) throw refuse('not_found')
      return await nothing({ request, reply, session: owner, app })
    }
    return await page({
      request,
      reply,
      session: owner,
      app,
      license,
      subscription: await billing.subscriptionOf(world.db, license.license_id),
      now: appTime(world, app),
      next: link.next,
      at,
    })
  }
}

async function findLicense({ db }: World, app: apps.App, { user_id }: Session) {
  const found = await licensing.findLatest(db, { app_id: app.id, user_id })
  return found && (await licensing.findPausable(db, found.license_id))
}

/** The return address of the link; undefined where it is no good. */
function readNext(
  request: FastifyRequest,
  app: apps.App,
): { next: string | undefined } | undefined {
  const isAmbiguous = Array.isArray((request.query as Record<string, unknown>).next)
  const given = queryOf(request, 'next')
  if (isAmbiguous) return undefined
  if (!given) return { next: undefined }
  const url = apps.readReturnUrl(given, app.url)
  return url && { next: url.href }
}

function addressing(
  world: World,
  facts: { app: apps.App; license: licensing.License | undefined; next: string | undefined },
): At {
  const { app, license, next } = facts
  return (path = '', { done, ...query } = {}) => {
    const facts = new URLSearchParams({
      ...query,
      ...(done && license ? { done: signDone(world, license.license_id, done) } : {}),
      ...(next === undefined ? {} : { next }),
    })
    return `/manage/${app.id}/${path}${facts.size > 0 ? `?${facts}` : ''}`
  }
}

/** What every page of a holder is told. */
export async function frameOf(world: World, visit: HolderVisit): Promise<ManageFrame> {
  const { request, reply, session, app, at } = visit
  return {
    nav: await accountNav(world, session.user_id, 'purchases'),
    app_name: app.name,
    csrf_token: csrfToken(world, request, reply),
    at,
    notice: world.processor.name === 'sandbox' ? 'Test mode: no real card is charged.' : undefined,
  }
}
