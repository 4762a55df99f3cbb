/** The routing number of the only bank in test mode. */
export const TEST_ROUTING_NUMBER = '110000000'
export const TEST_BANK_NAME = 'Sandbox Test Bank'

/** Test bank accounts, with the reason why payouts to them fail; null if they succeed. */
export const TEST_BANK_ACCOUNTS: ReadonlyMap<string, string | null> = new Map([
  ['000123456789', null],
  ['000111111116', 'The bank has no such account.'],
  ['000111111113', 'The bank account has been closed.'],
  ['000222222227', 'The bank account has insufficient funds.'],
  ['000333333335', 'The bank account does not allow this transfer.'],
  ['000444444440', 'The bank account does not take this currency.'],
])

/** Whether nine digits are a routing number: their weighted sum is a multiple of ten (ABA). */
export function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false
  const weights = [3, 7, 1]
  const sum = [...text].reduce((total, digit, at) => total + Number(digit) * weights[at % 3]!, 0)
  return sum > 0 && sum % 10 === 0
}
