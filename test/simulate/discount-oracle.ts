import type { AppId, CartId, ProductId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'
import type { AnswerRecord, Bought, OfferedCode } from './record.ts'
import { wasOn } from './switches.ts'

/** A paid invoice, as far as its discount depends on it. */
export interface Discounted {
  app_id: AppId
  product_id: ProductId
  price_amount: number
  /** The product of the purchase, and what a discount took off it. */
  bought_product_id: ProductId
  bought_discount: number
  created_at: Date
}

/**
 * What discounts take off the paid invoices of a license, earliest first: of the code that the
 * buyer entered, by the terms that the seller gave it, for as many periods as they say. Whether a
 * purchase had a code that has limits, or that its seller was creating or switching, is read from
 * its invoice; its uses have rules of their own.
 */
export function discountsOf(
  mine: readonly Discounted[],
  bought: Bought,
  record: AnswerRecord,
): number[] {
  const [first] = mine
  const code = record.codes.find(
    (each) => each.app_id === first?.app_id && each.code === bought.code,
  )
  const isUsed =
    code !== undefined &&
    isFor(code, first!.bought_product_id) &&
    (wasSure(record, { code, bought, until: first!.created_at }) || first!.bought_discount > 0)
  let left = isUsed ? (code.periods ?? Number.POSITIVE_INFINITY) : 0
  return mine.map(({ price_amount, product_id }) => {
    if (!code || left === 0 || !isFor(code, product_id)) return 0
    left--
    return Math.min(price_amount, offOf(code, price_amount))
  })
}

function isFor({ product_ids }: OfferedCode, product_id: ProductId): boolean {
  return product_ids.length === 0 || product_ids.includes(product_id)
}

function offOf({ percent, amount }: OfferedCode, price: number): number {
  return percent === null ? amount! : Math.floor((2 * price * percent + 100) / 200)
}

/** Whether a code applied from when its buyer entered it until they paid. */
function wasSure(
  record: AnswerRecord,
  { code, bought, until }: { code: OfferedCode; bought: Bought; until: Date },
): boolean {
  const { id, valid_from, valid_until } = code
  const at = bought.entered_at
  if (!bought.was_sure || id === undefined) return false
  if ((valid_from && at < valid_from) || (valid_until && until >= valid_until)) return false
  return wasOn({ record }, `code ${id}`, { at, until }) === true
}

interface Use {
  app_id: AppId
  cart_id: CartId
  created_at: Date
}

/** The purchases with a discount, and when they were confirmed. */
const USES = sql`select i.app_id, i.cart_id, i.created_at from invoices i
  where i.kind = 'purchase' and i.status in ('draft', 'paid')
    and exists (select 1 from invoice_lines l where l.invoice_id = i.id and l.kind = 'discount')`

/** Compares when codes gave a discount with the days for which their sellers offered them. */
export async function codeFaults({ harness, record }: Fixture): Promise<Broken[]> {
  const uses = await harness.db.rows<Use>(USES)
  const facts = uses.flatMap((use) => {
    const code = codeOf(record, use)
    const { valid_from, valid_until } = code ?? {}
    const at = use.created_at
    const isOutside = (valid_from && at < valid_from) || (valid_until && at >= valid_until)
    return isOutside ? [{ use, code }] : []
  })
  const rule = 'a code gives a discount from its first day to its last'
  return facts.length > 0 ? [{ rule, facts }] : []
}

function codeOf(
  { carts, codes }: AnswerRecord,
  { cart_id, app_id }: Pick<Use, 'cart_id' | 'app_id'>,
): OfferedCode | undefined {
  const entered = carts.get(cart_id)?.code
  return codes.find((each) => each.code === entered && each.app_id === app_id)
}
