import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as payouts from '#domain/payouts'
import * as sellers from '#domain/sellers'
import type { SellerDecision } from '#flows/closed-sets'
import { readPayeeBalance } from '#flows/pay-out'
import { decideAboutSeller, stopViewing, viewAsSeller } from '#flows/staff-actions'
import { forReports, type World } from '#flows/world'
import { type ActionNote, noteFor } from '#http/action-note'
import { withQuery } from '#http/address'
import {
  cursorText as auditCursorText,
  auditRows,
  readCursor as readAuditCursor,
} from '#http/audit-rows'
import { csrfToken } from '#http/form-token'
import { requireStaff, staffActor } from '#http/guards/staff'
import { STOP_VIEWING } from '#http/guards/viewing'
import { paramsOf, readNumber, requireId } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { readPanel } from '#http/pagination'
import { refuse } from '#http/refusals'
import { readId, type SellerId } from '#platform/ids'
import { ON_A_PAGE, readSearchedList } from './paging.ts'
import { readDecision } from './read-decision.ts'
import { COMMON_NOTES, readFilledForm, requireReason } from './require-reason.ts'
import { SellerPage } from './seller-page.tsx'
import { SellersPage } from './sellers-page.tsx'

const HOME = '/admin/sellers/'
const SELLER = `${HOME}:seller_id/`
const LATEST = 10

/** The list of sellers with their figures, the page of each, and the staff actions for it. */
export function declareSellers(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  const { db } = reporting
  scope.get(HOME, async (request, reply) => {
    const { role } = await requireStaff(reporting, request, reply, HOME, 'sellers')
    const { items, ...list } = await readSearchedList(request, {
      path: HOME,
      prefix: 'sel',
      states: sellers.SELLER_STATES,
      read: ({ q, ...page }) => sellers.listSellers(db, { ...parseSearch(q), ...page }),
    })
    const ids = items.map(({ id }) => id)
    const figures = await sellers.sellerFigures(db, ids)
    const byId = new Map(figures.map((each) => [each.id, each]))
    const page = SellersPage({
      role,
      ...list,
      items: items.map((seller) => ({ ...seller, figures: byId.get(seller.id)! })),
    })
    return sendPage(reply, page)
  })
  declareSeller(scope, reporting)
  declareDecisions(scope, world)
  declareViewing(scope, world)
}

/** Reads a search for sellers: a member's email, an ID, or part of a legal name. */
function parseSearch(q: string) {
  if (q === '') return {}
  const id = readId('sel', q)
  if (id) return { id }
  const address = identity.readEmail(q)
  return address ? { email_normalized: address.email_normalized } : { name: q }
}

function declareSeller(scope: FastifyInstance, world: World): void {
  const { db } = world
  scope.get(SELLER, async (request, reply) => {
    const { role } = await requireStaff(world, request, reply, HOME, 'sellers')
    const seller_id = requireId('sel', paramsOf(SELLER, request).seller_id)
    const [listed] = await sellers.listSellers(db, { id: seller_id, limit: 1 })
    const details = await sellers.findSeller(db, seller_id)
    if (!listed || !details) throw refuse('not_found')
    const { suspended_at, payouts_paused_at } = listed
    const account = payouts.accountOf(seller_id)
    const bank = await payouts.findAccount(db, seller_id)
    const page = SellerPage({
      csrf_token: csrfToken(world, request, reply),
      role,
      seller: { ...details, ...listed },
      suspended: await readDecision(world, suspended_at, {
        subject: seller_id,
        action: 'seller.suspended',
      }),
      paused: await readDecision(world, payouts_paused_at, {
        subject: seller_id,
        action: 'seller.payouts_paused',
      }),
      figures: (await sellers.sellerFigures(db, [seller_id]))[0]!,
      terms: await sellers.acceptedTerms(db, seller_id),
      members: await sellers.membersOf(db, seller_id),
      apps: await apps.listForStaff(db, { seller_id, limit: ON_A_PAGE + 1 }),
      balance: await readPayeeBalance(world, { owner: seller_id, account }),
      bank: bank && payouts.bankOf(bank),
      ...(await historyOf(world, request, seller_id)),
      filled: readFilledForm(request),
      note: noteFor(request, NOTES),
    })
    return sendPage(reply, page)
  })
}

