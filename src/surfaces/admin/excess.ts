import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formatMoney } from '#design/money'
import * as ledger from '#domain/ledger'
import { chargeBalances } from '#flows/charge-balances'
import { owedByBuyer, recordRepayment, writeOffExcess } from '#flows/staff-actions'
import { forReports, type World } from '#flows/world'
import { type ActionNote, noteFor } from '#http/action-note'
import { withQuery } from '#http/address'
import { type FormFault, faultsIn } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import { requireRecentProof } from '#http/guards/session'
import { requireStaff, type StaffContext, staffActor } from '#http/guards/staff'
import { formOf, paramsOf, queryOf, requireId } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { readPanel } from '#http/pagination'
import { refuse } from '#http/refusals'
import { isoDate, readDay } from '#platform/calendar'
import { type ExcessRepaymentId, mintId, readId, type UserId } from '#platform/ids'
import { formatAmount, readAmount } from '#platform/money'
import { textFault } from '#platform/text'
import { bookedNote, CHANGED_NOTE, seenAmount } from './booked.ts'
import { CASES } from './case-lists.ts'
import {
  ExcessPage,
  excessPath,
  MAX_REFERENCE_LENGTH,
  type RepaymentForm,
  WAYS,
} from './excess-page.tsx'
import { cursorText, ON_A_PAGE, readPlace } from './paging.ts'
import { COMMON_NOTES, readFilledForm, requireReason } from './require-reason.ts'

const BUYER = '/admin/excess/:user_id/'

/** What a buyer received in excess of their payments, and how staff settle it. */
export function declareExcess(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  scope.get(BUYER, async (request, reply) => {
    const context = await requireBuyer(reporting, request, reply)
    const { user_id } = context
    const asked = (name: keyof RepaymentForm) => queryOf(request, name)
    const form = {
      repayment_id: readId('exr', asked('repayment_id')) ?? mintId(world.random, 'exr'),
      amount: asked('amount') ?? formatAmount(await owedByBuyer(reporting.db, user_id)),
      way: asked('way') ?? '',
      reference: asked('reference') ?? '',
      paid_on: asked('paid_on') ?? isoDate(world.clock.now()),
    }
    return await show(reporting, context, { form, faults: [] })
  })
  declareRepayment(scope, world)
  declareWriteOff(scope, world)
}

interface BuyerContext extends StaffContext {
  user_id: UserId
  here: string
}

