import type { FastifyInstance, FastifyReply } from 'fastify'
import * as affiliates from '#domain/affiliates'
import * as metrics from '#domain/metrics'
import * as payouts from '#domain/payouts'
import { joinAffiliates } from '#flows/join-affiliates'
import { payeeTime, type World } from '#flows/world'
import { originOf } from '#http/device'
import { csrfToken } from '#http/form-token'
import { asAffiliate, PAYEE_PAGES, type PayeeContext } from '#http/guards/payee'
import { requireSession, type SessionContext } from '#http/guards/session'
import { formOf, queryOf, readNumber } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { pageBelow } from '#http/pagination'
import type { ReferredChartFacts } from '#http/referred-chart'
import { accountActor } from '#platform/audit'
import { addDays, isoDate } from '#platform/calendar'
import type { Limit } from '#platform/limits'
import { referredFacts } from './affiliate-links.ts'
import { JoinPage, type ReferralLine, ReferralsPage } from './affiliate-pages.tsx'
import { lineLabel } from './labels.ts'
import type { BalanceFacts } from './panels.tsx'

const { home: HOME, base: BASE } = PAYEE_PAGES.affiliate
const PAGE = 50
const CHART_DAYS = 30
const JOINS: Limit = { name: 'affiliate-joins', points: 30, seconds: 3600 }

/** The affiliate's page with code, lines and balance; others can join there. */
export function declareReferrals(
  scope: FastifyInstance,
  world: World,
  balance: (context: PayeeContext) => Promise<BalanceFacts>,
): void {
  scope.get(HOME, async (request, reply) => {
    const context = await requireSession(world, request, reply, HOME)
    const affiliate = await affiliates.affiliateOf(world.db, context.session.user_id)
    if (!affiliate) return sendJoin(world, context, { code: '', fault: undefined })
    return await sendReferrals(world, context, affiliate, balance)
  })

  scope.post(HOME, async (request, reply) => {
    const context = await requireSession(world, request, reply, HOME)
    const { session } = context
    await limitPage(world, JOINS, session.user_id, reply)
    const code = (formOf(request).code ?? '').trim().toLowerCase()
    const actor = accountActor(session.user_id, originOf(request))
    const joined = await joinAffiliates(world, actor, code)
    if ('fault' in joined) return sendJoin(world, context, { code, fault: joined.fault })
    return redirectTo(reply, `${HOME}?done=joined`)
  })
}

function sendJoin(
  world: World,
  { request, reply }: SessionContext,
  form: { code: string; fault: string | undefined },
): FastifyReply {
  const page = JoinPage({
    action: HOME,
    csrf_token: csrfToken(world, request, reply),
    minimum: payouts.MINIMUM,
    delay_days: payouts.delayDays({ account: 'affiliate_payable' }),
    ...form,
  })
  return sendPage(reply, page, { status: form.fault === undefined ? 200 : 422 })
}

async function sendReferrals(
  world: World,
  context: SessionContext,
  affiliate: affiliates.Affiliate,
  balance: (context: PayeeContext) => Promise<BalanceFacts>,
): Promise<FastifyReply> {
  const { request, reply } = context
  const { db, config } = world
  const { id: owner, code } = affiliate
  const own = asAffiliate(context, affiliate)
  const before = readNumber(queryOf(request, 'before'))
  const found = await payouts.accountLines(db, own.payee, { limit: PAGE + 1, before })
  const { rows: lines, older } = pageBelow(found, PAGE)
  const now = await payeeTime(world, owner)
  const facts = {
    ...(await balance(own)),
    done: queryOf(request, 'done'),
    code,
    link: `${config.base_url}/?ref=${code}`,
    home: HOME,
    lines: lines.map((line) => referralOf(now, line)),
    older: older === undefined ? undefined : `${HOME}?before=${older}#commissions`,
    latest: before === undefined ? undefined : `${HOME}#commissions`,
    chart: await chartOf(world, affiliate, now),
    referred: await referredFacts(world, request, affiliate),
    paid_total: await payouts.paidTotal(db, own.payee),
  }
  return sendPage(reply, ReferralsPage(facts))
}

/** What an affiliate's links brought in the last days, by day. */
async function chartOf(
  { db }: World,
  { id: affiliate_id }: affiliates.Affiliate,
  now: Date,
): Promise<ReferredChartFacts> {
  const to = isoDate(now)
  const range = { from: metrics.dayAfter(to, 1 - CHART_DAYS), to }
  const days = await affiliates.referredByDay(db, { affiliate_id, days: range })
  return { range, days }
}

/** A ledger line for the affiliate, without the buyer. */
function referralOf(now: Date, line: payouts.AccountLine): ReferralLine {
  const available_at = addDays(line.at, payouts.delayDays({ account: 'affiliate_payable' }))
  const isDelayed = !payouts.NEVER_DELAYED.includes(line.event)
  const { payout_id, payout_number, payout_status, payout_was_refused } = line
  return {
    key: `${line.transaction_id}-${line.position}`,
    at: line.at,
    text: lineLabel(line),
    fee: line.fee,
    amount: line.amount,
    available_at: isDelayed && available_at > now ? available_at : undefined,
    payout:
      payout_id === null
        ? undefined
        : {
            href: `${BASE}${payout_id}/`,
            number: payout_number!,
            status: payout_status!,
            was_refused: payout_was_refused!,
          },
  }
}
