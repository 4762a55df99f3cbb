import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { addDays, isoDate } from '#platform/calendar'
import type { CartId, DiscountId } from '#platform/ids'
import { sql } from '#platform/sql'
import { offerCode, setCodeState, wasTurnedOff } from './discount-actions.ts'
import type { Fixture, Shop } from './fixture.ts'
import {
  buyFrom,
  confirmSeen,
  leaveCartOpen,
  pay,
  seeTotals,
  somePerson,
} from './purchase-actions.ts'
import type { SeededRandom } from './random.ts'
import type { OfferedCode } from './record.ts'

/** What happens to codes while buyers have them, with its relative frequency. */
export const CODE_ACTIONS = [
  { name: 'offer a code for some days', weight: 3, act: offerForDays },
  { name: 'switch a code that is used', weight: 3, act: switchUsed },
  { name: 'pay with a code that changes', weight: 8, act: payLater },
] as const

/** A seller offers a code that begins or ends soon. */
async function offerForDays(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const now = fixture.world.clock.now()
  const first = rng.odds(40) ? 1 : 0
  const offered = await offerCode(fixture, rng, {
    valid_from: first > 0 ? isoDate(addDays(now, first)) : '',
    valid_until: isoDate(addDays(now, first + rng.pick([0, 0, 1, 5]))),
    max_uses: rng.odds(40) ? '1' : '',
  })
  const code = fixture.record.codes.at(-1)!
  const isTried = code.id !== undefined && rng.odds(60)
  return isTried ? `${offered}, ${await payWith(fixture, rng, code)}` : offered
}

/** A seller turns off a code that a subscription has, or turns on one that was off. */
async function switchUsed(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, record } = fixture
  const used = await world.db.rows<{ id: DiscountId }>(sql`select distinct discount_id as id
    from subscriptions where discount_id is not null and ended_at is null order by 1`)
  const offered = record.codes.filter(({ id }) => used.some((each) => each.id === id))
  if (offered.length === 0) return undefined
  const code = rng.pick(offered)
  return await setCodeState(fixture, code, wasTurnedOff(fixture, code) && rng.odds(50))
}

/** A buyer sees the total with a code, and confirms it after something happened to the code. */
async function payLater(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { record, shops, world } = fixture
  const sold = await Promise.all(shops.map(({ id }) => apps.get(world.db, id)))
  const on_sale = new Set(sold.filter((app) => app.is_on_sale).map(({ id }) => id))
  const known = record.codes.filter(({ id, app_id }) => id !== undefined && on_sale.has(app_id))
  const switched = known.filter((each) => wasTurnedOff(fixture, each))
  const kinds = [known.slice(-3), switched, known.filter(({ max_uses }) => max_uses !== null)]
  const some = kinds.filter(({ length }) => length > 0)
  if (some.length === 0) return undefined
  const code = rng.pick(rng.pick(some))
  if (!switched.includes(code) || rng.odds(40)) return await payWith(fixture, rng, code)
  const turned = await setCodeState(fixture, code, true)
  return `${turned}, ${await payWith(fixture, rng, code)}`
}

async function payWith(fixture: Fixture, rng: SeededRandom, code: OfferedCode): Promise<string> {
  const shop = fixture.shops.find(({ id }) => id === code.app_id)!
  const prices = await catalog.livePrices(fixture.world.db, shop.id)
  const allowed = prices.filter(
    ({ product_id }) => code.product_ids.length === 0 || code.product_ids.includes(product_id),
  )
  if (allowed.length === 0) return `${code.code} is for no plan`
  const price_id = rng.pick(allowed).id
  const bought = { shop, price_id, code }
  const person = somePerson(fixture, rng)
  const cart_id = await leaveCartOpen(fixture, rng, { person, ...bought })
  if (!cart_id) return `${person.email} with ${code.code} cannot buy`
  const before = await seeTotals(fixture, cart_id)
  const happened = await changeCode(fixture, rng, bought)
  const said = before ? await confirmSeen(fixture, before) : 'card_needed'
  const then = said === 'changed' ? `, ${await payAgain(fixture, rng, cart_id)}` : ''
  return `${person.email} with ${code.code}, ${happened}: ${said}${then}`
}

async function payAgain(fixture: Fixture, rng: SeededRandom, cart_id: CartId): Promise<string> {
  return rng.odds(70) ? await pay(fixture, rng, cart_id) : 'left'
}

/** Its seller turns the code, its last day ends, or another buyer uses it. */
async function changeCode(
  fixture: Fixture,
  rng: SeededRandom,
  { code, ...bought }: { shop: Shop; price_id: catalog.ProductPrice['id']; code: OfferedCode },
): Promise<string> {
  const { world, harness } = fixture
  const another = async () =>
    await buyFrom(fixture, rng, { person: somePerson(fixture, rng), ...bought, code })
  if (code.max_uses !== null && rng.odds(60)) return await another()
  const draw = rng.below(100)
  const left = code.valid_until ? code.valid_until.getTime() - world.clock.now().getTime() : 0
  if (left > 0 && draw < 70) {
    harness.clock.pass(Math.floor(left / 1000) + rng.pick([-60, 60]))
    return 'days pass'
  }
  if (draw < 50)
    return await setCodeState(fixture, code, wasTurnedOff(fixture, code) && rng.odds(40))
  return draw < 80 ? await another() : 'nothing'
}
