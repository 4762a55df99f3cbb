const BRANDS: Record<string, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
}

/** The name of a card for its owner: `Visa ending in 4242`. */
export function cardName(card: { brand: string; last4: string }): string {
  return `${BRANDS[card.brand] ?? card.brand} ending in ${card.last4}`
}
