import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import type { NewDiscount } from '#domain/discounts'
import { createDiscount, switchDiscount } from '#flows/discounts'
import { cents, formatAmount } from '#platform/money'
import { REQUEST } from './actors.ts'
import type { Fixture, Shop } from './fixture.ts'
import type { SeededRandom } from './random.ts'
import type { OfferedCode } from './record.ts'

const actorOf = ({ seller_user_id: user_id }: Shop) =>
  ({ kind: 'seller', user_id, request_id: REQUEST }) as const

/** A seller offers a discount code; sometimes one that few may use, or for one plan. */
export async function offerCode(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, record } = fixture
  const shop = rng.pick(fixture.shops)
  const app = await apps.get(world.db, shop.id)
  const isPercent = rng.odds(60)
  const percent = isPercent ? rng.pick([5, 15, 33, 50, 97, 100]) : null
  const amount = isPercent ? null : rng.between(1, 1500)
  const periods = rng.pick([1, 1, 2, 3, null])
  const products = await catalog.products(world.db, shop.id)
  const product_ids = rng.odds(25) && products.length > 0 ? [rng.pick(products).id] : []
  const max_uses = rng.odds(30) ? String(rng.between(1, 3)) : ''
  const [is_once_per_buyer, is_first_purchase] = [rng.odds(25), rng.odds(15)]
  const offered: OfferedCode = {
    app_id: shop.id,
    code: `CODE-${record.codes.length + 1}`,
    percent,
    amount,
    periods,
    product_ids,
    // Until the answer arrives, the code may not exist.
    is_sure: false,
  }
  record.codes.push(offered)
  const entered: NewDiscount = {
    code: offered.code.toLowerCase(),
    amount: isPercent ? String(percent) : formatAmount(cents(amount!)),
    unit: isPercent ? 'percent' : 'dollars',
    lasts: periods === null ? 'forever' : 'periods',
    periods: String(periods ?? ''),
    valid_from: '',
    valid_until: '',
    max_uses,
    is_once_per_buyer,
    is_first_purchase,
    product_ids,
  }
  const made = await createDiscount(world, actorOf(shop), { app, entered })
  if ('faults' in made) return `refused: ${made.faults[0]?.message}`
  offered.is_sure = max_uses === '' && !is_once_per_buyer && !is_first_purchase
  offered.id = made.id
  return `${offered.code} of ${percent ?? formatAmount(cents(amount!))} for ${periods ?? 'all'}`
}

/** A seller turns a code off or on: from then on, buyers may or may not have had it. */
export async function switchCode(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, record, shops } = fixture
  const known = record.codes.filter(({ id }) => id !== undefined)
  if (known.length === 0) return undefined
  const offered = rng.pick(known)
  const shop = shops.find(({ id }) => id === offered.app_id)!
  const app = await apps.get(world.db, shop.id)
  const to = rng.pick(['on', 'off'] as const)
  offered.is_sure = false
  await switchDiscount(world, actorOf(shop), { app, id: offered.id!, to })
  return `${offered.code} ${to}`
}

/** What a buyer enters as a code, and whether it applies to every purchase at that moment. */
interface EnteredCode {
  entered: string | null
  was_sure: boolean
}

/** The code that a buyer enters: one of the shop's, one of no shop, or none. */
export function someCode({ record }: Fixture, rng: SeededRandom, shop: Shop): EnteredCode {
  const own = record.codes.filter(({ app_id }) => app_id === shop.id)
  if (own.length === 0 || rng.odds(40)) return { entered: null, was_sure: false }
  if (rng.odds(5)) return { entered: 'NO-SUCH-CODE', was_sure: false }
  const { code, is_sure } = rng.pick(own)
  return { entered: ` ${code.toLowerCase()}`, was_sure: is_sure }
}
