/** The setup of the account in Stripe's dashboard. */
export interface Setup {
  has_connect: boolean
  /** Whether reversals may exceed the balance of a connected account. */
  has_connect_reserves: boolean
  account: Record<string, unknown>
  webhook_endpoints: Record<string, unknown>[]
  portals: Record<string, unknown>[]
  tax_settings: Record<string, unknown>
  tax_registrations: Record<string, unknown>[]
}

/** A newly opened account with Connect. */
export function freshSetup(): Setup {
  return {
    has_connect: true,
    has_connect_reserves: false,
    account: {
      id: 'acct_own',
      object: 'account',
      country: 'US',
      charges_enabled: false,
      payouts_enabled: false,
      capabilities: {},
      requirements: { currently_due: ['external_account'] },
      settings: {
        card_payments: { statement_descriptor_prefix: null },
        payouts: { schedule: { interval: 'daily' } },
      },
    },
    webhook_endpoints: [],
    portals: [],
    tax_settings: { object: 'tax.settings', status: 'pending' },
    tax_registrations: [],
  }
}
