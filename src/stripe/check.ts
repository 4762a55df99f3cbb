import { Stripe } from 'stripe'
import { isRefusal, openClient, type StripeSettings } from './client.ts'
import { CONNECT_KINDS, OWN_KINDS } from './parse-event.ts'
import { EVENTS_PATH } from './routes.ts'

/** A requirement of the Stripe account: whether it is met, and what to do if it is not. */
export interface SetupFinding {
  what: string
  is_good: boolean
  /** What was found, and the next step. */
  next?: string
}

/** What the service requires of the account. */
export interface SetupExpected {
  base_url: string
  statement_descriptor: string
  tax_provider: 'table' | 'stripe'
}

/**
 * Lists what the Stripe account lacks before the service can sell and pay out with it. Changes
 * nothing there. Throws the library's errors if Stripe is unreachable.
 */
export async function checkSetup(
  settings: StripeSettings,
  expected: SetupExpected,
): Promise<SetupFinding[]> {
  const stripe = openClient(settings)
  return [
    ...(await checkAccount(stripe, expected)),
    await checkConnect(stripe),
    ...(await checkWebhooks(stripe, expected)),
    await checkPortal(stripe),
    ...(expected.tax_provider === 'stripe' ? await checkTaxes(stripe) : []),
  ]
}

async function checkAccount(stripe: Stripe, expected: SetupExpected): Promise<SetupFinding[]> {
  const account = await stripe.accounts.retrieveCurrent()
  const { capabilities, requirements, settings } = account
  const due = requirements?.currently_due ?? []
  const interval = settings?.payouts?.schedule?.interval
  const prefix = settings?.card_payments?.statement_descriptor_prefix ?? ''
  const wanted = expected.statement_descriptor.slice(0, 10).trim()
  return [
    finding(
      'The account is in the United States',
      account.country === 'US',
      `It is in ${account.country ?? 'no country'}. Open an account in the United States.`,
    ),
    finding(
      'The account can charge cards',
      account.charges_enabled === true && capabilities?.card_payments === 'active',
      'Complete the account: Dashboard, Settings, Business. ' +
        (due.length > 0 ? `Stripe still asks for ${due.join(', ')}.` : ''),
    ),
    finding(
      'The account can pay sellers',
      account.payouts_enabled === true && capabilities?.transfers === 'active',
      'Complete the account, and add a bank account: Dashboard, Settings, Business.',
    ),
    finding(
      'The account’s own payouts are manual',
      interval === 'manual',
      `They are ${interval ?? 'not known'}, so money that is owed to sellers leaves the balance. ` +
        'Set the payout schedule to manual: Dashboard, Settings, Payouts.',
    ),
    finding(
      'Card statements show the operator',
      prefix === wanted,
      `The shortened descriptor at Stripe is "${prefix}", and STATEMENT_DESCRIPTOR makes it ` +
        `"${wanted}". Make them equal: Dashboard, Settings, Business, Public details.`,
    ),
  ]
}

async function checkConnect(stripe: Stripe): Promise<SetupFinding> {
  const next =
    'Enable Connect, as a platform that is responsible for losses and fees: Dashboard, Connect.'
  return await refusable('Connect is enabled', next, async () => {
    await stripe.accounts.list({ limit: 1 })
    return true
  })
}

async function checkWebhooks(stripe: Stripe, { base_url }: SetupExpected): Promise<SetupFinding[]> {
  const url = `${base_url}${EVENTS_PATH}`
  const { data } = await stripe.webhookEndpoints.list({ limit: 100 })
  const ours = data.filter((each) => each.url === url && each.status === 'enabled')
  const kinds = [
    { source: 'your account', isConnect: false, events: OWN_KINDS },
    { source: 'connected accounts', isConnect: true, events: CONNECT_KINDS },
  ]
  return kinds.flatMap(({ source, isConnect, events }) => {
    const what = `Events of ${source} are sent here`
    const endpoint = ours.find(({ application }) => (application !== null) === isConnect)
    if (!endpoint) {
      const next = `Add an endpoint for ${source} at ${url}: Dashboard, Developers, Webhooks. Its events: ${events.join(', ')}.`
      return [finding(what, false, next)]
    }
    const { enabled_events: enabled, api_version } = endpoint
    const missing = events.filter((each) => !enabled.includes(each) && !enabled.includes('*'))
    return [
      finding(what, missing.length === 0, `Add to endpoint ${endpoint.id}: ${missing.join(', ')}.`),
      finding(
        `Events of ${source} have the pinned API version`,
        api_version === Stripe.API_VERSION,
        `Endpoint ${endpoint.id} sends ${api_version ?? 'the account’s default'}. Create it again with ${Stripe.API_VERSION}.`,
      ),
    ]
  })
}

async function checkPortal(stripe: Stripe): Promise<SetupFinding> {
  const { data } = await stripe.billingPortal.configurations.list({ is_default: true, limit: 1 })
  const features = data[0]?.features
  const isGood =
    features?.payment_method_update.enabled === true &&
    !features.subscription_cancel.enabled &&
    !features.subscription_update.enabled
  return finding(
    'The customer portal replaces cards, and nothing else',
    isGood,
    'Allow customers to update payment methods, and no changes to subscriptions: Dashboard, ' +
      'Settings, Billing, Customer portal.',
  )
}

async function checkTaxes(stripe: Stripe): Promise<SetupFinding[]> {
  const { status } = await stripe.tax.settings.retrieve()
  const { data } = await stripe.tax.registrations.list({ status: 'active', limit: 1 })
  return [
    finding(
      'Stripe Tax is set up',
      status === 'active',
      'Add the head office and a default tax category: Dashboard, Tax, Settings.',
    ),
    finding(
      'Stripe Tax has a registration',
      data.length > 0,
      'No tax is collected without one. Add the states where you are registered: Dashboard, Tax, Registrations.',
    ),
  ]
}

function finding(what: string, is_good: boolean, next: string): SetupFinding {
  return is_good ? { what, is_good } : { what, is_good, next }
}

/** Calls Stripe; a refusal means that the account lacks a feature. */
async function refusable(
  what: string,
  next: string,
  call: () => Promise<boolean>,
): Promise<SetupFinding> {
  try {
    return finding(what, await call(), next)
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof Stripe.errors.StripePermissionError)) throw error
    return finding(what, false, next)
  }
}
