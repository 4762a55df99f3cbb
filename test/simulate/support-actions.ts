import * as payments from '#domain/payments'
import { quoteRefund, refundCharge } from '#flows/refund'
import { EXTENSION_DAYS, endNow, extendTrial } from '#flows/subscription'
import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, InvoiceId, RefundId } from '#platform/ids'
import { sql } from '#platform/sql'
import { actingSeller, actingStaff } from './actors.ts'
import { someLicense } from './buyer-actions.ts'
import type { Fixture } from './fixture.ts'
import type { SeededRandom } from './random.ts'
import type { RecordedCreditRefund, RecordedExtension } from './record.ts'
import { recordChange } from './recorded-change.ts'

const sellerOf = ({ shops }: Fixture, app_id: AppId) =>
  actingSeller(shops.find(({ id }) => id === app_id)!)

/** What sellers do for single buyers, with its relative frequency. */
export const SUPPORT_ACTIONS = [
  { name: 'extend a trial', weight: 8, act: extendSome },
  { name: 'refund an upgrade with its credit', weight: 12, act: refundWithCredit },
  { name: 'end a license', weight: 1, act: endSome },
] as const

/** A seller extends a trial by days; sometimes with one form twice, or from an end that was. */
async function extendSome(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, record } = fixture
  const where = rng.odds(90) ? sql`l.status = 'trialing'` : sql`l.period_end is not null`
  const owned = await someLicense(fixture, rng, where)
  if (!owned) return undefined
  const { license_id, app_id } = owned
  const { period_end } = await world.db.one<{ period_end: Date }>(
    sql`select period_end from licenses where id = ${license_id}`,
  )
  const from = rng.odds(10) ? addDays(period_end, -EXTENSION_DAYS.most - 1) : period_end
  const days = rng.between(EXTENSION_DAYS.least, rng.odds(80) ? 14 : EXTENSION_DAYS.most)
  const extension: RecordedExtension = { license_id, from, days, outcomes: [] }
  record.extensions.push(extension)
  const press = async () => {
    const at = extension.outcomes.push('unknown') - 1
    const facts = { license_id, from, days, reason: 'They need more time.' }
    const { outcome } = await extendTrial(world, sellerOf(fixture, app_id), facts)
    extension.outcomes[at] = outcome
    return outcome
  }
  const said = await Promise.all(rng.odds(20) ? [press(), press()] : [press()])
  return `${license_id} by ${days} days: ${said.join(' and ')}`
}

/** A seller ends a license at once: most often one that renews. */
async function endSome(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, harness, record } = fixture
  const renews = sql`l.status <> 'canceled' and (s.id is not null or l.origin = 'import')`
  const where = rng.odds(85) ? renews : sql`true`
  const owned = await someLicense(fixture, rng, sql`l.origin <> 'comp' and (${where})`)
  if (!owned) return undefined
  const { license_id, app_id } = owned
  const facts = { subject: license_id, from: 'running', to: 'ended' }
  const outcome = await recordChange(harness.clock, record.ends, facts, async () => {
    const ended = { license_id, reason: 'They left the company.' }
    const is_made = await endNow(world, sellerOf(fixture, app_id), ended)
    return { is_made, outcome: is_made ? 'ended' : 'over' }
  })
  return `${license_id} ${outcome}`
}

/** The seller or staff refunds an upgrade with the credit that they saw; it may have changed. */
async function refundWithCredit(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, harness, record, operator_id } = fixture
  const upgrades = await world.db.rows<{ invoice_id: InvoiceId; app_id: AppId }>(
    sql`select i.id as invoice_id, i.app_id from invoices i join charges c on c.invoice_id = i.id
        join licenses l on l.id = i.license_id
        join invoice_lines x on x.invoice_id = i.id and x.kind = 'credit'
      order by l.status = 'canceled', i.number desc limit 2`,
  )
  if (upgrades.length === 0) return undefined
  const { invoice_id, app_id } = rng.pick(upgrades)
  const actor = rng.odds(60) ? sellerOf(fixture, app_id) : actingStaff(operator_id)
  const quote = await quoteRefund(world, actor, { invoice_id })
  if (!('reversal' in quote)) return `${invoice_id} ${quote.refusal}`
  if (!quote.credit) return `${invoice_id} has no credit`
  const { left, credit } = quote
  const seen_credit = credit.reversal.amount
  const request = record.ask('refund', invoice_id, left)
  const refund: RecordedCreditRefund = { invoice_id, credit: seen_credit, outcome: 'unknown' }
  record.credits.push(refund)
  const given = await refundCharge(world, actor, {
    invoice_id,
    seen_left: left,
    with_credit: true,
    seen_credit,
    reason: 'They wanted the old plan.',
  })
  refund.outcome = given.outcome === 'refused' ? given.refusal : given.outcome
  // The answer is that of a credit only if the upgrade was refunded.
  const isOfCredit = 'refund_id' in given && (await isCredit(harness.db, given.refund_id))
  request.outcome = isOfCredit ? 'refunded' : refund.outcome
  return `${invoice_id} ${left} and ${seen_credit}: ${refund.outcome}`
}

async function isCredit(db: Db, refund_id: RefundId): Promise<boolean> {
  return (await payments.getRefund(db, refund_id)).upgrade_refund_id !== null
}
