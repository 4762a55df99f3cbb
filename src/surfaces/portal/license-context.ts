import type { FastifyReply, FastifyRequest } from 'fastify'
import * as billing from '#domain/billing'
import { appTime, type World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { type LicenseContext, manageUrl, requireLicense } from '#http/guards/license'
import { testNotice } from '#http/test-clock-notice'
import type { ActorOf } from '#platform/audit'
import { localeOf } from '#platform/language/request'
import type { ManageLayoutFacts } from './layout.tsx'
import { signDone } from './notes.ts'

/** A request about a license, with the facts that its pages show. */
export interface ManageContext extends LicenseContext {
  /** Undefined if nothing renews. */
  subscription: billing.RunningSubscription | undefined
  /** The app's current time. */
  now: Date
  at: ManageLayoutFacts['at']
}

/** Like `requireLicense`, with what `manageContextOf` adds. */
export async function requireManagedLicense(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ManageContext> {
  return await manageContextOf(world, await requireLicense(world, request, reply))
}

/** Gathers the facts that the pages about a license show. */
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

/** The buyer as the actor of a change. */
export function buyerOf({ request, session }: ManageContext): ActorOf<'buyer'> {
  return { kind: 'buyer', user_id: session.user_id, request_id: request.id }
}

/** Whether a pause can be scheduled, as `pauseAtEnd` decides. */
export function mayPause({ app, license, subscription }: ManageContext): boolean {
  return app.allows_pause && license.status === 'active' && subscription?.auto_renew === true
}

/** The facts of the layout of a license's pages. */
export function layoutFacts(world: World, context: ManageContext): ManageLayoutFacts {
  const { request, reply, app, at } = context
  const locale = localeOf(request)
  return {
    locale,
    app_name: app.name,
    csrf_token: csrfToken(world, request, reply),
    at,
    notice: testNotice(world, app, locale),
  }
}
