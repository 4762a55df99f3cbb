import type { JSX } from 'preact'
import { Actions, BackLink, Button } from '#design/actions'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day, frequencyText, type PriceFrequency, priceText, taxLabel } from '#design/money'
import { LineItems } from '#design/order'
import { PageHeader } from '#design/page-header'
import { DescriptionList } from '#design/panels'
import { PlanCard, PlanGrid, type PlanPrice } from '#design/plans'
import type { CodeDiscount } from '#domain/billing'
import type { Product, ProductPrice } from '#domain/catalog'
import type { PriceId } from '#platform/ids'
import type { Locale } from '#platform/language/locale'
import { type Cents, cents, ZERO } from '#platform/money'
import { type ManageLayoutFacts, QuestionPage } from './layout.tsx'
import type { Note } from './notes.ts'

/** The plans and prices of an app, with the current one marked. */
export function ChoosePlanPage(
  facts: ManageLayoutFacts & {
    products: Product[]
    /** The prices at what this buyer pays, each with its total including sales tax. */
    prices: (ProductPrice & { total: Cents })[]
    current_price_id: PriceId
    pending_price_id: PriceId | null
  },
): JSX.Element {
  const { at, prices, locale } = facts
  const { t, money } = locale
  const priceOf = ({
    id,
    amount,
    frequency,
    total,
  }: ProductPrice & { total: Cents }): PlanPrice => {
    const note =
      total === amount ? t('portal.without_tax') : t('portal.with_tax', { amount: money(total) })
    const price = { amount, frequency, note }
    if (id === facts.current_price_id) return { ...price, mark: t('portal.your_plan') }
    if (id === facts.pending_price_id) return { ...price, mark: t('portal.scheduled') }
    return { ...price, href: at(`plan/${id}/`), action: t('portal.choose') }
  }
  const plans = facts.products
    .map((product) => ({
      product,
      prices: prices.filter(({ product_id }) => product_id === product.id).map(priceOf),
    }))
    .filter(({ prices }) => prices.length > 0)
  return (
    <SiteLayout
      locale={locale}
      title={t('portal.choose_page_title', { app: facts.app_name })}
      notice={facts.notice}
    >
      <div class="grid gap-6">
        <PageHeader
          title={t('portal.change_plan')}
          back={{ label: t('portal.your_purchase_of', { app: facts.app_name }), href: at() }}
        >
          {t('portal.choose_text')}
        </PageHeader>
        <h2 class="sr-only">{t('portal.plans_and_prices')}</h2>
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
interface PlanChangeFacts {
  from: string
  to: { product_name: string; amount: Cents; frequency: PriceFrequency }
  /** True if only the frequency changes. */
  same_plan: boolean
  when: 'now' | 'in_trial' | 'period_end'
  /** Whether a trial runs, which a change that is charged now ends. */
  is_trial: boolean
  /** What the discount of the subscription takes off the first period. */
  discount: CodeDiscount | undefined
  /** The number of later periods it applies to; null if it applies to all of them. */
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
  /** Whether the plan pauses at the end of the period, until the buyer resumes. */
  pauses: boolean
  /** The name of the card that this charge and later ones use. */
  card: string
  locale: Locale
}

/**
 * The cost and date of a plan change, and one main button: to confirm it or, once the card was
 * declined, to use another one.
 */
export function PlanChangePage(
  facts: ManageLayoutFacts &
    PlanChangeFacts & { note: Note | undefined; action: string; agreement: string },
): JSX.Element {
  const { note, at } = facts
  const { t } = facts.locale
  const text = textsOf(facts)
  const needsOtherCard = note?.needs_other_card === true
  return (
    <QuestionPage {...facts} title={text.title} intro={text.intro}>
      {facts.when === 'now' && <Lines {...facts} />}
      <p class="text-sm">{later(facts)}</p>
      <DescriptionList items={[{ term: t('portal.card'), detail: facts.card }]} />
      {needsOtherCard && <OtherCard {...facts} kind="primary" />}
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        <input type="hidden" name="agreement" value={facts.agreement} />
        <Button
          kind={needsOtherCard ? 'plain' : 'primary'}
          {...(facts.when === 'now' ? { icon: 'lock' as const } : {})}
          pending={text.pending}
          wide
        >
          {text.action}
        </Button>
      </Form>
      {!needsOtherCard && <OtherCard {...facts} kind="ghost" />}
      <Actions>
        <BackLink href={at('plan/')}>{t('portal.other_plans')}</BackLink>
      </Actions>
    </QuestionPage>
  )
}

function OtherCard(facts: ManageLayoutFacts & { kind: 'primary' | 'ghost' }): JSX.Element {
  const { t } = facts.locale
  return (
    <Form action={facts.at('card')} csrf_token={facts.csrf_token}>
      <Button kind={facts.kind} icon="card" pending={t('portal.opening')} wide>
        {t('portal.other_card')}
      </Button>
    </Form>
  )
}

function Lines(facts: PlanChangeFacts): JSX.Element {
  const { from, to, discount, credit, due, tax, total, state, is_waived, locale } = facts
  const { t } = locale
  const items = [{ label: nameOf(to, locale), amount: to.amount }]
  if (discount) {
    items.push({
      label: t('portal.discount_line', { code: discount.code }),
      amount: cents(0 - discount.amount),
    })
  }
  if (credit > 0)
    items.push({ label: t('portal.unused_time', { plan: from }), amount: cents(0 - credit) })
  return (
    <LineItems
      items={items}
      subtotal={due}
      tax={tax}
      tax_label={taxLabel({ state, amount: due, tax }, locale)}
      deduction={is_waived ? { label: t('portal.waived'), amount: cents(0 - total) } : undefined}
      total={is_waived ? ZERO : total}
    />
  )
}

function nameOf({ product_name, frequency }: PlanChangeFacts['to'], locale: Locale): string {
  const price = frequencyText(frequency, locale)
  return locale.t('portal.plan_price', { plan: product_name, price })
}

function textsOf(facts: PlanChangeFacts) {
  const { to, same_plan, when, is_trial, total, changes_at, period_end, is_waived } = facts
  const { pauses, locale } = facts
  const { t, rich, day, money } = locale
  const { product_name, frequency } = to
  const plan =
    same_plan && frequency ? t(`portal.plan_${frequency}`, { plan: product_name }) : product_name
  const title = t('portal.change_to', { plan })
  if (when === 'now') {
    const intro = t(is_trial ? 'portal.change_ends_trial' : 'portal.change_now', { plan })
    if (is_waived || total === ZERO) {
      return { title, intro, action: title, pending: t('portal.changing') }
    }
    const pay = is_trial ? 'portal.pay_change' : 'portal.pay_upgrade'
    const action = t(pay, { amount: money(total) })
    return { title, intro, action, pending: t('portal.paying') }
  }
  if (when === 'in_trial') {
    const intro = t('portal.change_in_trial', { day: day(period_end!) })
    return { title, intro, action: title, pending: t('portal.changing') }
  }
  const intro_id = pauses ? 'portal.change_after_pause' : 'portal.change_later'
  const intro = <>{rich(intro_id, { day: <Day date={changes_at} /> })}</>
  const action = pauses ? title : t('portal.change_on', { day: day(changes_at) })
  return { title, intro, action, pending: t('portal.saving') }
}

/** A sentence about the later charges. */
function later(facts: PlanChangeFacts): string {
  const { to, when, changes_at, period_end, auto_renew, pauses, locale } = facts
  const { t, day } = locale
  if (!to.frequency) {
    if (when !== 'period_end') return t('portal.one_time')
    if (pauses) return t('portal.pay_once_after_pause', { cost: costOf(facts) })
    return t('portal.pay_once_on', { cost: costOf(facts), day: day(changes_at) })
  }
  if (!auto_renew) return t('portal.renew_is_off', { day: day(period_end!) })
  const first = day(when === 'period_end' ? changes_at : period_end!)
  const running = when === 'now' ? 'portal.renews_next' : 'portal.renews_first'
  const id = pauses ? 'portal.renews_after_pause' : running
  return t(id, { price: priceOfPeriods(facts), day: first })
}

/** The cost of each period, and for how long it includes the discount. */
function priceOfPeriods(facts: PlanChangeFacts): string {
  const { discount, discounted_periods: count, to, locale } = facts
  const { t } = locale
  const price = t('money.price', {
    amount: costOf(facts),
    frequency: frequencyText(to.frequency, locale),
  })
  if (!discount || count === 0) return price
  const { code } = discount
  if (count === null) return t('portal.price_discounted', { price, code })
  const then = priceText(to.amount, to.frequency, locale)
  return t('portal.price_discounted_for', { price, count, code, then })
}

/** The cost of a period: "$100.80 ($96.00 and $4.80 sales tax)". */
function costOf({ renewal, state, locale: { t, money } }: PlanChangeFacts): string {
  const { amount, tax, total, is_exact } = renewal
  const cost = { total: money(total), amount: money(amount), tax: money(tax) }
  if (tax === 0) {
    return is_exact
      ? t('portal.cost_untaxed', cost)
      : t('portal.cost_untaxed_current', { ...cost, state })
  }
  return is_exact ? t('portal.cost_exact', cost) : t('portal.cost_current', { ...cost, state })
}
