import type { PayeeId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Agent } from './agent.ts'
import { buyer, purchase } from './purchase.ts'
import { signedIn } from './seller.ts'
import type { TestService } from './service.ts'

/** Test bank accounts: one that accepts every payout, and one that is closed. */
export const BANKS = { works: '000123456789', closed: '000111111113' } as const

/** The payout pages of each kind of payee. */
export const HOMES = { seller: '/dashboard/payouts/', affiliate: '/affiliate/' } as const

/** Signs a payee of the cast in and enters a bank account on the processor's page. */
export async function withBank(
  service: TestService,
  kind: keyof typeof HOMES,
  account_number: string = BANKS.works,
): Promise<Agent> {
  const agent = await signedIn(service, service.demo[kind])
  await enterBankAccount(agent, HOMES[kind], account_number)
  return agent
}

/** Enters a bank account, or replaces it. */
export async function enterBankAccount(
  agent: Agent,
  home: string,
  account_number: string,
): Promise<void> {
  await agent.open(home)
  await agent.submit(/bank account$/)
  await agent.submit('Save this account', { routing_number: '110000000', account_number })
}

/** The cast's seller or affiliate, as a payee. */
export async function payeeOf({ world }: TestService, kind: keyof typeof HOMES) {
  const rows = {
    seller: sql`select m.seller_id as id from seller_members m join users u on u.id = m.user_id
      where u.email_normalized = 'marina@tidepool.example'`,
    affiliate: sql`select id from affiliates where code = 'coast-walks'`,
  }
  const { id: owner } = await world.db.one<{ id: PayeeId }>(rows[kind])
  const account = kind === 'seller' ? 'seller_payable' : 'affiliate_payable'
  return { owner, account } as const
}

let buyers = 0

/** Sells the lifetime plan, $180.00 before tax, of which the seller gets $170.50. */
export async function sell(service: TestService, query = ''): Promise<string> {
  const email = `payout-buyer-${++buyers}@example.com`
  await purchase(service, buyer(service), { email, price: 2, query })
  return email
}
