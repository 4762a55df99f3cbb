import type { ListedVersion, ListingWriteResult, RefusedWrite } from '#flows/listing'
import type { AppId, PriceId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Fixture } from './fixture.ts'
import { answerChange, type RecordedChange } from './recorded-change.ts'
import { agreementsTo } from './switches.ts'

/** The answer to a change of what an app sells. */
type Answer = ListingWriteResult<ListedVersion[]> | RefusedWrite

/**
 * Records a change of what an app sells: which of its prices it takes off sale, and brings back on
 * sale if it undoes a change.
 */
export async function recordVersions(
  fixture: Fixture,
  { app_id, is_undo }: { app_id: AppId; is_undo: boolean },
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const { record } = fixture
  const name = `prices ${app_id}` as const
  if (is_undo)
    return await record.off.turnOn(fixture, name, () => switchPrices(fixture, app_id, ask))
  const seen = record.off.seen(name)
  const answer = await switchPrices(fixture, app_id, ask)
  for (const id of 'faults' in answer ? [] : answer.dead_buy_links) {
    const price_id = id as PriceId
    const period = { name, what: `price ${price_id}`, recorded: agreementsTo(price_id) }
    await record.off.begin(fixture, period, seen)
  }
  return answer
}

/** Each price of the app may be turned, until the answer says which ones were. */
async function switchPrices(
  { harness, record }: Fixture,
  app_id: AppId,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const { db, clock } = harness
  const known = await db.rows<{ id: PriceId; is_live: boolean }>(sql`select r.id,
      r.deleted_at is null and p.deleted_at is null as is_live
    from prices r join products p on p.id = r.product_id where p.app_id = ${app_id}`)
  clock.pass(1)
  const at = clock.now()
  const turned = (id: PriceId, from: boolean): RecordedChange<boolean> => {
    const change = { subject: `price ${id}`, from, to: !from, at, outcome: 'unknown' }
    record.switches.push(change)
    return change
  }
  const changes = new Map(known.map(({ id, is_live }) => [id, turned(id, is_live)]))
  let answer: Answer | undefined
  const all: RecordedChange<string> = { subject: app_id, from: '', to: '', at, outcome: 'unknown' }
  try {
    await answerChange(clock, all, async () => {
      answer = await ask()
      const outcome = 'faults' in answer ? 'refused' : 'written'
      return { is_made: outcome === 'written', outcome }
    })
    const live = new Set(answer && 'state' in answer ? livePricesOf(answer) : [])
    // Those that another change added in between are turned, too.
    const dead = answer && 'state' in answer ? (answer.dead_buy_links as PriceId[]) : []
    for (const id of [...live, ...dead]) {
      if (!changes.has(id)) changes.set(id, turned(id, true))
    }
    if (all.is_made) for (const [id, change] of changes) change.to = live.has(id)
  } finally {
    const { outcome, is_made, answered_at, ended_at } = all
    for (const change of changes.values()) {
      Object.assign(change, { outcome, is_made, answered_at, ended_at })
    }
  }
  clock.pass(1)
  return answer!
}

function livePricesOf({ state }: ListingWriteResult<ListedVersion[]>): PriceId[] {
  const active = state.filter(({ is_active }) => is_active)
  return active.flatMap(({ prices }) => prices.map(({ public_id }) => public_id))
}
