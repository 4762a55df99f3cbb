import type { FastifyReply, FastifyRequest } from 'fastify'
import * as billing from '#domain/billing'
import { appTime, type World } from '#flows/world'
import { accountNav } from '#http/account-menu'
import { csrfToken } from '#http/form-token'
import { type LicenseContext, manageUrl, requireLicense } from '#http/guards/license'
import type { ManageLayoutFacts } from './layout.tsx'
import { signDone } from './notes.ts'

/** An address under an app's manage page; the link's own return address goes along. */
export type ManageAddress = (path?: string, query?: Record<string, string>) => string

/** A request about a license, with what the pages about it show. */
export interface ManageContext extends LicenseContext {
  /** Undefined where nothing renews. */
  subscription: billing.RunningSubscription | undefined
  /** The app's own time. */
  now: Date
  at: ManageAddress
}

/** As `requireLicense`, with what the pages about the license show. */
export async function requireManagedLicense(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ManageContext> {
  return await manageContextOf(world, await requireLicense(world, request, reply))
}

/** What the pages about a license show of it. */
export async function manageContextOf(
  world: World,
  context: LicenseContext,
): Promise<ManageContext> {
  const { app, license, next } = context
  return {
    ...context,
    subscription: await billing.subscriptionOf(world.db, license.license_id),
    now: appTime(world, app),
    at: (path = '', { done, ...query } = {}) => {
      const signed = done && signDone(world, license.license_id, done)
      return manageUrl(app.id, path, { ...query, done: signed || undefined, next })
    },
  }
}

/** What every page about a license shows. */
export async function layoutFacts(
  world: World,
  context: ManageContext,
): Promise<ManageLayoutFacts> {
  const { request, reply, session, app, at } = context
  return {
    nav: await accountNav(world, session.user_id, 'purchases'),
    app_name: app.name,
    csrf_token: csrfToken(world, request, reply),
    at,
    notice: world.processor.is_test_mode ? 'Test mode: no real card is charged.' : undefined,
  }
}
