import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import { openOnboarding, payOut, readPayeeBalance, refreshAccount } from '#flows/pay-out'
import { forReports, payeeTime, type World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { pageOfSeller } from '#http/guards/named-seller'
import {
  PAYEE_PAGES,
  type PayeeContext,
  type PayeeKind,
  requirePayee,
  requirePayout,
} from '#http/guards/payee'
import { requireRecentProof } from '#http/guards/session'
import { SERVES_SUSPENDED } from '#http/guards/viewing'
import { queryOf, readNumber } from '#http/input'
import { limitPage, people, redirectTo, sendCsv, sendFile, sendPage } from '#http/pages'
import { pageBelow, pagingOf } from '#http/pagination'
import { payeeNotice } from '#http/test-clock-notice'
import { addDays } from '#platform/calendar'
import { readId } from '#platform/ids'
import type { Limit } from '#platform/limits'
import { cents } from '#platform/money'
import { declareReferrals } from './affiliate.ts'
import type { BalanceFacts } from './panels.tsx'
import { SellerPayoutsPage, StatementPage } from './payout-pages.tsx'
import { rowsOf, statementCsv, statementPdf } from './statement.ts'

const LINES_A_PAGE = 100
const PAYOUTS_A_PAGE = 50
const REQUESTS: Limit = { name: 'payout-requests', points: 20, seconds: 3600 }

/** Balances, payouts and statements of sellers and affiliates. */
export function payeePages(app: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  people(app, world, (scope) => {
    scope.get(PAYEE_PAGES.seller.home, async (request, reply) => {
      const context = await requirePayee(reporting, request, reply, 'seller')
      const done = queryOf(request, 'done')
      const facts = { ...(await balanceFacts(reporting, context)), done }
      return sendPage(reply, SellerPayoutsPage(facts))
    })
    declareReferrals(scope, reporting, (context) => balanceFacts(reporting, context))
    for (const kind of ['seller', 'affiliate'] as const) {
      declareBankAndPayouts(scope, world, kind)
      declareStatements(scope, reporting, kind)
    }
  })
}

/** Gathers the facts of the balance, bank and payout panels. */
async function balanceFacts(world: World, context: PayeeContext): Promise<BalanceFacts> {
  const { payee, kind, is_suspended, request, reply } = context
  const { db } = world
  const { total, pending, pending_total } = await readPayeeBalance(world, payee)
  const account = await payouts.findAccount(db, payee.owner)
  const are_paused = await payouts.arePaused(db, payee.owner)
  const monday = payouts.mondayOf(await payeeTime(world, payee.owner))
  return {
    base: PAYEE_PAGES[kind].base,
    csrf_token: csrfToken(world, request, reply),
    total,
    pending,
    pending_total,
    reserved: cents(0 - (await ledger.balanceOf(db, 'dispute_hold', payee.owner))),
    minimum: payouts.MINIMUM,
    delay_days: payouts.delayDays(payee),
    are_paused,
    is_suspended,
    is_payable: payouts.isPayable(total) && !are_paused,
    next_weekly: addDays(monday, 7),
    bank: bankOf(account),
    returned_by: account?.returned_at ? payouts.bankOf(account) : undefined,
    notice: await payeeNotice(world, payee.owner),
    ...(await payoutsPage(world, context)),
  }
}

/** A page of the payee's payouts, latest first, with the addresses of the next and the first. */
async function payoutsPage({ db }: World, { payee, kind, request }: PayeeContext) {
  const { home } = PAYEE_PAGES[kind]
  const below_number = readNumber(queryOf(request, 'below'))
  const limit = PAYOUTS_A_PAGE + 1
  const found = await payouts.payoutsOf(db, payee, { below_number, limit })
  const { rows, older } = pageBelow(found, PAYOUTS_A_PAGE)
  return {
    payouts: rows,
    older_payouts: older === undefined ? undefined : `${home}?below=${older}#payouts`,
    latest_payouts: below_number === undefined ? undefined : `${home}#payouts`,
  }
}

function bankOf(account: payouts.PayoutAccount | undefined) {
  if (!account?.is_ready) return undefined
  return { name: account.bank_name ?? 'Your bank', last4: account.bank_last4 ?? '····' }
}

function declareBankAndPayouts(scope: FastifyInstance, world: World, kind: PayeeKind): void {
  const { home, base } = PAYEE_PAGES[kind]
  // Changes to payouts and bank accounts need re-authentication.
  const requireProvenPayee = async (request: FastifyRequest, reply: FastifyReply) => {
    const context = await requirePayee(world, request, reply, kind)
    requireRecentProof(world, context, home)
    return context
  }
  scope.post(`${base}request`, async (request, reply) => {
    const { payee } = await requireProvenPayee(request, reply)
    await limitPage(world, REQUESTS, payee.owner, reply)
    const { outcome } = await payOut(world, { ...payee, cause: 'request' })
    return redirectTo(reply, `${home}?done=${outcome}`)
  })

  scope.post(`${base}bank`, SERVES_SUSPENDED, async (request, reply) => {
    const { payee, session } = await requireProvenPayee(request, reply)
    const { owner } = payee
    await limitPage(world, REQUESTS, owner, reply)
    const seller_id = readId('sel', owner)
    const back = seller_id ? pageOfSeller(`${base}bank`, seller_id) : `${base}bank`
    const return_url = `${world.config.base_url}${back}`
    const url = await ifReachable(() =>
      openOnboarding(world, { owner, email: session.email, return_url }),
    )
    return redirectTo(reply, url ?? `${home}?done=away`)
  })

  scope.get(`${base}bank`, async (request, reply) => {
    const { payee, session } = await requirePayee(world, request, reply, kind)
    // Staff who are viewing a seller's pages cannot change anything.
    if (!session.viewing_seller_id) {
      await ifReachable(() => refreshAccount(world, payee.owner, { is_confirmed: false }))
    }
    const account = await payouts.findAccount(world.db, payee.owner)
    const missing = account?.returned_at ? 'same_bank' : 'no_bank_yet'
    return redirectTo(reply, `${home}?done=${account?.is_ready ? 'bank' : missing}`)
  })

  scope.post(`${base}bank/confirm`, SERVES_SUSPENDED, async (request, reply) => {
    const { payee } = await requireProvenPayee(request, reply)
    await limitPage(world, REQUESTS, payee.owner, reply)
    const refresh = async () => {
      await refreshAccount(world, payee.owner, { is_confirmed: true })
      return (await payouts.findAccount(world.db, payee.owner))?.is_ready ? 'bank' : 'unpayable'
    }
    return redirectTo(reply, `${home}?done=${(await ifReachable(refresh)) ?? 'away'}`)
  })
}

/** The processor's answer; undefined if it does not respond. */
async function ifReachable<Answer>(call: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof payments.ProcessorUnreachable) return undefined
    throw error
  }
}