/** A page of a seller's payouts, and one of its part of the audit log. */
async function historyOf(world: World, request: FastifyRequest, seller_id: SellerId) {
  const panel = { path: `${HOME}${seller_id}/`, size: LATEST }
  return {
    payouts: await readPanel(request, {
      ...panel,
      id: 'payouts',
      read: ({ below, limit }) => {
        const below_number = readNumber(below)
        return payouts.listPayouts(world.db, { owner: seller_id, below_number, limit })
      },
      belowOf: ({ number }) => String(number),
    }),
    activity: await readPanel(request, {
      ...panel,
      id: 'activity',
      read: ({ below, limit }) =>
        auditRows(world, { seller_id, below: readAuditCursor(below), limit }),
      belowOf: auditCursorText,
    }),
  }
}

const DECISIONS = {
  suspend: { what: 'suspended', permission: 'suspensions' },
  reinstate: { what: 'reinstated', permission: 'suspensions' },
  pause: { what: 'payouts_paused', permission: 'payouts' },
  resume: { what: 'payouts_resumed', permission: 'payouts' },
} as const satisfies Record<string, { what: SellerDecision; permission: identity.StaffPermission }>

function declareDecisions(scope: FastifyInstance, world: World): void {
  for (const [action, { what, permission }] of Object.entries(DECISIONS)) {
    scope.post(`${SELLER}${action}`, async (request, reply) => {
      const seller_id = requireId('sel', paramsOf(SELLER, request).seller_id)
      const form = formAt(seller_id, action)
      const { staff } = await requireReason(world, request, reply, { ...form, permission })
      const isDone = await decideAboutSeller(world, staff, { seller_id, what })
      return redirectTo(reply, withQuery(form.here, { done: isDone ? what : 'nothing' }))
    })
  }
}

/** Viewing a seller's pages as staff (decision 103). */
function declareViewing(scope: FastifyInstance, world: World): void {
  scope.post(`${SELLER}view`, async (request, reply) => {
    const seller_id = requireId('sel', paramsOf(SELLER, request).seller_id)
    const form = { ...formAt(seller_id, 'view'), permission: 'viewing' } as const
    const { staff, session } = await requireReason(world, request, reply, form)
    const isKnown = await viewAsSeller(world, staff, { session_id: session.id, seller_id })
    if (!isKnown) throw refuse('not_found')
    return redirectTo(reply, '/dashboard/')
  })

  scope.post(STOP_VIEWING, async (request, reply) => {
    const context = await requireStaff(world, request, reply, HOME, 'home')
    const { session } = context
    await stopViewing(world, staffActor(context), session)
    const viewed = session.viewing_seller_id
    return redirectTo(reply, viewed ? `${HOME}${viewed}/?done=stopped` : '/admin/')
  })
}

function formAt(seller_id: SellerId, action: string) {
  const path = `sellers/${seller_id}/`
  return { here: `/admin/${path}`, action: `${path}${action}`, subject: seller_id }
}

const NOTES: Record<string, ActionNote> = {
  ...COMMON_NOTES,
  suspended: { tone: 'success', text: 'Seller suspended. Its members were emailed the reason.' },
  reinstated: { tone: 'success', text: 'Seller reinstated. Its members were emailed the reason.' },
  payouts_paused: { tone: 'success', text: 'Payouts are paused. Its members were emailed.' },
  payouts_resumed: { tone: 'success', text: 'Payouts are resumed. Its members were emailed.' },
  stopped: { tone: 'success', text: 'You stopped viewing as this seller.' },
}