/** Staff who settle payments, and the buyer in the path. */
async function requireBuyer(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<BuyerContext> {
  const context = await requireStaff(world, request, reply, CASES, 'payments')
  const user_id = requireId('usr', paramsOf(BUYER, request).user_id)
  return { ...context, user_id, here: excessPath(user_id) }
}

function declareRepayment(scope: FastifyInstance, world: World): void {
  scope.post(`${BUYER}repayment`, async (request, reply) => {
    const context = await requireBuyer(world, request, reply)
    const { user_id, here } = context
    const form = sentForm(world, request)
    const now = world.clock.now()
    const faults = faultsOf(form, now)
    const repayment = readForm(form, user_id)
    if (faults.length > 0 || !repayment) return await show(world, context, { form, faults })
    requireRecentProof(world, context, withQuery(here, { ...form }))
    const recorded = await recordRepayment(world, staffActor(context), repayment)
    if (recorded.outcome !== 'too_much') {
      return redirectTo(reply, withQuery(here, { done: recorded.outcome }))
    }
    const { owed } = recorded
    if (owed === 0) return redirectTo(reply, withQuery(here, { done: 'nothing' }))
    const message = `They owe ${formatMoney(owed)}. Enter at most that amount.`
    return await show(world, context, { form, faults: [{ id: 'amount', message }] })
  })
}

function declareWriteOff(scope: FastifyInstance, world: World): void {
  scope.post(`${BUYER}write-off`, async (request, reply) => {
    const user_id = requireId('usr', paramsOf(BUYER, request).user_id)
    const here = excessPath(user_id)
    const { staff } = await requireReason(world, request, reply, {
      here,
      permission: 'payments',
      action: `excess/${user_id}/write-off`,
      subject: user_id,
    })
    const seen = seenAmount(formOf(request))
    if (seen === undefined) return redirectTo(reply, withQuery(here, { done: 'nothing' }))
    const booked = await writeOffExcess(world, staff, { user_id, seen })
    return redirectTo(reply, withQuery(here, { done: bookedNote(booked, 'written_off') }))
  })
}

function sentForm(
  world: World,
  request: FastifyRequest,
): RepaymentForm & { repayment_id: ExcessRepaymentId } {
  const form = formOf(request)
  const text = (name: keyof RepaymentForm) => (form[name] ?? '').trim()
  const repayment_id = readId('exr', form.repayment_id) ?? mintId(world.random, 'exr')
  return {
    repayment_id,
    amount: text('amount'),
    way: text('way'),
    reference: text('reference'),
    paid_on: text('paid_on'),
  }
}

function faultsOf(form: RepaymentForm, now: Date): FormFault[] {
  const amount = readAmount(form.amount)
  const day = readDay(form.paid_on)
  const reference = textFault(form.reference, { most: MAX_REFERENCE_LENGTH, least: 1 })
  return faultsIn([
    ['amount', !amount && 'Enter an amount in dollars, such as 12.50.'],
    ['way', !isWay(form.way) && 'Choose how the buyer paid.'],
    ['reference', form.reference === '' ? 'Enter the reference on the bank statement.' : reference],
    ['paid_on', (!day || day > now) && 'Enter the day on which it arrived, today or earlier.'],
  ])
}

function isWay(text: string): text is ledger.RepaymentWay {
  return Object.hasOwn(WAYS, text)
}

/** The repayment in the form; undefined if a value of it has a fault. */
function readForm(
  form: RepaymentForm & { repayment_id: ExcessRepaymentId },
  user_id: UserId,
): Omit<ledger.ExcessRepayment, 'recorded_by'> | undefined {
  const { repayment_id: id, way, reference, paid_on } = form
  const amount = readAmount(form.amount)
  return amount && isWay(way) ? { id, user_id, amount, way, reference, paid_on } : undefined
}

async function show(
  world: World,
  { request, reply, role, user_id, here }: BuyerContext,
  { form, faults }: { form: RepaymentForm; faults: FormFault[] },
): Promise<FastifyReply> {
  const { db } = world
  const buyer = await ledger.findExcessBuyer(db, user_id)
  if (!buyer) throw refuse('not_found')
  const page = ExcessPage({
    role,
    csrf_token: csrfToken(world, request, reply),
    buyer,
    charges: (await chargeBalances(db, user_id)).filter(({ balance }) => balance > 0),
    settlements: await readPanel(request, {
      id: 'history',
      path: here,
      size: ON_A_PAGE,
      read: ({ below, limit }) =>
        ledger.listSettlements(db, { user_id, below: readPlace(below), limit }),
      belowOf: ({ created_at, id }) => cursorText(created_at, id),
    }),
    form,
    faults,
    filled: readFilledForm(request),
    note: noteFor(request, NOTES),
  })
  return sendPage(reply, page, { status: faults.length > 0 ? 422 : 200 })
}

const NOTES: Record<string, ActionNote> = {
  ...COMMON_NOTES,
  recorded: { tone: 'success', text: 'Repayment recorded.' },
  other_recorded: {
    tone: 'warning',
    text: 'Not recorded: this form has already recorded another repayment. Check them below, and enter this one again.',
  },
  written_off: { tone: 'success', text: 'Written off. The buyer owes nothing.' },
  changed: CHANGED_NOTE,
  nothing: { tone: 'warning', text: 'No change: the buyer owes nothing.' },
}
