import { type Cents, cents, readAmount, share } from '#platform/money'

/** The fee of a sale: a share in basis points, and a fixed part in cents. */
export interface FeeRate {
  bps: number
  fixed: Cents
}

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/**
 * What a seller receives of a price, as typed: of a sale on their own site, and of one that the
 * marketplace brought. Text that is no amount above zero gets the rates of the fee.
 */
export function proceedsText(typed: string, rates: { own: FeeRate; marketplace: FeeRate }): string {
  const { own, marketplace } = rates
  const price = readAmount(typed)
  if (!price) {
    return `The fee is ${rateText(own)}, or ${rateText(marketplace)} if Purser brings the buyer.`
  }
  const left = ({ bps, fixed }: FeeRate) => {
    const fee = Math.min(price, share(price, bps, 10_000) + fixed)
    return dollars.format(cents(price - fee) / 100)
  }
  return `You receive ${left(own)}, or ${left(marketplace)} if Purser brings the buyer.`
}

function rateText({ bps, fixed }: FeeRate): string {
  return `${bps / 100}% and ${dollars.format(fixed / 100)}`
}

/** Keeps the text under each price up to date while the price is typed. */
export function startProceeds(): void {
  document.addEventListener('input', (event) => {
    const input = event.target
    if (!(input instanceof HTMLInputElement)) return
    const text = document.querySelector<HTMLElement>(`[data-proceeds="${CSS.escape(input.id)}"]`)
    if (text) text.textContent = proceedsText(input.value, JSON.parse(text.dataset.rates ?? ''))
  })
}