function declareStatements(scope: FastifyInstance, world: World, kind: PayeeKind): void {
  const { home, base } = PAYEE_PAGES[kind]
  const path = `${base}:id/`
  scope.get(path, async (request, reply) => {
    const { payee, payout } = await requirePayout(world, request, reply, kind)
    const total = await payouts.countStatementLines(world.db, payout.id)
    const paging = pagingOf(request, { total, size: LINES_A_PAGE })
    const account = await payouts.findAccount(world.db, payee.owner)
    const page = StatementPage({
      ...payout,
      needs_bank: Boolean(account?.returned_at),
      notice: await payeeNotice(world, payee.owner),
      home,
      path: `${base}${payout.id}/`,
      kind,
      rows: rowsOf(kind, await payouts.statementOf(world.db, payout.id, paging)),
      paging,
    })
    return sendPage(reply, page)
  })

  scope.get(`${path}statement.csv`, async (request, reply) => {
    const { payout } = await requirePayout(world, request, reply, kind)
    return sendCsv(reply, `payout-${payout.number}.csv`, statementCsv(world, kind, payout))
  })

  scope.get(`${path}statement.pdf`, async (request, reply) => {
    const { payout } = await requirePayout(world, request, reply, kind)
    const pdf = await statementPdf(world, kind, payout)
    const file = { name: `payout-${payout.number}.pdf`, type: 'application/pdf' }
    return sendFile(reply, file, pdf)
  })
}
