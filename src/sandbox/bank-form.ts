import { sha256 } from '#platform/secrets'
import {
  isRoutingNumber,
  TEST_BANK_ACCOUNTS,
  TEST_BANK_NAME,
  TEST_ROUTING_NUMBER,
} from './banks.ts'

export const EXAMPLE_ACCOUNT = '000123456789'

/** The stored part of a bank account, without its number. */
export interface StoredBank {
  bank_name: string
  bank_last4: string
  bank_fingerprint: string
  /** Why payouts to it fail; null if they succeed. */
  bank_failure: string | null
}

export type BankFaults = Partial<Record<'routing_number' | 'account_number', string>>

/** Reads a posted bank form, with every error at once. Account numbers are never shown again. */
export function readBankForm(
  body: unknown,
): { bank: StoredBank } | { faults: BankFaults; routing_number: string } {
  const routing_number = digitsOf(body, 'routing_number')
  const account_number = digitsOf(body, 'account_number')
  const faults: BankFaults = {}
  const routing = routingFault(routing_number)
  if (routing) faults.routing_number = routing
  const bank_failure = TEST_BANK_ACCOUNTS.get(account_number)
  if (bank_failure === undefined) faults.account_number = accountFault(account_number)
  else if (!routing) {
    const bank_last4 = account_number.slice(-4)
    // Of test numbers, which are public.
    const bank_fingerprint = sha256(`${routing_number} ${account_number}`).toString('base64url')
    return { bank: { bank_name: TEST_BANK_NAME, bank_last4, bank_fingerprint, bank_failure } }
  }
  return { faults, routing_number: isRoutingNumber(routing_number) ? routing_number : '' }
}

function digitsOf(body: unknown, field: string): string {
  const value = Object(body)[field]
  return typeof value === 'string' ? value.replaceAll(/[\s-]/g, '') : ''
}

function routingFault(text: string): string | undefined {
  if (!/^\d{9}$/.test(text)) return 'Enter the nine digits of your bank’s routing number.'
  if (!isRoutingNumber(text)) return 'No bank has this routing number. Check each digit.'
  if (text === TEST_ROUTING_NUMBER) return undefined
  return `This is test mode. Use the test routing number ${TEST_ROUTING_NUMBER}.`
}

function accountFault(text: string): string {
  if (text === '') return 'Enter your account number.'
  return `This is test mode. Use a test account such as ${EXAMPLE_ACCOUNT}.`
}
