import { ENGLISH, type Locale } from '#platform/language/locale'

const BRANDS: Record<string, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
}

/** The name of a card for its owner: `Visa ending in 4242`. */
export function cardName(card: { brand: string; last4: string }, { t }: Locale = ENGLISH): string {
  return t('card.ending_in', { brand: BRANDS[card.brand] ?? card.brand, last4: card.last4 })
}
