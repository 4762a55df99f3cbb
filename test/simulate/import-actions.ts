import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import { findContinuable, openCart } from '#flows/checkout'
import { addSeconds } from '#platform/calendar'
import { addImported } from '../support/imported.ts'
import { type Fixture, PLACES } from './fixture.ts'
import { finishPurchase, sessionOf } from './purchase-actions.ts'
import type { SeededRandom } from './random.ts'

const DAY = 86_400

/** What happens to imported licenses, with its relative frequency. */
export const IMPORT_ACTIONS = [
  { name: 'import a license', weight: 3, act: importLicense },
  { name: 'continue an imported license', weight: 4, act: continueLicense },
] as const

/** A seller imports a new buyer, who paid elsewhere until a day. */
async function importLicense(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, harness, record, shops } = fixture
  const { id: app_id } = rng.pick(shops)
  const prices = await catalog.livePrices(world.db, app_id)
  const recurring = prices.filter(({ frequency }) => frequency !== null)
  if (recurring.length === 0) return undefined
  const { product_id } = rng.pick(recurring)
  const { email, email_normalized } = identity.readEmail(
    `imported-${record.imports.length}@example.com`,
  )!
  const ends_at = addSeconds(world.clock.now(), rng.between(1, 40) * DAY + rng.below(DAY))
  const person = { email, email_normalized, ...rng.pick(PLACES) }
  record.imports.push({ app_id, person, email_normalized, ends_at })
  const { clock } = harness
  const license_id = await addImported({ world, clock }, { app_id, product_id, email, ends_at })
  return `${license_id} of ${email} until ${ends_at.toISOString().slice(0, 16).replace('T', ' ')}`
}

/** The buyer of an imported license continues it with a card. */
async function continueLicense(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, record } = fixture
  if (record.imports.length === 0) return undefined
  const { app_id, person } = rng.pick(record.imports)
  const { email_normalized, state } = person
  const session = await sessionOf(fixture, person)
  const license = await licensing.findLive(world.db, { app_id, email_normalized })
  if (!session || !license) return undefined
  const app = await apps.get(world.db, app_id)
  const continuable = await findContinuable(world, app, { license, user_id: session.user_id })
  if (!continuable) return undefined
  const opened = await openCart(world, {
    app,
    price: rng.pick(continuable.prices),
    details: person,
    browser_hash: Buffer.from(email_normalized),
    next_url: null,
    session,
    affiliate_id: null,
    brought_by: 'seller',
    continues_license_id: license.license_id,
  })
  if (opened.step !== 'card') return `${license.license_id}: ${opened.step}`
  record.carts.set(opened.cart_id, {
    state,
    brought_by: 'seller',
    affiliate_id: null,
    prices: new Set(),
    email: email_normalized,
    code: null,
    entered_at: world.clock.now(),
    was_sure: true,
  })
  return `${license.license_id}: ${await finishPurchase(fixture, rng, opened.cart_id)}`
}
