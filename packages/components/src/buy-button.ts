import { create, PurserElement } from './element.ts'
import { linkOf } from './links.ts'
import type { ListedPrices } from './prices.ts'
import { textOf } from './texts.ts'

/**
 * `<purser-buy-button price-id="prc_…">`: a buy link. With `client-id` it shows the plan and the
 * live price; without it, or while they load, its own content. It always works as a link.
 */
export class PurserBuyButton extends PurserElement {
  protected override renderLoading(service: string): void {
    this.#renderLink(service)
  }

  /** The link needs no prices, so an error changes nothing that a buyer needs. */
  protected override renderError(service: string): void {
    this.#renderLink(service)
  }

  protected override renderWithoutPrices(service: string): void {
    this.#renderLink(service)
  }

  protected override renderPrices({ prices }: ListedPrices): void {
    const price = prices.find(({ public_id }) => public_id === this.getAttribute('price-id'))
    if (!price) {
      const text = textOf(this, 'unavailable')
      this.replaceChildren(create('span', { class: 'purser-empty', role: 'status' }, text))
      return
    }
    this.replaceChildren(this.buyLink(price, true))
  }

  /** The page's own link with the parameters of this element, or a link around its content. */
  #renderLink(service: string): void {
    const public_id = this.getAttribute('price-id')
    // Without an ID of a price, the page's own link is better than one that leads nowhere.
    if (!service || !public_id?.startsWith('prc_')) {
      this.replaceChildren(...this.fallback)
      console.error('<purser-buy-button> needs the attributes price-id (prc_…) and service, a URL.')
      return
    }
    const content = create('a', {}, ...this.fallback.map((node) => node.cloneNode(true)))
    const link = content.querySelector('a') ?? content
    if (!link.textContent?.trim())
      link.textContent = textOf(this, 'buy', { plan: '' }).textContent.trim()
    link.classList.add('purser-buy')
    link.href = linkOf(this, `${service}/buy/${encodeURIComponent(public_id)}/`)
    this.announceBuy(link, { public_id })
    this.replaceChildren(link)
  }
}
