import { create, PurserElement } from './element.ts'
import type { ListedPrice, ListedPrices } from './prices.ts'
import { isolated, moneyText, priceText, textOf } from './texts.ts'

type SwitchFrequency = 'month' | 'year'

/** A column: a plan with its prices. */
interface Plan {
  name: string
  prices: ListedPrice[]
}

let groups = 0

/**
 * `<purser-pricing-table client-id="app_…">`: the plans of an app with live prices and buy links.
 * Its content, such as static buy links, is shown until the prices are there, and without scripts.
 */
export class PurserPricingTable extends PurserElement {
  static override observedAttributes = [
    ...PurserElement.observedAttributes,
    'frequency',
    'free-url',
    'heading-level',
  ]

  #chosen: SwitchFrequency | undefined

  protected override renderLoading(): void {
    // What is shown already stays until there is something newer.
    if (this.querySelector('.purser-plans')) return
    const status = create('p', { class: 'purser-loading', role: 'status' })
    const isEmpty = this.fallback.every((node) => !node.textContent?.trim())
    this.replaceChildren(...this.fallback, status)
    status.append(textOf(this, 'loading'))
    // The page's own content says enough while the prices load.
    if (!isEmpty) status.className = 'purser-status'
  }

  protected override renderError(): void {
    this.replaceChildren(this.errorMessage(), ...this.fallback)
  }

  protected override renderWithoutPrices(): void {
    this.replaceChildren(...this.fallback)
    console.error('<purser-pricing-table> needs the attributes client-id and service, a URL.')
  }

  protected override renderPrices(listed: ListedPrices): void {
    const plans = plansOf(listed)
    if (plans.length === 0 && !listed.has_free_tier) {
      const text = textOf(this, 'empty')
      this.replaceChildren(create('p', { class: 'purser-empty', role: 'status' }, text))
      return
    }
    const list = create('ul', { class: 'purser-plans', role: 'list' })
    const isSwitched = plans.some(hasBoth)
    this.#chosen ??= this.getAttribute('frequency') === 'year' ? 'year' : 'month'
    const fill = () => list.replaceChildren(...this.#columns(listed, plans))
    fill()
    this.replaceChildren(...(isSwitched ? this.#switch(fill) : []), list)
  }

  #columns(listed: ListedPrices, plans: Plan[]): HTMLLIElement[] {
    const free = listed.has_free_tier ? [this.#freeColumn(listed)] : []
    return [...free, ...plans.map((plan) => this.#column(plan))]
  }

  #column(plan: Plan): HTMLLIElement {
    const isShown = ({ frequency }: ListedPrice) =>
      !hasBoth(plan) || !isSwitchable(frequency) || frequency === this.#chosen
    const prices = plan.prices.filter(isShown).flatMap((price) => {
      const text = create('p', { class: 'purser-price' }, priceText(this, price))
      return [text, this.buyLink(price, false)]
    })
    return create('li', { class: 'purser-plan' }, this.#heading(isolated(plan.name)), ...prices)
  }

  #freeColumn({ prices }: ListedPrices): HTMLLIElement {
    const price = isolated(moneyText(this, 0, prices[0]?.currency ?? 'usd'))
    const url = this.getAttribute('free-url')
    const label = textOf(this, 'start')
    return create(
      'li',
      { class: 'purser-plan purser-free' },
      this.#heading(textOf(this, 'free')),
      create('p', { class: 'purser-price' }, price),
      ...(url ? [create('a', { class: 'purser-buy', href: url }, label)] : []),
    )
  }

  #heading(text: HTMLElement): HTMLElement {
    const level = Number(this.getAttribute('heading-level'))
    const tag = `h${level >= 1 && level <= 6 ? level : 3}` as 'h3'
    return create(tag, { class: 'purser-plan-name' }, text)
  }

  /** The choice between monthly and yearly prices, and what screen readers say after it. */
  #switch(fill: () => void): HTMLElement[] {
    const status = create('p', { class: 'purser-status', role: 'status' })
    const name = `purser-frequency-${++groups}`
    const options = (['month', 'year'] as const).map((value) => {
      const input = create('input', { type: 'radio', name, value })
      input.checked = value === this.#chosen
      const label = textOf(this, value)
      input.addEventListener('change', () => {
        this.#chosen = value
        fill()
        status.textContent = label.textContent
      })
      return create('label', {}, input, label)
    })
    const legend = create('legend', {}, textOf(this, 'billing'))
    return [create('fieldset', { class: 'purser-switch' }, legend, ...options), status]
  }
}

function isSwitchable(frequency: ListedPrice['frequency']): frequency is SwitchFrequency {
  return frequency === 'month' || frequency === 'year'
}

/** Whether a plan can be paid by month and by year. */
function hasBoth({ prices }: Plan): boolean {
  return prices.filter(({ frequency }) => isSwitchable(frequency)).length === 2
}

/** The plans in the order of the service. */
function plansOf({ prices }: ListedPrices): Plan[] {
  const plans = new Map<string, Plan>()
  for (const price of prices) {
    const { product_id: id, product_name: name } = price
    const plan = plans.get(id) ?? { name, prices: [] }
    plan.prices.push(price)
    plans.set(id, plan)
  }
  return [...plans.values()]
}
