/** What both elements share: when they render, their fallback, errors and events. */
import { LINK_ATTRIBUTES, linkOf, serviceOf, setService } from './links.ts'
import { type ListedPrice, type ListedPrices, loadPrices } from './prices.ts'
import { addLayout } from './style.ts'
import { type ComponentTexts, isolated, priceText, TEXT_ATTRIBUTES, textOf } from './texts.ts'

/** The page's own content of an element, which remains where prices cannot be shown. */
type Fallback = readonly ChildNode[]

// A server that renders pages has no HTMLElement, and may import this module.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement

/** The elements that have no service yet. */
const waiting = new Set<PurserElement>()

/** Sets the service of elements without the attribute `service`, also of those in the page. */
export function setDefaultService(url: string): void {
  setService(url)
  for (const element of waiting) element.refresh()
  waiting.clear()
}

/** Creates an element with text, attributes and children. */
export function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/**
 * An element in the page's own DOM, so that the page's styles apply. Events: `purser-loaded`,
 * `purser-error` and the cancelable `purser-buy`.
 */
export abstract class PurserElement extends Base {
  static observedAttributes = [
    'client-id',
    'price-id',
    'service',
    ...LINK_ATTRIBUTES,
    ...TEXT_ATTRIBUTES,
  ]

  #texts: Partial<ComponentTexts> = {}
  #fallback: Fallback | undefined
  /** Counts loads: the answer to an older one is ignored. */
  #load = 0

  /** Texts that replace the defaults and the attributes. */
  get texts(): Partial<ComponentTexts> {
    return this.#texts
  }
  set texts(texts: Partial<ComponentTexts>) {
    this.#texts = texts
    this.refresh()
  }

  /** Renders again, and loads prices that are older than a minute. */
  refresh(): void {
    if (!this.isConnected || !this.#fallback) return
    void this.#render()
  }

  connectedCallback(): void {
    addLayout(this)
    // The parser may still be adding the content of this element.
    const isParsing = !this.#fallback && document.readyState === 'loading'
    if (!isParsing) this.#begin()
    else document.addEventListener('DOMContentLoaded', () => this.#begin(), { once: true })
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (before !== after) this.refresh()
  }

  #begin(): void {
    this.#fallback ??= [...this.childNodes]
    this.refresh()
  }

  /** The page's own content of this element. */
  get fallback(): Fallback {
    return this.#fallback ?? []
  }

  async #render(): Promise<void> {
    const load = ++this.#load
    const isCurrent = () => load === this.#load && this.isConnected
    // The page's own script may still set attributes or the service in this turn.
    await null
    if (!isCurrent()) return
    const service = serviceOf(this)
    const client_id = this.getAttribute('client-id')
    if (!service) waiting.add(this)
    if (!service || !client_id) {
      this.removeAttribute('aria-busy')
      return this.renderWithoutPrices(service)
    }
    this.setAttribute('aria-busy', 'true')
    this.renderLoading(service)
    try {
      const prices = await loadPrices(service, client_id)
      if (!isCurrent()) return
      this.removeAttribute('aria-busy')
      this.renderPrices(prices)
      this.#send('purser-loaded', prices)
    } catch (error) {
      if (!isCurrent()) return
      this.removeAttribute('aria-busy')
      this.renderError(service)
      this.#send('purser-error', { error })
    }
  }

  protected abstract renderLoading(service: string): void
  protected abstract renderPrices(prices: ListedPrices): void
  protected abstract renderError(service: string): void
  protected abstract renderWithoutPrices(service: string): void

  #send(name: string, detail: unknown): boolean {
    const options = { detail, bubbles: true, composed: true, cancelable: true }
    return this.dispatchEvent(new CustomEvent(name, options))
  }

  /** Lets the page cancel a click on a buy link. */
  protected announceBuy(link: HTMLAnchorElement, price: ListedPrice | { public_id: string }): void {
    link.addEventListener('click', (click) => {
      if (!this.#send('purser-buy', { price, url: link.href })) click.preventDefault()
    })
  }

  /** A buy link. Its name has the price; so does its text, if it `says_price`. */
  protected buyLink(price: ListedPrice, says_price: boolean): HTMLAnchorElement {
    const text = priceText(this, price)
    const values = { plan: price.product_name, price: text.cloneNode(true) }
    const label = textOf(this, 'buy', values)
    const full = label.textContent.includes(text.textContent)
      ? label
      : isolated(label.cloneNode(true), ', ', text)
    const attributes = {
      class: 'purser-buy',
      href: linkOf(this, price.buy_url),
      'aria-label': full.textContent,
    }
    const link = create('a', attributes, says_price ? full : label)
    this.announceBuy(link, price)
    return link
  }

  /** The message that prices cannot be loaded, with a button to try again. */
  protected errorMessage(): HTMLElement {
    const retry = create('button', { type: 'button', class: 'purser-retry' }, textOf(this, 'retry'))
    retry.addEventListener('click', () => {
      // The button goes away: the focus stays at the element.
      this.tabIndex = -1
      this.focus()
      this.refresh()
    })
    const text = create('span', {}, textOf(this, 'error'))
    return create('p', { class: 'purser-error', role: 'alert' }, text, ' ', retry)
  }
}
