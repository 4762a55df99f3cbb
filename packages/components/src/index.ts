/** Registers `<purser-pricing-table>` and `<purser-buy-button>`. */
import { PurserBuyButton } from './buy-button.ts'
import { PurserPricingTable } from './pricing-table.ts'

export { setDefaultService } from './element.ts'
export type { ListedPrice, ListedPrices } from './prices.ts'
export type { ComponentTexts } from './texts.ts'
export { PurserBuyButton, PurserPricingTable }

const elements = {
  'purser-pricing-table': PurserPricingTable,
  'purser-buy-button': PurserBuyButton,
}
// A server that renders pages has no custom elements; a page may load this script twice.
if (globalThis.customElements) {
  for (const [name, element] of Object.entries(elements)) {
    if (!customElements.get(name)) customElements.define(name, element)
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'purser-pricing-table': PurserPricingTable
    'purser-buy-button': PurserBuyButton
  }
}
