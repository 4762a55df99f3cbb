import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as tax from '#domain/tax'
import {
  correctFiling,
  type Filing,
  fileMonth,
  fileWholeMonth,
  taxOfMonths,
} from '#flows/remit-tax'
import { forReports, type World } from '#flows/world'
import { withQuery } from '#http/address'
import { startExport } from '#http/exports'
import { csrfToken } from '#http/form-token'
import { requireRecentProof, type SessionContext } from '#http/guards/session'
import { requireStaff, type StaffContext, staffActor } from '#http/guards/staff'
import { formOf, paramsOf, queryOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { pagingOf } from '#http/pagination'
import { refuse } from '#http/refusals'
import { declareTask, startTask } from '#http/tasks'
import type { ActorOf } from '#platform/audit'
import { isBlank, textFault } from '#platform/text'
import { declareTaxExports, TAX_LINES, TAX_STATES } from './tax-files.ts'
import { TaxPage } from './tax-months-page.tsx'
import { MonthPage, StateMonthPage } from './tax-pages.tsx'
import { summariesOf } from './tax-summary.ts'

const LINES_A_PAGE = 100
const MONTHS_A_PAGE = 12

const HOME = '/admin/tax/'
const MONTH = `${HOME}:month(^\\d{4}-\\d{2}$)/`
const STATE = `${MONTH}:state(^[A-Z]{2}$)/`
const CORRECTION = `${STATE}confirmation`

/** The stored request to file a month. */
const MonthRequest = z.object({ month: z.string(), batch_reference: z.string() })

/** Sales tax by state and month: what is due, when, and how it was filed. */
export function declareTax(scope: FastifyInstance, world: World): void {
  declareTask(world, {
    kind: 'tax_month',
    title: 'Filing a month',
    unit: 'states',
    needs: 'taxes',
    async run({ request, user_id, id }, report) {
      const { month, batch_reference } = MonthRequest.parse(request)
      const actor = { kind: 'staff', user_id, request_id: id } as const
      const filed = await fileWholeMonth(world, actor, { month, batch_reference }, (progress) =>
        report({ ...progress, note: `Filing ${progress.state}.` }),
      )
      return { next_url: `${HOME}${month}/?done=filed_${filed}` }
    },
    back: ({ request }) => `${HOME}${request.month}/`,
  })
  declarePages(scope, forReports(world))
  declareFiling(scope, world)
  declareExports(scope, world)
}

/** The month in the path. */
function monthOf(request: FastifyRequest): string {
  const { month } = paramsOf('/:month', request)
  if (Number(month.slice(5)) < 1 || Number(month.slice(5)) > 12) throw refuse('not_found')
  return month
}

/** The state and month in the path. */
function stateMonthOf(request: FastifyRequest) {
  return { month: monthOf(request), state: paramsOf('/:state', request).state }
}

/** What both pages with a form have; its field keeps what was sent, or filled in before. */
function layoutFacts(world: World, { request, reply, role }: StaffContext) {
  return {
    role,
    csrf_token: csrfToken(world, request, reply),
    home: HOME,
    done: queryOf(request, 'done'),
    filing_reference: formOf(request).filing_reference ?? queryOf(request, 'filing_reference'),
  }
}

function declarePages(scope: FastifyInstance, world: World): void {
  scope.get(HOME, async (request, reply) => {
    const { role } = await requireStaff(world, request, reply, HOME, 'taxes')
    const state_rates_only = world.taxes.name === 'table'
    const { months, ...addresses } = await monthsFor(world, request)
    const found = await taxOfMonths(world, months)
    return sendPage(reply, TaxPage({ role, home: HOME, ...found, ...addresses, state_rates_only }))
  })

  scope.get(MONTH, async (request, reply) =>
    sendMonth(world, await requireStaff(world, request, reply, HOME, 'taxes')),
  )

  scope.get(STATE, async (request, reply) =>
    sendState(world, await requireStaff(world, request, reply, HOME, 'taxes')),
  )
}

/** The months that a page of the list shows, the latest or those before the one in `?below=`. */
async function monthsFor({ db, clock }: World, request: FastifyRequest) {
  const taxed = await tax.taxedMonths(db)
  const [below] = /^2\d{3}-(0[1-9]|1[0-2])$/.exec(queryOf(request, 'below') ?? '') ?? []
  const last = below ? tax.monthBefore(below, 1) : (taxed?.last ?? tax.monthOf(clock.now()))
  const first = tax.monthBefore(last, MONTHS_A_PAGE - 1)
  return {
    months: { first, last },
    older: taxed && taxed.first < first ? withQuery(HOME, { below: first }) : undefined,
    newest: below && HOME,
  }
}

async function sendMonth(world: World, context: StaffContext, fault?: string) {
  const month = monthOf(context.request)
  const page = MonthPage({
    ...layoutFacts(world, context),
    month,
    states: await summariesOf(world, month),
    fault,
  })
  return sendPage(context.reply, page, { status: fault === undefined ? 200 : 422 })
}

async function sendState(world: World, context: StaffContext, fault?: string) {
  const { month, state } = stateMonthOf(context.request)
  const found = (await summariesOf(world, month)).find((each) => each.state === state)
  if (!found) throw refuse('not_found')
  const paging = pagingOf(context.request, { total: found.lines, size: LINES_A_PAGE })
  const page = StateMonthPage({
    ...layoutFacts(world, context),
    ...found,
    month,
    rows: await tax.taxLines(world.db, { month, state, ...paging }),
    paging,
    fault,
  })
  return sendPage(context.reply, page, { status: fault === undefined ? 200 : 422 })
}

const REFERENCE_HINT = 'Enter the state’s confirmation number, up to 80 characters.'
const BATCH_HINT = 'Enter a batch reference, up to 80 characters.'

/** The reference in the form, and what is wrong with it. */
function readReference({ request }: SessionContext, hint: string) {
  const filing_reference = (formOf(request).filing_reference ?? '').trim()
  const fault = textFault(filing_reference, { most: 80 })
  return { filing_reference, fault: isBlank(filing_reference) ? hint : fault }
}

/**
 * The form of a state's month at a path, with its confirmation, which is restored after
 * re-authentication; `record` returns the outcome, for the page.
 */
function onConfirmation(
  scope: FastifyInstance,
  world: World,
  path: string,
  record: (actor: ActorOf<'staff'>, filing: Filing) => Promise<string>,
): void {
  scope.post(path, async (request, reply) => {
    const context = await requireStaff(world, request, reply, HOME, 'taxes')
    const { month, state } = stateMonthOf(request)
    const { filing_reference, fault } = readReference(context, REFERENCE_HINT)
    if (fault) return await sendState(world, context, fault)
    const page = `${HOME}${month}/${state}/`
    requireRecentProof(world, context, withQuery(page, { filing_reference }))
    const done = await record(staffActor(context), { month, state, filing_reference })
    return redirectTo(reply, withQuery(page, { done }))
  })
}

/** Filing also pays, so it needs re-authentication; the reference is restored afterwards. */
function declareFiling(scope: FastifyInstance, world: World): void {
  const { db } = world
  onConfirmation(scope, world, STATE, async (actor, filing) => {
    return (await fileMonth(world, actor, filing)).outcome
  })
  onConfirmation(scope, world, CORRECTION, (actor, filing) => correctFiling(world, actor, filing))

  scope.post(MONTH, async (http, reply) => {
    const context = await requireStaff(world, http, reply, HOME, 'taxes')
    const { session } = context
    const month = monthOf(http)
    const { filing_reference, fault } = readReference(context, BATCH_HINT)
    if (fault) return await sendMonth(world, context, fault)
    requireRecentProof(world, context, withQuery(http.url, { filing_reference }))
    const request = { month, batch_reference: filing_reference }
    const task = { kind: 'tax_month' as const, user_id: session.user_id, app_id: null, request }
    const page = await db.tx((tx) => startTask(world, tx, task))
    return redirectTo(reply, page)
  })
}

function declareExports(scope: FastifyInstance, world: World): void {
  declareTaxExports(forReports(world))
  scope.post(`${MONTH}export`, async (request, reply) => {
    const context = await requireStaff(world, request, reply, HOME, 'taxes')
    const month = monthOf(request)
    const kind = formOf(request).of === 'states' ? TAX_STATES : TAX_LINES
    return await startExport(world, context, { kind, app_id: null, request: { month } })
  })
}
