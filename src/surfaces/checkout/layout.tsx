import type { PriceFrequency } from '#design/money'
import { type OrderFigures, OrderSummary, type PricedOrder, Total } from '#design/order'
import type { Locale } from '#platform/language/locale'
import type { Cents } from '#platform/money'

/** The order summary beside every step. */
export interface PurchaseSummary {
  /** The language of the page. */
  locale: Locale
  app_name: string
  /** The path of the app's icon; undefined if it has none. */
  app_icon: string | undefined
  product_name: string
  amount: Cents
  frequency: PriceFrequency
  figures: OrderFigures
  /** A banner, for test mode or a preview. */
  notice: string | undefined
}

/** The facts that every step shows. */
export interface Step {
  purchase: PurchaseSummary
  csrf_token: string
}

/** App and plan in one name. */
export const nameOf = ({ app_name, product_name }: PurchaseSummary) => `${app_name} ${product_name}`

/** The figures of the order summary. */
export function pricedOrder({ figures, amount, frequency }: PurchaseSummary): PricedOrder {
  return { ...figures, amount, frequency }
}

/** The layout of a step: seller's name and order summary. */
export function layoutOf(purchase: PurchaseSummary) {
  const { total, tax, total_label } = purchase.figures
  const { t, money } = purchase.locale
  const isDue = tax !== null && total_label === undefined
  return {
    locale: purchase.locale,
    app_name: purchase.app_name,
    app_icon: purchase.app_icon,
    selling: true,
    notice: purchase.notice,
    summary_line: isDue ? (
      t('checkout.summary_due', { amount: money(total) })
    ) : (
      <Total amount={total} taxed={tax !== null} />
    ),
    summary: <OrderSummary {...pricedOrder(purchase)} product_name={nameOf(purchase)} />,
  }
}
