import type { State, Thing } from './state.ts'
import { cannot, type Form, invalid } from './wire.ts'

const DAY = 24 * 60 * 60

/** `POST /v1/checkout/sessions` in setup mode */
export function createSession(state: State, form: Form): Thing {
  if (form.mode !== 'setup') throw invalid('This double opens sessions in setup mode', 'mode')
  if (!form.success_url) throw invalid('success_url is missing', 'success_url')
  const setup = state.add('seti', 'setup_intent', {
    customer: null,
    payment_method: null,
    payment_method_types: ['card'],
    metadata: {},
    last_setup_error: null,
    next_action: null,
    usage: 'off_session',
    status: 'requires_payment_method',
  })
  const session = state.add('cs_test', 'checkout.session', {
    mode: 'setup',
    status: 'open',
    payment_status: 'no_payment_required',
    payment_method_types: form.allowed_payment_method_types,
    customer: null,
    customer_creation: form.customer_creation,
    customer_email: form.customer_email ?? null,
    billing_address_collection: form.billing_address_collection ?? null,
    custom_text: { submit: null, shipping_address: null, ...(form.custom_text as Form) },
    success_url: form.success_url,
    cancel_url: form.cancel_url ?? null,
    locale: form.locale ?? null,
    setup_intent: setup.id,
    automatic_tax: { enabled: false, status: null },
    custom_fields: [],
    shipping_options: [],
    expires_at: state.seconds() + DAY,
  })
  session.url = `https://checkout.stripe.com/c/pay/${session.id}`
  return session
}

/**
 * A buyer's action on the page of a session. Stripe's page refuses a declined card; here it passes,
 * as a bank may change its mind after the page is left.
 */
export function enterCard(state: State, id: string, number: string, zip: string): Thing {
  const session = state.find(id, 'checkout.session')
  if (session.status !== 'open') throw new Error('this session was used')
  const customer = state.add('cus', 'customer', {
    email: session.customer_email,
    invoice_settings: { default_payment_method: null },
    metadata: {},
  })
  const method = state.addCard(customer.id, number, zip)
  const setup = state.find(session.setup_intent, 'setup_intent')
  const facts = { customer: customer.id, payment_method: method.id, status: 'succeeded' }
  Object.assign(setup, facts)
  return Object.assign(session, { status: 'complete', customer: customer.id, url: null })
}

/** `POST /v1/billing_portal/sessions` */
export function createPortal(state: State, form: Form): Thing {
  const { id: customer } = state.find(form.customer, 'customer', 'customer')
  const portal = state.add('bps', 'billing_portal.session', {
    configuration: 'bpc_default',
    customer,
    return_url: form.return_url ?? null,
    flow: null,
    locale: form.locale ?? null,
    on_behalf_of: null,
  })
  portal.url = `https://billing.stripe.com/p/session/${portal.id}`
  return portal
}

/** A buyer's action in the portal: a new default card. */
export function changeCard(state: State, id: string, number: string): void {
  const customer = state.find(state.find(id, 'billing_portal.session').customer, 'customer')
  const method = state.addCard(customer.id, number, '94107')
  customer.invoice_settings.default_payment_method = method.id
}

/** `POST /v1/customers/:id` */
export function updateCustomer(state: State, id: string, form: Form): Thing {
  const customer = state.find(id, 'customer')
  const settings = form.invoice_settings as Form | undefined
  const method = state.find(settings?.default_payment_method, 'payment_method')
  if (method.customer !== id) throw cannot('The payment method is attached to another customer.')
  Object.assign(customer.invoice_settings, settings)
  return customer
}

// State and local rates in percent, and the share of the price that is taxed.
const RATES: Record<string, { percents: string[]; share: number }> = {
  TX: { percents: ['6.25', '2.0'], share: 0.8 },
  NY: { percents: ['4.0', '4.875'], share: 1 },
}

/** `POST /v1/tax/calculations` */
export function calculateTax(state: State, form: Form): Thing {
  const [line] = form.line_items as Form[]
  const { address } = form.customer_details as { address: Form }
  if (!address.postal_code || address.country !== 'US') {
    throw cannot('The address is not recognized.', 'customer_tax_location_invalid')
  }
  const amount = Number(line!.amount)
  const { percents, share } = RATES[String(address.state)] ?? { percents: [], share: 0 }
  const taxable_amount = Math.round(amount * share)
  const tax_breakdown = percents.map((percentage_decimal) => ({
    amount: Math.round((taxable_amount * Number(percentage_decimal)) / 100),
    inclusive: false,
    taxable_amount,
    taxability_reason: share < 1 ? 'portion_product_exempt' : 'standard_rated',
    tax_rate_details: {
      country: 'US',
      state: address.state,
      percentage_decimal,
      tax_type: 'sales_tax',
    },
  }))
  const tax = tax_breakdown.reduce((total, each) => total + each.amount, 0)
  return state.add('taxcalc', 'tax.calculation', {
    amount_total: amount + tax,
    currency: 'usd',
    customer: null,
    customer_details: {
      address: { city: null, line1: null, line2: null, ...address },
      address_source: 'billing',
      ip_address: null,
      tax_ids: [],
      taxability_override: 'none',
    },
    expires_at: state.seconds() + 90 * DAY,
    tax_amount_exclusive: tax,
    tax_amount_inclusive: 0,
    tax_breakdown,
    tax_date: state.seconds(),
  })
}

/** `POST /v1/tax/transactions/create_from_calculation` */
export function recordTax(state: State, form: Form): Thing {
  const calculation = state.find(form.calculation, 'tax.calculation', 'calculation')
  return addTransaction(state, form, {
    type: 'transaction',
    reversal: null,
    customer_details: calculation.customer_details,
    amount_total: calculation.amount_total,
  })
}

/** `POST /v1/tax/transactions/create_reversal` */
export function reverseTax(state: State, form: Form): Thing {
  const original = state.find(form.original_transaction, 'tax.transaction', 'original_transaction')
  const left = leftOf(state, original)
  const amount_total = form.mode === 'full' ? -left : Number(form.flat_amount)
  // Only a full reversal of a reversal is possible, after which the tax is due again.
  const isUndoing = original.type === 'reversal' && form.mode === 'full' && left < 0
  if (!isUndoing && (amount_total >= 0 || left + amount_total < 0)) {
    throw invalid('The reversal is greater than what is left.', 'flat_amount')
  }
  return addTransaction(state, form, {
    type: 'reversal',
    reversal: { original_transaction: original.id },
    customer_details: original.customer_details,
    amount_total,
  })
}

/** What is left of a tax transaction after its reversals, and theirs. */
function leftOf(state: State, { id, amount_total }: Thing): number {
  return state
    .all('tax.transaction', ({ reversal }) => reversal?.original_transaction === id)
    .reduce((sum, each) => sum + leftOf(state, each), amount_total)
}

function addTransaction(state: State, form: Form, facts: Record<string, unknown>): Thing {
  const [used] = state.all('tax.transaction', ({ reference }) => reference === form.reference)
  if (used) throw invalid('This reference was used before.', 'reference')
  return state.add('tax', 'tax.transaction', {
    currency: 'usd',
    customer: null,
    metadata: {},
    reference: form.reference,
    shipping_cost: null,
    tax_date: state.seconds(),
    ...facts,
  })
}
