import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { archiveApp, publishApp, restoreApp, unpublishApp } from '#flows/app'
import { readVersions, replaceVersions, revertChange } from '#flows/listing'
import { addDays } from '#platform/calendar'
import type { ChangeId, PriceId } from '#platform/ids'
import { sql } from '#platform/sql'
import { actingSeller } from './actors.ts'
import type { Fixture, Shop } from './fixture.ts'
import { recordVersions } from './price-switches.ts'
import { buyFrom, leaveCartOpen, pay, somePerson } from './purchase-actions.ts'
import type { SeededRandom } from './random.ts'
import { purchasesOf, setSwitch } from './switches.ts'

/** What sellers take off sale and put on sale, with its relative frequency. */
export const SALE_ACTIONS = [
  { name: 'take an app off sale', weight: 3, act: takeOffSale },
  { name: 'put an app on sale', weight: 6, act: putOnSale },
  { name: 'take a price off sale', weight: 5, act: takePriceOffSale },
  { name: 'undo a change of plans', weight: 3, act: undoPlans },
  { name: 'follow an old buy link', weight: 4, act: followOldLink },
  { name: 'leave a cart open', weight: 5, act: leaveCart },
  { name: 'return to an open cart', weight: 6, act: returnToCart },
] as const

/** A seller unpublishes or archives an app, sometimes in two tabs. */
async function takeOffSale(fixture: Fixture, rng: SeededRandom): Promise<string> {
  const shop = rng.pick(fixture.shops)
  const [what, take] = rng.odds(30)
    ? (['archived', archiveApp] as const)
    : (['unpublished', unpublishApp] as const)
  const press = () =>
    setPublished(fixture, shop, false, async () => {
      await take(fixture.world, actingSeller(shop), shop.id)
      return { is_made: true, outcome: what }
    })
  const said = await Promise.all(rng.odds(15) ? [press(), press()] : [press()])
  return `${shop.id} ${said.join(' and ')}`
}

/** A seller publishes an app that is not, which it may have to restore first. */
async function putOnSale(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, shops } = fixture
  const off = await world.db.rows<{ id: string }>(
    sql`select id from apps where not is_published order by created_at, id`,
  )
  if (off.length === 0) return undefined
  const { id: app_id } = rng.pick(off)
  const shop = shops.find(({ id }) => id === app_id)!
  if ((await apps.get(world.db, shop.id)).archived_at) {
    await restoreApp(world, actingSeller(shop), shop.id)
  }
  const said = await setPublished(fixture, shop, true, async () => {
    const outcome = await publishApp(world, actingSeller(shop), shop.id)
    return { is_made: outcome === 'published', outcome }
  })
  return `${shop.id} ${said}`
}

async function setPublished(
  fixture: Fixture,
  { id }: Shop,
  to: boolean,
  ask: Parameters<typeof setSwitch>[2],
): Promise<string> {
  return await setSwitch(fixture, { name: `published ${id}`, to, recorded: purchasesOf(id) }, ask)
}

/** A seller takes one price off sale, with its product if that has no other. */
async function takePriceOffSale(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world } = fixture
  const shop = rng.pick(fixture.shops)
  const versions = (await readVersions(world.db, shop.id)).filter(({ is_active }) => is_active)
  const prices = versions.flatMap((version) => version.prices)
  if (prices.length < 2) return undefined
  const { public_id: gone } = rng.pick(prices)
  const left = versions.flatMap(({ product_public_id: product_id, name, trial_days, prices }) => {
    const kept = prices.filter(({ public_id }) => public_id !== gone)
    return kept.length > 0 ? [{ product_id, name, trial_days, prices: kept.map(given) }] : []
  })
  const order = { app: shop, dry_run: false, versions: left }
  const answer = await recordVersions(fixture, { app_id: shop.id, is_undo: false }, () =>
    replaceVersions(world, actingSeller(shop), order),
  )
  return `${gone}: ${'faults' in answer ? answer.faults[0]?.message : 'off sale'}`
}

const given = ({ amount, frequency }: { amount: string; frequency: string | null }) => ({
  amount,
  frequency,
})

/** A seller undoes a recent change of an app's plans: what it removed is for sale again. */
async function undoPlans(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world } = fixture
  const shop = rng.pick(fixture.shops)
  const changes = await world.db.rows<{ id: ChangeId }>(sql`select id from app_changes
    where app_id = ${shop.id} and action = 'versions.replaced' order by number desc limit 3`)
  if (changes.length === 0) return undefined
  const { id: change_id } = rng.pick(changes)
  const app = await apps.get(world.db, shop.id)
  const answer = await recordVersions(fixture, { app_id: shop.id, is_undo: true }, async () => {
    const reverted = await revertChange(world, actingSeller(shop), { app, change_id })
    if (reverted === 'not_revertible') throw new Error(`${change_id} is no change of plans`)
    return reverted as Awaited<ReturnType<typeof replaceVersions>>
  })
  return `${change_id}: ${'faults' in answer ? answer.faults[0]?.message : 'undone'}`
}

/** A person follows the buy link of a price that an app had. */
async function followOldLink(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const shop = rng.pick(fixture.shops)
  const prices = await fixture.world.db.rows<{ id: PriceId }>(sql`select r.id
    from prices r join products p on p.id = r.product_id where p.app_id = ${shop.id}
      and (r.deleted_at is not null or p.deleted_at is not null) order by r.created_at, r.id`)
  if (prices.length === 0) return undefined
  const person = somePerson(fixture, rng)
  return await buyFrom(fixture, rng, { person, shop, price_id: rng.pick(prices).id })
}

/** A buyer is about to pay, and leaves. */
async function leaveCart(fixture: Fixture, rng: SeededRandom): Promise<string> {
  const shop = rng.pick(fixture.shops)
  const prices = await catalog.livePrices(fixture.world.db, shop.id)
  const wanted = { person: somePerson(fixture, rng), shop, price_id: rng.pick(prices).id }
  const cart_id = await leaveCartOpen(fixture, rng, wanted)
  if (cart_id) fixture.open_carts.push({ cart_id, at: fixture.world.clock.now() })
  return `${wanted.person.email}: ${cart_id}`
}

/** A buyer who left a cart open pays for it, unless it has expired or is not for sale. */
async function returnToCart(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const since = addDays(fixture.world.clock.now(), rng.odds(90) ? -1 : -30)
  const open = fixture.open_carts.filter(({ at }) => at > since)
  if (open.length === 0) return undefined
  const { cart_id } = rng.pick(open)
  return `${cart_id}: ${await pay(fixture, rng, cart_id)}`
}
