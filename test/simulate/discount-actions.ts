import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import type { NewDiscount } from '#domain/discounts'
import { createDiscount, switchDiscount } from '#flows/discounts'
import { addDays, readDay } from '#platform/calendar'
import { cents, formatAmount } from '#platform/money'
import { actingSeller } from './actors.ts'
import type { Fixture, Shop } from './fixture.ts'
import type { SeededRandom } from './random.ts'
import type { OfferedCode } from './record.ts'
import { setSwitch, usesOf } from './switches.ts'

/** The days of a code, in UTC, the last one included, and its number of uses; empty for none. */
type OfferedLimits = Pick<NewDiscount, 'valid_from' | 'valid_until' | 'max_uses'>

/** A seller offers a discount code; sometimes one that few may use, or for one plan. */
export async function offerCode(
  fixture: Fixture,
  rng: SeededRandom,
  limits?: OfferedLimits,
): Promise<string | undefined> {
  const { world, record } = fixture
  const shop = rng.pick(fixture.shops)
  const app = await apps.get(world.db, shop.id)
  const isPercent = rng.odds(60)
  const percent = isPercent ? rng.pick([5, 15, 33, 50, 97, 100]) : null
  const amount = isPercent ? null : rng.between(1, 1500)
  const periods = rng.pick([1, 1, 2, 3, null])
  const products = await catalog.products(world.db, shop.id)
  const product_ids = rng.odds(25) && products.length > 0 ? [rng.pick(products).id] : []
  const some_uses = rng.odds(30) ? String(rng.between(1, 3)) : ''
  const { valid_from, valid_until, max_uses } = limits ?? {
    valid_from: '',
    valid_until: '',
    max_uses: some_uses,
  }
  const [is_once_per_buyer, is_first_purchase] = [rng.odds(25), rng.odds(15)]
  const offered: OfferedCode = {
    app_id: shop.id,
    code: `CODE-${record.codes.length + 1}`,
    percent,
    amount,
    periods,
    product_ids,
    valid_from: readDay(valid_from) ?? null,
    valid_until: valid_until === '' ? null : addDays(readDay(valid_until)!, 1),
    max_uses: max_uses === '' ? null : Number(max_uses),
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
    valid_from,
    valid_until,
    max_uses,
    is_once_per_buyer,
    is_first_purchase,
    product_ids,
  }
  const made = await createDiscount(world, actingSeller(shop), { app, entered })
  if ('faults' in made) return `refused: ${made.faults[0]?.message}`
  offered.is_sure = max_uses === '' && !is_once_per_buyer && !is_first_purchase
  offered.id = made.id
  return `${offered.code} of ${percent ?? formatAmount(cents(amount!))} for ${periods ?? 'all'}`
}

/** A seller turns one of their codes off, or on again. */
export async function switchCode(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const known = fixture.record.codes.filter(({ id }) => id !== undefined)
  if (known.length === 0) return undefined
  const offered = rng.pick(known)
  return await setCodeState(fixture, offered, wasTurnedOff(fixture, offered) && rng.odds(70))
}

/** Whether a code was off before, so that it can be turned on. */
export function wasTurnedOff({ record }: Fixture, { id }: OfferedCode): boolean {
  return record.switches.some(({ subject }) => subject === `code ${id}`)
}

/** A seller turns a code off or on. */
export async function setCodeState(
  fixture: Fixture,
  { id, app_id, code }: OfferedCode,
  to: boolean,
): Promise<string> {
  const { world, shops } = fixture
  const shop = shops.find((each) => each.id === app_id)!
  const app = await apps.get(world.db, shop.id)
  const turned = { name: `code ${id!}`, to, recorded: usesOf(id!) } as const
  return await setSwitch(fixture, turned, async () => {
    const wanted = { app, id: id!, to: to ? 'on' : 'off' } as const
    const is_made = await switchDiscount(world, actingSeller(shop), wanted)
    return { is_made, outcome: `${code} ${wanted.to}` }
  })
}

/** What a buyer enters as a code, and whether it applies to every purchase at that moment. */
interface EnteredCode {
  entered: string | null
  was_sure: boolean
}

/** The code that a buyer enters: a wanted one, one of the shop's, one of no shop, or none. */
export function someCode(
  { record }: Fixture,
  rng: SeededRandom,
  { shop, wanted }: { shop: Shop; wanted: OfferedCode | undefined },
): EnteredCode {
  if (wanted) return { entered: wanted.code, was_sure: wanted.is_sure }
  const own = record.codes.filter(({ app_id }) => app_id === shop.id)
  if (own.length === 0 || rng.odds(40)) return { entered: null, was_sure: false }
  if (rng.odds(5)) return { entered: 'NO-SUCH-CODE', was_sure: false }
  const { code, is_sure } = rng.pick(own)
  return { entered: ` ${code.toLowerCase()}`, was_sure: is_sure }
}
