import { priceText } from '#design/money'
import type { Locale } from '#platform/language/locale'
import type { Renewing } from './manage-facts.ts'

/** A plan with its price, in one name. */
export function planName(plan: NonNullable<Renewing['pending']>, locale: Locale): string {
  const price = priceText(plan.amount, plan.frequency, locale)
  return locale.t('portal.plan_price', { plan: plan.product_name, price })
}
