/** The invoice number as it is printed: `PUR-000123`. */
export function invoiceNumber(number: number): string {
  return `PUR-${String(number).padStart(6, '0')}`
}
