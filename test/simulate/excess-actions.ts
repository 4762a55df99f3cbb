import { owedByBuyer, recordRepayment, writeOffExcess } from '#flows/staff-actions'
import { isoDate } from '#platform/calendar'
import { mintId, type UserId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { schedule } from '../../src/sandbox/events.ts'
import { actingStaff } from './actors.ts'
import type { Fixture } from './fixture.ts'
import type { SeededRandom } from './random.ts'
import type { RecordedRepayment } from './record.ts'
import { payBuyer } from './seller-actions.ts'

const staffOf = ({ operator_id: user_id }: Fixture) => ({
  ...actingStaff(user_id),
  reason: 'Agreed by phone.',
})

/** How buyers receive too much, and what becomes of it, with its relative frequency. */
export const EXCESS_ACTIONS = [
  { name: 'continue an excess', weight: 16, act: continueExcess },
  { name: 'return a refund', weight: 3, act: returnRefund },
  { name: 'refund at the processor', weight: 2, act: refundAtProcessor },
  { name: 'appeal a dispute', weight: 4, act: appealDispute },
  { name: 'repay an excess', weight: 1, act: repayExcess },
  { name: 'write off an excess', weight: 1, act: writeOffSome },
] as const

/**
 * What most often precedes or follows an excess: a refund returns, staff pays the buyer in another
 * way, and refunds the charge again. Then the buyer repays, staff writes off, or a refund returns.
 */
async function continueExcess(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world } = fixture
  const state = await world.db.one<Record<'is_excess' | 'is_owed' | 'is_paid', boolean>>(
    sql`select exists (select 1 from buyer_balances where amount > 0) as is_excess,
      exists (select 1 from buyer_balances where amount < 0) as is_owed,
      exists (select 1 from buyer_payment_parts) as is_paid`,
  )
  if (state.is_owed && !state.is_excess) return await payBuyer(fixture, rng)
  const steps = [returnRefund]
  if (state.is_excess) steps.push(repayExcess, writeOffSome)
  else if (state.is_paid) steps.push(refundAtProcessor)
  return await rng.pick(steps)(fixture, rng)
}

/** Staff refunds in the processor's dashboard: most often a buyer who was paid in another way. */
async function refundAtProcessor(
  { world, harness }: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const charges = await world.db.rows<{ id: string; left: number; is_paid: boolean }>(sql`
    select c.processor_charge_id as id, (c.amount - coalesce(s.amount, 0))::int as left,
      exists (select 1 from buyer_payment_parts p where p.charge_id = c.id) as is_paid
    from charges c left join lateral (select sum(amount) as amount from sandbox.refunds
        where charge_id = c.processor_charge_id and status <> 'refused'
          and comes_back_at is null) s on true
    order by c.created_at, c.id`)
  const open = charges.filter(({ left }) => left > 0)
  const paid = open.filter(({ is_paid }) => is_paid)
  // Rarely one that the processor refuses, as all of it is refunded.
  const found = rng.odds(5) ? charges : paid.length > 0 && rng.odds(85) ? paid : open
  if (found.length === 0) return undefined
  const { id: charge_id, left } = rng.pick(found)
  const amount = cents(rng.odds(40) ? Math.max(1, left) : rng.between(1, Math.max(1, left)))
  const made = await harness.sandbox.refundOutside(world.clock.now(), { charge_id, amount })
  return `${amount} of ${charge_id}: ${made?.refund_id ?? 'refused'}`
}

/**
 * The card returns a refund, of the service or of the dashboard: most often one of a charge of
 * which an excess was repaid or written off.
 */
async function returnRefund(
  { world, harness }: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const { db } = harness
  const refunds = await db.rows<{ id: string; charge_id: string; is_settled: boolean }>(sql`
    select id, charge_id, exists (select 1 from excess_parts p join charges c on c.id = p.charge_id
      where c.processor_charge_id = sandbox.refunds.charge_id) as is_settled
    from sandbox.refunds
    where status = 'succeeded' and comes_back_at is null order by created_at, id`)
  if (refunds.length === 0) return undefined
  const settled = refunds.filter(({ is_settled }) => is_settled)
  const { id, charge_id } = rng.pick(settled.length > 0 && rng.odds(85) ? settled : refunds)
  const now = world.clock.now()
  const failed = { kind: 'refund_settled', refund_id: id, outcome: 'failed' } as const
  await db.tx(async (tx) => {
    await tx.run(sql`update sandbox.refunds set comes_back_at = ${now} where id = ${id}`)
    await schedule(tx, world.random, now, { id, charge_id }, failed)
  })
  return id
}

/** A bank decides a closed dispute again. It does so once, as an appeal is its final decision. */
async function appealDispute(
  { world, harness }: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const closed = await harness.db.rows<{ id: string; outcome: string }>(sql`
    select id, outcome from sandbox.disputes
    where closes_at < ${world.clock.now()} and appealed_at is null order by opened_at, id`)
  if (closed.length === 0) return undefined
  const { id, outcome } = rng.pick(closed)
  await harness.sandbox.appealDispute(world.clock.now(), id)
  return `${id}, which was ${outcome}`
}

/** A buyer who received too much; rarely anyone who was refunded. */
async function someBuyer({ world }: Fixture, rng: SeededRandom): Promise<UserId | undefined> {
  const inExcess = sql`exists (select 1 from buyer_balances b
    where b.user_id = i.user_id and b.amount > 0)`
  const buyers = await world.db.rows<{ user_id: UserId }>(sql`select distinct i.user_id
    from refunds r join charges c on c.id = r.charge_id join invoices i on i.id = c.invoice_id
    where r.is_made and ${rng.odds(95) ? inExcess : sql`true`} order by i.user_id`)
  return buyers.length === 0 ? undefined : rng.pick(buyers).user_id
}

/** Staff records a repayment: of a part, of all or of too much; sometimes with one form twice. */
async function repayExcess(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, record } = fixture
  const user_id = await someBuyer(fixture, rng)
  if (!user_id) return undefined
  const owed = await owedByBuyer(world.db, user_id)
  const part = rng.between(1, Math.max(1, owed))
  const amount = cents(rng.odds(30) ? Math.max(1, owed) : rng.odds(15) ? owed + 1 : part)
  const repayment: RecordedRepayment = { id: mintId(world.random, 'exr'), amount, outcomes: [] }
  record.repayments.push(repayment)
  const send = async () => {
    const { outcome } = await recordRepayment(world, staffOf(fixture), {
      id: repayment.id,
      user_id,
      amount,
      way: 'check',
      reference: 'Check 17',
      paid_on: isoDate(world.clock.now()),
    })
    repayment.outcomes.push(outcome)
    return outcome
  }
  const said = await Promise.all(rng.odds(25) ? [send(), send()] : [send()])
  return `${amount} of ${owed} by ${user_id}: ${said.join(' and ')}`
}

/** Staff writes off what they saw of a buyer's excess, which may have changed. */
async function writeOffSome(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world } = fixture
  const user_id = await someBuyer(fixture, rng)
  if (!user_id) return undefined
  const owed = await owedByBuyer(world.db, user_id)
  const seen = cents(rng.odds(15) ? owed + 1 : owed)
  const booked = await writeOffExcess(world, staffOf(fixture), { user_id, seen })
  return `${seen} of ${owed} by ${user_id}: ${booked}`
}
