import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import type { AppDecision } from '#flows/closed-sets'
import { decideAboutApp } from '#flows/staff-actions'
import { forReports, type World } from '#flows/world'
import { type ActionNote, noteFor } from '#http/action-note'
import { withQuery } from '#http/address'
import { csrfToken } from '#http/form-token'
import { requireStaff } from '#http/guards/staff'
import { paramsOf, requireId } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import { readId } from '#platform/ids'
import { AppPage } from './app-page.tsx'
import { AppsPage } from './apps-page.tsx'
import { readSearchedList } from './paging.ts'
import { readDecision } from './read-decision.ts'
import { COMMON_NOTES, readFilledForm, requireReason } from './require-reason.ts'

const HOME = '/admin/apps/'
const APP = `${HOME}:app_id/`

/** The list of apps, the page of each app, and its suspension. */
export function declareApps(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  const { db } = reporting
  scope.get(HOME, async (request, reply) => {
    const { role } = await requireStaff(reporting, request, reply, HOME, 'sellers')
    const list = await readSearchedList(request, {
      path: HOME,
      prefix: 'app',
      states: apps.APP_STATES,
      read: ({ q, ...page }) => apps.listForStaff(db, { ...parseSearch(q), ...page }),
    })
    return sendPage(reply, AppsPage({ role, ...list }))
  })

  scope.get(APP, async (request, reply) => {
    const { role } = await requireStaff(reporting, request, reply, HOME, 'sellers')
    const app_id = requireId('app', paramsOf(APP, request).app_id)
    const [listed] = await apps.listForStaff(db, { id: app_id, limit: 1 })
    const app = await apps.find(db, app_id)
    if (!listed || !app) throw refuse('not_found')
    const page = AppPage({
      csrf_token: csrfToken(world, request, reply),
      role,
      app: { ...app, ...listed },
      suspended: await readDecision(reporting, app.suspended_at, {
        subject: app_id,
        action: 'app.suspended',
      }),
      approval: await apps.latestApproval(db, app_id),
      plans: (await catalog.products(db, app_id)).map(({ name }) => name),
      filled: readFilledForm(request),
      note: noteFor(request, NOTES),
    })
    return sendPage(reply, page)
  })

  const decisions = { suspend: 'suspended', reinstate: 'reinstated' } as const
  for (const [action, what] of Object.entries(decisions))
    declareDecision(scope, world, action, what)
}

/** Reads a search for apps: an ID, or part of a name. */
function parseSearch(q: string) {
  if (q === '') return {}
  const id = readId('app', q)
  return id ? { id } : { name: q }
}

function declareDecision(
  scope: FastifyInstance,
  world: World,
  action: string,
  what: AppDecision,
): void {
  scope.post(`${APP}${action}`, async (request, reply) => {
    const app_id = requireId('app', paramsOf(APP, request).app_id)
    const path = `apps/${app_id}/`
    const here = `/admin/${path}`
    const { staff } = await requireReason(world, request, reply, {
      here,
      permission: 'suspensions',
      action: `${path}${action}`,
      subject: app_id,
    })
    if (!(await apps.find(world.db, app_id))) throw refuse('not_found')
    const isDone = await decideAboutApp(world, staff, { app_id, what })
    return redirectTo(reply, withQuery(here, { done: isDone ? what : 'nothing' }))
  })
}

const NOTES: Record<string, ActionNote> = {
  ...COMMON_NOTES,
  suspended: { tone: 'success', text: 'App suspended. Its seller was emailed the reason.' },
  reinstated: { tone: 'success', text: 'App reinstated. Its seller was emailed the reason.' },
}
