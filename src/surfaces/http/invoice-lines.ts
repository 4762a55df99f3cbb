import type { InvoiceLine, Receipt } from '#domain/billing'
import type { Locale } from '#platform/language/locale'

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
