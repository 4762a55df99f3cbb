import type { CartId, InvoiceId, LicenseId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import { type Discounted, discountsOf } from './discount-oracle.ts'
import type { Fixture } from './fixture.ts'
import type { Bought } from './record.ts'
import { valuesAt } from './recorded-change.ts'

interface Figures extends Discounted {
  id: string
  kind: 'purchase' | 'renewal' | 'upgrade'
  license_id: LicenseId
  cart_id: CartId
  amount: number
  discount_amount: number
  /** What was paid at another service. */
  prepaid_amount: number
  tax: number
  /** The state to which the tax is owed. */
  state: string
  fee: number
  add_on_fee: number
  commission: number
  period_start: Date
  period_end: Date | null
  created_at: Date
  /** Its refunds, from when until when: a refused refund did not happen. */
  refunds: { at: string; until: string | null; amount: number }[]
  is_waived: boolean
}

const INVOICES = sql`select i.id, i.kind, i.license_id, b.cart_id, i.amount, i.tax, i.app_id,
    (select state from tax_quotes where id = i.tax_quote_id) as state,
    i.product_id, b.product_id as bought_product_id,
    (select coalesce(-sum(amount), 0)::bigint from invoice_lines
      where invoice_id = b.id and kind = 'discount') as bought_discount,
    (select sum(amount)::bigint from invoice_lines
      where invoice_id = i.id and kind = 'price') as price_amount,
    (select coalesce(-sum(amount), 0)::bigint from invoice_lines
      where invoice_id = i.id and kind = 'discount') as discount_amount,
    (select coalesce(-sum(amount), 0)::bigint from invoice_lines
      where invoice_id = i.id and kind = 'prepaid') as prepaid_amount,
    i.fee, i.add_on_fee, i.commission, i.period_start, i.period_end, i.created_at, i.is_waived,
    coalesce((select json_agg(json_build_object('at', r.created_at, 'amount', r.amount,
        'until', case when r.status = 'refused' then r.settled_at end))
      from refunds r join charges c on c.id = r.charge_id
      where c.invoice_id = i.id), '[]') as refunds
  from invoices i join orders o on o.id = i.order_id join invoices b on b.id = o.invoice_id
  where i.status = 'paid' and i.number is not null order by i.license_id, i.paid_at, i.number`

/** The effective tax of each state of the fixture, in millionths of the price. */
const TAX_PPM: Record<string, number> = {
  TX: 50_000,
  NY: 40_000,
  WA: 65_000,
  MA: 62_500,
  OR: 0,
  CA: 0,
}

const rounded = (amount: number, part: number, whole: number) =>
  Math.floor((2 * amount * part + whole) / (2 * whole))

/**
 * Compares every amount of a paid invoice with what its buyer and seller did: the confirmed price,
 * the buy link, the buyer's address at that time, and the refunds. Nothing is taken from the
 * service's own computation.
 */
export async function figureFaults({ harness, record }: Fixture): Promise<Broken[]> {
  const invoices = await harness.db.rows<Figures>(INVOICES)
  const licenses = Map.groupBy(invoices, ({ license_id }) => license_id)
  return [...licenses].flatMap(([license_id, mine]) => {
    const bought = record.carts.get(mine[0]!.cart_id)!
    const discounts = discountsOf(mine, bought, record)
    const prices = new Set([...bought.prices, ...(record.agreed.get(license_id) ?? [])])
    return mine.flatMap((invoice, index) => {
      const discount = discounts[index]!
      const rule = faultOf(mine, index, { bought, prices, discount })
      const codes = record.codes.filter(({ code }) => code === bought.code)
      const facts = { invoice, bought, prices: [...prices], discount, codes }
      return rule ? [{ rule, facts }] : []
    })
  })
}

function faultOf(
  mine: readonly Figures[],
  index: number,
  { bought, prices, discount }: { bought: Bought; prices: ReadonlySet<number>; discount: number },
): string | undefined {
  const { kind, price_amount, prepaid_amount, amount, tax, state } = mine[index]!
  const { fee, add_on_fee, commission, is_waived } = mine[index]!
  if (!prices.has(price_amount)) return 'every price that was charged was agreed to'
  const credits = kind === 'upgrade' ? creditsOf(mine, index) : [prepaid_amount]
  if (!credits.includes(price_amount - discount - amount)) {
    return mine[index]!.discount_amount === discount
      ? 'a credit is of money that was kept'
      : 'a discount is that of the code that the buyer entered, as long as it lasts'
  }
  if (tax !== rounded(amount, TAX_PPM[state]!, 1_000_000)) {
    return 'the tax is that of the state to which it is owed'
  }
  const rate = bought.brought_by === 'service' ? 1000 : 500
  const fixed = kind === 'upgrade' && index > 0 && mine[index - 1]!.amount > 0 ? 0 : 50
  const on = (rate: number) => Math.min(amount, rounded(amount, rate, 10_000) + fixed)
  const without = on(rate)
  const isRight =
    (fee === without && add_on_fee === 0) ||
    (fee === on(rate + 200) && add_on_fee === fee - without)
  if (!isRight) return 'a fee is that of the link by which it was bought'
  if (commission !== (bought.affiliate_id && !is_waived ? Math.floor(fee / 4) : 0)) {
    return 'the affiliate who referred the buyer earns a quarter of the fee'
  }
  return undefined
}

/** The possible credits of an upgrade: refunds in the same millisecond came before or after it. */
function creditsOf(mine: readonly Figures[], index: number): number[] {
  const { period_start, created_at } = mine[index]!
  const at = created_at.getTime()
  const parallel = mine.flatMap(({ refunds }) => refunds.filter((r) => Date.parse(r.at) === at))
  const credits = subsetsOf(parallel).map((later) => {
    const earlier = mine.map((invoice) => ({
      ...invoice,
      refunds: invoice.refunds.filter((refund) => !later.includes(refund)),
    }))
    return unused(earlier, index - 1, at, period_start)
  })
  return [unused(mine, index - 1, at - 1, period_start), ...credits]
}

function subsetsOf<Item>(items: readonly Item[]): Item[][] {
  return items.reduce<Item[][]>(
    (subsets, item) => subsets.flatMap((subset) => [subset, [...subset, item]]),
    [[]],
  )
}

/** The unused part, at a time, of what was kept for a period by then. */
function unused(mine: readonly Figures[], index: number, by: number, at: Date): number {
  const invoice = mine[index]
  if (!invoice?.period_end) return 0
  const seconds = (from: Date, to: Date) => Math.floor((to.getTime() - from.getTime()) / 1000)
  const whole = seconds(invoice.period_start, invoice.period_end)
  const left = Math.min(whole, Math.max(0, seconds(at, invoice.period_end)))
  return rounded(kept(mine, index, by), left, whole)
}

/** What was kept for the period of an invoice: of its own charge, and of its credit. */
function kept(mine: readonly Figures[], index: number, by: number): number {
  const { kind, amount, tax, period_start, created_at, refunds, is_waived } = mine[index]!
  const back = refunds
    .filter(({ at, until }) => Date.parse(at) <= by && !(until && Date.parse(until) <= by))
    .reduce((sum, refund) => sum + refund.amount, 0)
  const isFree = is_waived || amount === 0
  const own = isFree ? 0 : Math.max(0, amount - (back - rounded(tax, back, amount + tax)))
  if (kind !== 'upgrade') return own
  const given = unused(mine, index - 1, created_at.getTime(), period_start)
  return own + Math.min(given, unused(mine, index - 1, by, period_start))
}

interface TaxedInvoice {
  id: InvoiceId
  license_id: LicenseId
  /** The state to which the tax is owed. */
  state: string
  /** Where the buyer lived when they bought. */
  bought_in: string
  created_at: Date
}

/** Compares the state of each invoice with the addresses that its buyer gave until then. */
export async function stateFaults({ harness, record }: Fixture): Promise<Broken[]> {
  const invoices = await harness.db.rows<TaxedInvoice>(sql`select i.id, i.license_id, q.state,
      cart.state as bought_in, i.created_at
    from invoices i join tax_quotes q on q.id = i.tax_quote_id join orders o on o.id = i.order_id
      join invoices b on b.id = o.invoice_id join carts cart on cart.id = b.cart_id`)
  const facts = invoices.filter(({ license_id, state, bought_in, created_at }) => {
    const home = { subject: license_id, at: created_at, otherwise: bought_in }
    return !valuesAt(record.states, home).has(state)
  })
  return facts.length > 0 ? [{ rule: 'tax is owed to the state where the buyer lives', facts }] : []
}
