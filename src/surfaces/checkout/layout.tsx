import type { PriceFrequency } from '#design/money'
import { type OrderFigures, OrderSummary, Total } from '#design/order'

/** What stands beside every step: whose product it is, and what it costs. */
export interface PurchaseSummary {
  app_name: string
  product_name: string
  amount_cents: number
  frequency: PriceFrequency
  figures: OrderFigures
  /** What is said across the top: that no real card is charged, or that nothing is. */
  notice: string | undefined
}

/** What every page of a step shows. */
export interface Step {
  purchase: PurchaseSummary
  csrf_token: string
}

/** The app and its plan, as people say it. */
export const nameOf = ({ app_name, product_name }: PurchaseSummary) => `${app_name} ${product_name}`

/** The page around every step: the seller's name, and the order beside it. */
export function layoutOf(purchase: PurchaseSummary) {
  const { total_cents, tax_cents } = purchase.figures
  return {
    app_name: purchase.app_name,
    selling: true,
    notice: purchase.notice,
    summary_line: <Total cents={total_cents} taxed={tax_cents !== null} />,
    summary: (
      <OrderSummary
        {...purchase.figures}
        product_name={nameOf(purchase)}
        amount_cents={purchase.amount_cents}
        frequency={purchase.frequency}
      />
    ),
  }
}

/** A page that tells of a fault says so first, where a screen reader hears it first. */
export const titled = (title: string, faulty: boolean) => (faulty ? `Error: ${title}` : title)
