import type { AppId, PriceId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'
import type { RecordedOffer } from './record.ts'
import { valuesDuring } from './recorded-change.ts'
import { idsOf, type SwitchName, wasOn } from './switches.ts'

/**
 * Compares what could be bought, and was, with the answers to those who took apps and prices off
 * sale and put them on sale again.
 */
export async function saleFaults(fixture: Fixture): Promise<Broken[]> {
  const { offers } = fixture.record
  const wrong = offers.filter((offer) => {
    const was = wasForSale(fixture, offer)
    // A purchase that goes on may have been recorded before: see the periods in which it is off.
    return offer.is_refused ? was === true : was === false && offer.what === 'link'
  })
  return [
    { rule: 'what is for sale can be bought, and nothing else', facts: wrong },
    {
      rule: 'nothing is sold or paid out after the answer that it is off',
      facts: await recordedWhileOff(fixture),
    },
    { rule: 'apps and prices are as their sellers left them', facts: await otherStates(fixture) },
  ].filter(({ facts }) => facts.length > 0)
}

/** Whether an app was for sale at a price; undefined if that may have changed in between. */
function wasForSale(fixture: Fixture, offer: RecordedOffer): boolean | undefined {
  const { app_id, price_id, at, until } = offer
  const names: SwitchName[] = [`published ${app_id}`, `allowed ${app_id}`, `price ${price_id}`]
  const states = names.map((name) => wasOn(fixture, name, offer))
  states.push(wasApproved(fixture, offer))
  // Either of two sellers may have had it, but each of them was active or suspended.
  const otherwise = fixture.shops.find(({ id }) => id === app_id)!.seller_id
  const during = { subject: app_id, from: at, until, otherwise }
  const sellers = [...valuesDuring(fixture.record.sellers, during)]
  const active = sellers.map((seller_id) => wasOn(fixture, `active ${seller_id}`, offer))
  states.push(active.every((each) => each === active[0]) ? active[0] : undefined)
  if (states.includes(false)) return false
  return states.includes(undefined) ? undefined : true
}

/** Whether an app was approved: until it was transferred, and from its new approval on. */
function wasApproved(
  { record }: Fixture,
  { app_id, at, until }: Pick<RecordedOffer, 'app_id' | 'at' | 'until'>,
): boolean | undefined {
  const subject = `approved ${app_id}`
  const transfers = record.sellers.filter((transfer) => transfer.subject === app_id)
  const off = transfers.map((transfer) => ({ ...transfer, subject, from: true, to: false }))
  const turned = [...record.switches.filter((each) => each.subject === subject), ...off]
  turned.sort((one, other) => one.at.getTime() - other.at.getTime())
  const values = valuesDuring(turned, { subject, from: at, until, otherwise: true })
  if (off.length === 0) return true
  return values.size > 1 ? undefined : values.has(true)
}

/** What was recorded in a period in which its switch was off from the first to the last moment. */
async function recordedWhileOff(fixture: Fixture): Promise<unknown[]> {
  const facts: unknown[] = []
  for (const { name, what, recorded, before, after } of fixture.record.off.all) {
    const ids = after ?? (await idsOf(fixture, recorded))
    const found = ids.filter((id) => !before.has(id))
    if (found.length > 0) facts.push({ name, what, found })
  }
  return facts
}

interface SoldApp {
  id: AppId
  is_published: boolean
  is_allowed: boolean
}

interface SoldPrice {
  id: PriceId
  is_live: boolean
}

async function otherStates(fixture: Fixture): Promise<unknown[]> {
  const { harness, world } = fixture
  const sold = await harness.db.rows<SoldApp>(sql`select id, is_published,
    suspended_at is null as is_allowed from apps`)
  const prices = await harness.db.rows<SoldPrice>(sql`select r.id,
      r.deleted_at is null and p.deleted_at is null as is_live
    from prices r join products p on p.id = r.product_id`)
  const now = { at: world.clock.now(), until: world.clock.now() }
  const isOther = (name: SwitchName, is: boolean) => wasOn(fixture, name, now) === !is
  return [
    ...sold.filter(({ id, is_published, is_allowed }) => {
      return isOther(`published ${id}`, is_published) || isOther(`allowed ${id}`, is_allowed)
    }),
    ...prices.filter(({ id, is_live }) => isOther(`price ${id}`, is_live)),
  ]
}
