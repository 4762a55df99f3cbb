import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { addSeconds, isoDate } from '#platform/calendar'
import { mintId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'

// By then the processor lists the whole day.
const LISTED_AFTER_SECONDS = 3600
const DAY_SECONDS = 86_400
const BATCH = 1000
const TRIES = 5
/** How long the processor may take to answer, and how far its clock may be ahead. */
const MARGIN_SECONDS = 60

/**
 * Closes the days that are over (invariant I21): fetches what moved our balance at the processor,
 * books its fees and the transfers between the balance and the bank, each on its day, and stores
 * the balance at the end of the last one. Run again, it changes nothing. Returns the last closed
 * day.
 */
export async function closeDays(world: World): Promise<string | undefined> {
  const { db, clock, random, processor } = world
  const now = clock.now()
  const before = startOfDay(addSeconds(now, -LISTED_AFTER_SECONDS))
  const last = await payments.lastClosedDay(db, processor.name)
  const from = last?.end ?? new Date(0)
  if (from >= before) return undefined
  const balance = await fetchAll(world, { from, before })
  if (balance === undefined) return undefined
  const day = isoDate(addSeconds(before, -DAY_SECONDS))
  return await db.tx(async (tx) => {
    const closed = { processor: processor.name, day, balance }
    if (!(await payments.closeDay(tx, now, closed))) return undefined
    for (const totals of await payments.dayTotals(tx, processor.name, { from, before })) {
      const day_id = `${processor.name}:${totals.day}`
      const at = addSeconds(startOfDay(new Date(totals.day)), DAY_SECONDS - 1)
      const posting = ledger.processorDay({ day_id, ...totals })
      await ledger.post(tx, at, mintId(random, 'txn'), posting)
    }
    return day
  })
}

/**
 * Stores what moved the balance, and computes the balance at the end of the last day: the current
 * balance less what moved since. Undefined if it moved while it was read: the next run retries.
 */
async function fetchAll(
  { db, clock, processor }: World,
  { from, before }: { from: Date; before: Date },
): Promise<Cents | undefined> {
  for (let round = 0; round < TRIES; round++) {
    // Balance and movements end at the same time, or a movement would be in one of them only.
    const until = addSeconds(clock.now(), MARGIN_SECONDS)
    const balance = await totalOf(processor, until)
    let since = 0
    let batch: payments.BalanceTransaction[] = []
    const keep = async () => {
      await payments.addBalanceTransactions(db, processor.name, batch)
      batch = []
    }
    for await (const each of processor.balanceTransactions(from, addSeconds(until, 0.001))) {
      if (each.at >= before) since += each.amount - each.fee
      else batch.push(each)
      if (batch.length === BATCH) await keep()
    }
    if (batch.length > 0) await keep()
    if ((await totalOf(processor, until)) === balance) return cents(balance - since)
  }
  return undefined
}

async function totalOf(processor: World['processor'], until: Date): Promise<number> {
  const { available, pending } = await processor.readBalance(until)
  return available + pending
}

function startOfDay(at: Date): Date {
  const midnight = new Date(at)
  midnight.setUTCHours(0, 0, 0, 0)
  return midnight
}
