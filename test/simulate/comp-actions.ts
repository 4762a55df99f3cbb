import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import { endNow, givePlan } from '#flows/subscription'
import { addSeconds } from '#platform/calendar'
import type { AppId, ProductId } from '#platform/ids'
import { sql } from '#platform/sql'
import { REQUEST } from './actors.ts'
import { someLicense } from './buyer-actions.ts'
import { type Fixture, PLACES, type Shop } from './fixture.ts'
import { buyAs } from './purchase-actions.ts'
import type { SeededRandom } from './random.ts'
import type { RecordedComp } from './record.ts'

const DAY = 86_400

const actorOf = ({ seller_user_id: user_id }: Shop) =>
  ({ kind: 'seller', user_id, request_id: REQUEST }) as const

/** What happens to given plans, with its relative frequency. */
export const COMP_ACTIONS = [
  { name: 'give a plan', weight: 6, act: giveSomePlan },
  { name: 'end a given plan', weight: 2, act: endEarly },
  { name: 'buy after a given plan', weight: 2, act: buyAfterComp },
] as const

/** A seller gives a plan: until a day, which may be over, or without an end. */
async function giveSomePlan(fixture: Fixture, rng: SeededRandom): Promise<string> {
  const { world, record } = fixture
  const { app_id, email_normalized } = await someReceiver(fixture, rng)
  const shop = fixture.shops.find(({ id }) => id === app_id)!
  const length = rng.between(-1, 45) * DAY + rng.below(DAY)
  const ends_at = rng.odds(70) ? addSeconds(world.clock.now(), length) : null
  const comp: RecordedComp = {
    app_id,
    email_normalized,
    product_id: await someProduct(fixture, rng, app_id),
    ends_at,
    at: world.clock.now(),
    outcome: 'unknown',
  }
  record.comps.push(comp)
  const given = await givePlan(world, actorOf(shop), {
    ...comp,
    email: email_normalized,
    reason: 'A contributor',
  })
  comp.answered_at = world.clock.now()
  comp.outcome = given.outcome
  if (given.outcome === 'given') comp.license_id = given.license_id
  if (given.outcome === 'owned') comp.license_id = given.license.license_id
  const until = ends_at?.toISOString().slice(0, 16).replace('T', ' ') ?? 'the seller ends it'
  return `${comp.product_id} to ${email_normalized} until ${until}: ${given.outcome}`
}

type Receiver = Pick<RecordedComp, 'app_id' | 'email_normalized'>

/** Someone who is paying, whose license is over, who bought, who was given a plan, or new. */
async function someReceiver(fixture: Fixture, rng: SeededRandom): Promise<Receiver> {
  const { world, people, record } = fixture
  const draw = rng.below(100)
  const { id: app_id } = rng.pick(fixture.shops)
  if (draw < 20) {
    const paying = await world.db.rows<Receiver>(sql`select app_id, email_normalized from attempts
      where status in ('open', 'action_required') order by number`)
    if (paying.length > 0) return rng.pick(paying)
  }
  if (draw < 30) {
    const former = await world.db.rows<Receiver>(sql`select l.app_id, u.email_normalized
      from licenses l join users u on u.id = l.user_id
      where l.status = 'canceled' and u.email like '%@example.com' order by l.created_at, l.id`)
    if (former.length > 0) return rng.pick(former)
  }
  if (draw < 60 && people.length > 0) {
    // The latest person may be buying at this moment.
    const { email_normalized } = rng.odds(40) ? people.at(-1)! : rng.pick(people)
    return { app_id, email_normalized }
  }
  if (draw < 75 && record.comps.length > 0) return rng.pick(record.comps)
  const { email_normalized } = identity.readEmail(`given-${record.comps.length}@example.com`)!
  return { app_id, email_normalized }
}

/** A plan of the app; rarely one of another app. */
async function someProduct(
  { world, shops }: Fixture,
  rng: SeededRandom,
  app_id: AppId,
): Promise<ProductId> {
  const other = shops.find(({ id }) => id !== app_id)!.id
  return rng.pick(await catalog.products(world.db, rng.odds(5) ? other : app_id)).id
}

/** The seller ends a given plan early, or one that is over. */
async function endEarly(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, record, shops } = fixture
  const where = sql`l.origin = 'comp' and (${rng.odds(15)} or l.status <> 'canceled')`
  const owned = await someLicense(fixture, rng, where)
  if (!owned) return undefined
  const { license_id } = owned
  const shop = shops.find(({ id }) => id === owned.app_id)!
  const request = record.ask('comp_end', license_id)
  const reason = 'No longer a contributor'
  const ended = await endNow(world, actorOf(shop), { license_id, reason })
  request.outcome = ended ? 'ended' : 'over'
  return `${license_id} ${request.outcome}`
}

/** A person buys from an app that gave them a plan, before or after it ended. */
async function buyAfterComp(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { record, shops } = fixture
  const given = record.comps.filter(({ outcome }) => outcome === 'given')
  if (given.length === 0) return undefined
  const { app_id, email_normalized } = rng.pick(given)
  const person = { email: email_normalized, email_normalized, ...rng.pick(PLACES) }
  return await buyAs(fixture, rng, person, shops.find(({ id }) => id === app_id)!)
}
