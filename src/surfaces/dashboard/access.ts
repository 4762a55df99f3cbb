import type { FastifyReply } from 'fastify'
import * as apps from '#domain/apps'
import { owesTerms } from '#flows/accept-terms'
import type { World } from '#flows/world'
import { ownValue } from '#platform/text'
import { accountNav } from '#surfaces/account-nav'
import { clockNotice } from '#surfaces/app-clock'
import { csrfToken } from '#surfaces/browser'
import { returnQuery } from '#surfaces/onwards'
import { goTo, queryOf } from '#surfaces/pages'
import {
  forAccount as forAnyAccount,
  type Handler,
  refuseVisit,
  type Visit,
} from '#surfaces/visits'
import type { AppFacts } from './frame.tsx'

const HOME = '/dashboard/'

/** A visit to an app of one's own. */
export interface AppVisit extends Visit {
  app: apps.App
  /** True while the seller has not accepted the terms; then nothing is saved. */
  owes_terms: boolean
}

/** A page of the dashboard for whoever is signed in in full. */
export function forAccount(world: World, page: (visit: Visit) => Promise<FastifyReply>): Handler {
  return forAnyAccount(world, HOME, page)
}

/**
 * A page of the app that the address names, for its registered developer; others find nothing.
 * Whatever is sent before the terms are accepted is not saved: the terms come first.
 */
export function forDeveloper(
  world: World,
  page: (visit: AppVisit) => Promise<FastifyReply>,
): Handler {
  return forAccount(world, async (visit) => {
    const { request, reply, session } = visit
    const { slug } = request.params as { slug: string }
    const app = await apps.findOwn(world.db, { slug, developer_id: session.user_id })
    if (!app) return await refuseVisit(world, visit)
    const owes_terms = await owesTerms(world, session.user_id)
    if (owes_terms && request.method === 'POST') {
      return goTo(reply, `/dashboard/terms/${returnQuery(pageOf(request.url))}`)
    }
    return await page({ ...visit, app, owes_terms })
  })
}

/** The page that a form stands on: its own address, or the one above a switch such as `add-on`. */
function pageOf(url: string): string {
  return (url.split('?')[0] ?? '').replace(/[^/]*$/, '')
}

/** Who changes the app, by hand. */
export function editorOf({ request, session }: Visit): apps.Editor {
  return { user_id: session.user_id, request_id: request.id, agent: null }
}

/** What every page of an app is told; `notes` are the words for what `?done=` names. */
export async function appFactsOf(
  world: World,
  { request, reply, session, app, owes_terms }: AppVisit,
  notes: Record<string, string> = {},
): Promise<AppFacts> {
  return {
    nav: await accountNav(world, session.user_id, 'apps'),
    slug: app.slug,
    app_name: app.name,
    csrf_token: csrfToken(world, request, reply),
    owes_terms,
    has_clock: world.processor.name === 'sandbox',
    notice: clockNotice(world, app),
    note: request.method === 'GET' ? ownValue(notes, queryOf(request, 'done')) : undefined,
  }
}
