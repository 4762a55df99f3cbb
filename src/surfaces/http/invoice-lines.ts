import type { InvoiceLine, Receipt } from '#domain/billing'
import { cardName } from '#domain/payments'
import type { Locale } from '#platform/language/locale'
import { type Cents, sum, ZERO } from '#platform/money'

function labelOf(
  { app_name, product_name, frequency }: Receipt,
  { kind, code }: InvoiceLine,
  { t }: Locale,
): string {
  switch (kind) {
    case 'price': {
      const product = `${app_name} ${product_name}`
      return t(`invoice.price_${frequency ?? 'once'}`, { product })
    }
    case 'discount':
      return t('invoice.discount', { code: code ?? '' })
    case 'credit':
    case 'trial':
    case 'prepaid':
      return t(`invoice.${kind}`)
  }
}

/** The lines of a receipt, for emails and the PDF. */
export function receiptLines(receipt: Receipt, locale: Locale): [label: string, amount: string][] {
  return receipt.lines.map((line) => [labelOf(receipt, line, locale), locale.money(line.amount)])
}

/** What a card was charged, tax included: nothing if a discount covers it, or it is waived. */
export function chargedOf({ amount, tax, is_waived }: Receipt): Cents {
  return is_waived ? ZERO : sum(amount, tax)
}

/** The card of a receipt of which something was charged, or for which a card is on file. */
export function receiptCard({ card_brand, card_last4 }: Receipt, locale: Locale): string {
  return cardName({ brand: card_brand!, last4: card_last4! }, locale)
}
