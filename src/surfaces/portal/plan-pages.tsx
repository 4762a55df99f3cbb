import type { JSX } from 'preact'
import { Actions, BackLink, Button } from '#design/actions'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import {
  adverbOf,
  Day,
  formatDay,
  formatMoney,
  frequencyText,
  type PriceFrequency,
  priceText,
  taxLabel,
} from '#design/money'
import { LineItems } from '#design/order'
import { Heading } from '#design/panels'
import { PlanCard, PlanGrid, type PlanPrice } from '#design/plans'
import type { CodeDiscount } from '#domain/billing'
import type { Product, ProductPrice } from '#domain/catalog'
import type { PriceId } from '#platform/ids'
import { type Cents, cents, ZERO } from '#platform/money'
import { counted } from '#platform/text'
import { type ManageLayoutFacts, type Note, QuestionPage } from './layout.tsx'

/** The plans and prices of an app, with the current one marked. */
export function ChoosePlanPage(
  facts: ManageLayoutFacts & {
    products: Product[]
    /** The prices, each with its total including sales tax. */
    prices: (ProductPrice & { total: Cents })[]
    current_price_id: PriceId
    pending_price_id: PriceId | null
  },
): JSX.Element {
  const { at, prices } = facts
  const priceOf = ({
    id,
    amount,
    frequency,
    total,
  }: ProductPrice & { total: Cents }): PlanPrice => {
    const note = total === amount ? 'No sales tax' : `${formatMoney(total)} with sales tax`
    const price = { amount: amount, frequency, note }
    if (id === facts.current_price_id) return { ...price, mark: 'Your plan' }
    if (id === facts.pending_price_id) return { ...price, mark: 'Scheduled' }
    return { ...price, href: at(`plan/${id}/`), action: 'Choose' }
  }
  const plans = facts.products
    .map((product) => ({
      product,
      prices: prices.filter(({ product_id }) => product_id === product.id).map(priceOf),
    }))
    .filter(({ prices }) => prices.length > 0)
  return (
    <SiteLayout title={`Change plan · ${facts.app_name}`} notice={facts.notice}>
      <div class="grid gap-6">
        <BackLink href={at()}>Your purchase of {facts.app_name}</BackLink>
        <Heading title="Change plan">
          You review the exact amount on the next page. Nothing is charged until you confirm.
        </Heading>
        <h2 class="sr-only">Plans and prices</h2>
        <PlanGrid>
          {plans.map(({ product, prices }) => (
            <PlanCard
              key={product.id}
              id={product.id}
              name={product.name}
              description={product.description}
              prices={prices}
            />
          ))}
        </PlanGrid>
      </div>
    </SiteLayout>
  )
}

/** A plan change, exactly as it happens once confirmed. */
export interface PlanChangeFacts {
  from: string
  to: { product_name: string; amount: Cents; frequency: PriceFrequency }
  /** True if only the frequency changes. */
  same_plan: boolean
  when: 'now' | 'in_trial' | 'period_end'
  /** What the discount of the subscription takes off the first period. */
  discount: CodeDiscount | undefined
  /** To how many of the later periods it applies; null: to all of them. */
  discounted_periods: number | null
  credit: Cents
  due: Cents
  tax: Cents
  total: Cents
  /** True if the total is too small to charge. */
  is_waived: boolean
  /** The cost of each later period, tax included. */
  renewal: { amount: Cents; tax: Cents; total: Cents; is_exact: boolean }
  state: string
  changes_at: Date
  period_end: Date | null
  auto_renew: boolean
}

/** The cost and date of a plan change, and one button. */
export function PlanChangePage(
  facts: ManageLayoutFacts &
    PlanChangeFacts & { note: Note | undefined; action: string; agreement: string },
): JSX.Element {
  const { note, at } = facts
  const text = textsOf(facts)
  return (
    <QuestionPage {...facts} title={text.title} intro={text.intro}>
      {facts.when === 'now' && <Lines {...facts} />}
      <p class="text-sm">{later(facts)}</p>
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        <input type="hidden" name="agreement" value={facts.agreement} />
        <Button
          kind="primary"
          {...(facts.when === 'now' ? { icon: 'lock' as const } : {})}
          pending={text.pending}
          wide
        >
          {text.action}
        </Button>
      </Form>
      {note?.title === 'Your card was declined' && (
        <Form action={at('card')} csrf_token={facts.csrf_token}>
          <Button icon="card" pending="Opening…" wide>
            Use another card
          </Button>
        </Form>
      )}
      <Actions>
        <BackLink href={at('plan/')}>View other plans</BackLink>
      </Actions>
    </QuestionPage>
  )
}

