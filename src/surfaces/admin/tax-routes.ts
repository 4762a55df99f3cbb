import type { FastifyInstance, FastifyReply } from 'fastify'
import * as tax from '#domain/tax'
import { fileMonth, fileWholeMonth, taxOwed } from '#flows/remit-tax'
import { forReports, type World } from '#flows/world'
import { TASKS } from '#platform/tasks'
import { accountNav } from '#surfaces/account-nav'
import { csrfToken } from '#surfaces/browser'
import { startExport } from '#surfaces/exports'
import { formOf, goTo, people, queryOf, sendPage } from '#surfaces/pages'
import { pagingOf } from '#surfaces/paging'
import { refuse } from '#surfaces/refusals'
import { declareTask, startTask } from '#surfaces/tasks'
import { forOperator, recently, type Visit } from '#surfaces/visits'
import { declareTaxExports, summariesOf, TAX_LINES, TAX_STATES } from './tax-files.ts'
import { MonthPage, StateMonthPage, TaxPage } from './tax-pages.tsx'

const LINES_A_PAGE = 100

const HOME = '/admin/tax/'
const MONTH = `${HOME}:month(^\\d{4}-\\d{2}$)/`
const STATE = `${MONTH}:state(^[A-Z]{2}$)/`

/** The tax that is owed to the states: what for, until when, and how it was filed. */
export function adminTax(app: FastifyInstance, world: World): void {
  declareTask(world, {
    kind: 'tax_month',
    title: 'Filing a month',
    unit: 'states',
    place: 'admin',
    async run({ request, user_id, id }, tell) {
      const { month, batch_reference } = request as { month: string; batch_reference: string }
      const filer = { user_id, request_id: id }
      const filed = await fileWholeMonth(world, filer, { month, batch_reference }, (progress) =>
        tell({ ...progress, note: `Filing ${progress.state}.` }),
      )
      return { next_url: `${HOME}${month}/?done=filed_${filed}` }
    },
    back: ({ request }) => `${HOME}${request.month}/`,
  })
  people(app, world, (scope) => {
    declarePages(scope, forReports(world))
    declareFiling(scope, world)
    declareExports(scope, world)
  })
}

type Asked = { month: string; state: string }

function askedOf({ request }: Visit): Asked {
  const { month, state = '' } = request.params as Asked
  if (Number(month.slice(5)) < 1 || Number(month.slice(5)) > 12) throw refuse('not_found')
  return { month, state }
}

async function frameOf(world: World, { request, reply, session }: Visit) {
  const nav = await accountNav(world, session.user_id, 'admin')
  const filing_reference = queryOf(request, 'filing_reference')
  return { nav, csrf_token: csrfToken(world, request, reply), home: HOME, filing_reference }
}

function declarePages(scope: FastifyInstance, world: World): void {
  scope.get(
    HOME,
    forOperator(world, HOME, async (visit) => {
      const { nav } = await frameOf(world, visit)
      const state_rates_only = world.taxes.name === 'table'
      const owed = await taxOwed(world)
      return sendPage(visit.reply, TaxPage({ nav, home: HOME, owed, state_rates_only }))
    }),
  )

  scope.get(
    MONTH,
    forOperator(world, HOME, async (visit) => {
      const { month } = askedOf(visit)
      const page = MonthPage({
        ...(await frameOf(world, visit)),
        month,
        done: queryOf(visit.request, 'done'),
        states: await summariesOf(world, month),
        fault: undefined,
      })
      return sendPage(visit.reply, page)
    }),
  )

  scope.get(
    STATE,
    forOperator(world, HOME, (visit) => sendState(world, visit)),
  )
}

async function sendState(world: World, visit: Visit, fault?: string) {
  const { month, state } = askedOf(visit)
  const found = (await summariesOf(world, month)).find((each) => each.state === state)
  if (!found) throw refuse('not_found')
  const paging = pagingOf(visit.request, { total: found.lines, size: LINES_A_PAGE })
  const page = StateMonthPage({
    ...(await frameOf(world, visit)),
    ...found,
    month,
    done: queryOf(visit.request, 'done'),
    rows: await tax.taxLines(world.db, { month, state, ...paging }),
    paging,
    fault,
  })
  return sendPage(visit.reply, page, { status: fault === undefined ? 200 : 422 })
}

const ASKED = 'Enter what the state confirmed the filing with, of up to 80 characters.'

/** The reference of a form; undefined where it is none. */
function referenceOf({ request }: Visit): string | undefined {
  const text = (formOf(request).filing_reference ?? '').trim()
  return text.length > 0 && text.length <= 80 ? text : undefined
}

/** Filing pays: it takes a fresh proof, and comes back with the reference that was filled in. */
function declareFiling(scope: FastifyInstance, world: World): void {
  const { db, jobs } = world
  const proven = (step: (visit: Visit) => Promise<FastifyReply>) =>
    forOperator(
      world,
      HOME,
      recently(world, step, (visit) => {
        const filing_reference = referenceOf(visit) ?? ''
        return `${visit.request.url}?${new URLSearchParams({ filing_reference })}`
      }),
    )
  scope.post(
    STATE,
    proven(async (visit) => {
      const { reply, session, request } = visit
      const asked = askedOf(visit)
      const filing_reference = referenceOf(visit)
      if (!filing_reference) return await sendState(world, visit, ASKED)
      const filer = { user_id: session.user_id, request_id: request.id }
      const { outcome } = await fileMonth(world, filer, { ...asked, filing_reference })
      return goTo(reply, `${HOME}${asked.month}/${asked.state}/?done=${outcome}`)
    }),
  )

  scope.post(
    MONTH,
    proven(async (visit) => {
      const { reply, session } = visit
      const { month } = askedOf(visit)
      const batch_reference = referenceOf(visit)
      if (!batch_reference) {
        const states = await summariesOf(world, month)
        const facts = { ...(await frameOf(world, visit)), month, states, done: undefined }
        return sendPage(reply, MonthPage({ ...facts, fault: ASKED }), { status: 422 })
      }
      const request = { month, batch_reference }
      const task = { kind: 'tax_month', user_id: session.user_id, app_id: null, request }
      const page = await db.tx((tx) => startTask(world, tx, task))
      jobs.wake(TASKS)
      return goTo(reply, page)
    }),
  )
}

function declareExports(scope: FastifyInstance, world: World): void {
  declareTaxExports(forReports(world))
  scope.post(
    `${MONTH}export`,
    forOperator(world, HOME, async (visit) => {
      const { month } = askedOf(visit)
      const kind = formOf(visit.request).of === 'states' ? TAX_STATES : TAX_LINES
      return await startExport(world, visit, { kind, app_id: null, request: { month } })
    }),
  )
}