function Lines(facts: PlanChangeFacts): JSX.Element {
  const { from, to, discount, credit, due, tax, total, state, is_waived } = facts
  const items = [{ label: nameOf(to), amount: to.amount }]
  if (discount) {
    items.push({ label: `Discount ${discount.code}`, amount: cents(0 - discount.amount) })
  }
  if (credit > 0) items.push({ label: `Unused time on ${from}`, amount: cents(0 - credit) })
  return (
    <LineItems
      items={items}
      subtotal={due}
      tax={tax}
      tax_label={taxLabel({ state, tax })}
      {...(is_waived && {
        deduction: { label: 'Waived (below the minimum charge)', amount: cents(0 - total) },
      })}
      total={is_waived ? ZERO : total}
    />
  )
}

function nameOf({ product_name, frequency }: PlanChangeFacts['to']): string {
  return `${product_name}, ${frequencyText(frequency)}`
}

function textsOf(facts: PlanChangeFacts) {
  const { to, same_plan, when, total, changes_at, period_end, is_waived } = facts
  const rhythm = to.frequency ? `${to.product_name} (${adverbOf(to.frequency)})` : to.product_name
  const name = same_plan ? rhythm : to.product_name
  const title = `Change to ${name}`
  if (when === 'now') {
    const intro = 'The change takes effect immediately. Your key stays the same.'
    if (is_waived || total === ZERO)
      return { title, intro, action: `Change to ${name}`, pending: 'Changing…' }
    return { title, intro, action: `Pay ${formatMoney(total)} and upgrade`, pending: 'Paying…' }
  }
  if (when === 'in_trial') {
    const intro = `The change takes effect immediately. Nothing is due today. Your trial ends on ${formatDay(period_end!)}.`
    return { title, intro, action: `Change to ${name}`, pending: 'Changing…' }
  }
  const intro = (
    <>
      Your plan changes on <Day date={changes_at} />. Nothing is due today. You keep your current
      plan until then.
    </>
  )
  return { title, intro, action: `Change on ${formatDay(changes_at)}`, pending: 'Saving…' }
}

/** A sentence about the later charges. */
function later(facts: PlanChangeFacts): string {
  const { to, when, changes_at, period_end, auto_renew } = facts
  if (!to.frequency) {
    if (when !== 'period_end') return 'One-time payment. Nothing renews.'
    return `You pay ${costOf(facts)} once, on ${formatDay(changes_at)}. Nothing renews after that.`
  }
  if (!auto_renew) return `Auto-renew is off. Your subscription ends on ${formatDay(period_end!)}.`
  const price = `${costOf(facts)} ${frequencyText(to.frequency)}${discountedFor(facts)}`
  const first = formatDay(when === 'period_end' ? changes_at : period_end!)
  if (when === 'now') {
    return `Renews at ${price}. Next charge: ${first}. Cancel anytime.`
  }
  return `Renews at ${price}. First charge: ${first}. Cancel anytime.`
}

/** For how long the cost of a period includes the discount. */
function discountedFor({ discount, discounted_periods: left, to }: PlanChangeFacts): string {
  if (!discount || left === 0) return ''
  if (left === null) return ` with your discount ${discount.code}`
  const then = priceText(to.amount, to.frequency)
  return ` for ${counted(left, 'period')} with your discount ${discount.code}, then ${then} plus tax`
}

/** The cost of a period: "$100.80 ($96.00 and $4.80 sales tax)". */
function costOf({ renewal, state }: PlanChangeFacts): string {
  const { amount, tax, total, is_exact } = renewal
  const cost = `${formatMoney(total)} (${formatMoney(amount)} and ${formatMoney(tax)} sales tax`
  return is_exact ? `${cost})` : `${cost} at the current rate in ${state})`
}
