import type { KeptCard, State, Thing } from './state.ts'
import { cannot, type Form, invalid, Lost, Refusal } from './wire.ts'

const DAY = 24 * 60 * 60
const DUE_DAYS = 9

const COMMON = ['allowed_payment_method_types', 'customer', 'description', 'metadata']
const CONFIRMING = ['payment_method', 'confirm', 'return_url', 'expand']
const PAYING = ['amount', 'currency', 'off_session', 'statement_descriptor_suffix']

/** `POST /v1/payment_intents` */
export function createPayment(state: State, form: Form): Thing {
  only(form, [...COMMON, ...CONFIRMING, ...PAYING])
  const amount = Number(form.amount)
  if (!Number.isInteger(amount)) throw invalid('Invalid integer', 'amount')
  if (amount < 50) throw invalid('Amount must be at least 50 cents', 'amount', 'amount_too_small')
  readSuffix(form)
  if (form.currency !== 'usd') throw invalid('Invalid currency', 'currency')
  readCustomer(state, form)
  const intent = state.add('pi', 'payment_intent', {
    ...contentsOf(form),
    amount,
    amount_received: 0,
    amount_capturable: 0,
    currency: 'usd',
    capture_method: 'automatic_async',
    confirmation_method: 'automatic',
    client_secret: 'pi_secret',
    latest_charge: null,
    last_payment_error: null,
    statement_descriptor_suffix: form.statement_descriptor_suffix ?? null,
  })
  return form.confirm === 'true' ? confirm(state, intent, form) : intent
}

/** `POST /v1/setup_intents` */
export function createSetup(state: State, form: Form): Thing {
  only(form, [...COMMON, ...CONFIRMING, 'usage'])
  readCustomer(state, form)
  const intent = state.add('seti', 'setup_intent', {
    ...contentsOf(form),
    usage: form.usage ?? 'off_session',
    client_secret: 'seti_secret',
    last_setup_error: null,
  })
  return form.confirm === 'true' ? confirm(state, intent, form) : intent
}

/**
 * The descriptor's first ten characters, "* " and the suffix share the 22 characters of a
 * statement.
 */
function readSuffix({ statement_descriptor_suffix: suffix }: Form): void {
  if (suffix === undefined) return
  const isGood = /^[^<>\\'"*]{1,10}$/.test(String(suffix)) && /[A-Za-z]/.test(String(suffix))
  if (!isGood) throw invalid('The suffix is invalid.', 'statement_descriptor_suffix')
}

function only(form: Form, names: string[]): void {
  for (const name of Object.keys(form)) {
    if (!names.includes(name)) {
      throw invalid(`Received unknown parameter: ${name}`, name, 'parameter_unknown')
    }
  }
}

function readCustomer(state: State, form: Form): void {
  state.find(form.customer, 'customer', 'customer')
  if (form.payment_method === undefined) return
  const method = state.find(form.payment_method, 'payment_method', 'payment_method')
  if (method.customer !== form.customer) {
    throw invalid('The PaymentMethod does not belong to this Customer', 'payment_method')
  }
}

function contentsOf(form: Form): Record<string, unknown> {
  return {
    customer: form.customer,
    description: form.description ?? null,
    metadata: form.metadata ?? {},
    payment_method: form.payment_method ?? null,
    payment_method_types: form.allowed_payment_method_types ?? ['card'],
    next_action: null,
    cancellation_reason: null,
    status: form.payment_method ? 'requires_confirmation' : 'requires_payment_method',
  }
}

function confirm(state: State, intent: Thing, form: Form): Thing {
  const card = state.cards.get(intent.payment_method)!
  if (card.loses === 'request') {
    state.things.delete(intent.id)
    throw new Lost()
  }
  const takes = intent.object === 'payment_intent'
  const off_session = form.off_session === 'true'
  if (card.decline && (takes || !card.verifies)) throw decline(intent, card.decline)
  const asks = card.challenges === 'always' || (card.challenges && !card.authenticated)
  if (asks && off_session) {
    const code = 'authentication_required'
    throw decline(intent, { code, decline_code: code })
  }
  if (asks) {
    if (!form.return_url) throw invalid('A return_url is needed', 'return_url')
    intent.status = 'requires_action'
    const url = `https://hooks.stripe.com/3d_secure_2/${intent.id}`
    const redirect_to_url = { url, return_url: form.return_url }
    intent.next_action = { type: 'redirect_to_url', redirect_to_url }
    return intent
  }
  succeed(state, intent, card)
  if (card.loses === 'answer') throw new Lost()
  return intent
}

/** A decline of the bank, as Stripe reports it: an error that contains the intent. */
function decline(intent: Thing, why: { code: string; decline_code?: string }): Refusal {
  const error = { type: 'card_error', message: 'Your card was declined.', ...why }
  intent.status = 'requires_payment_method'
  intent[errorField(intent)] = error
  return new Refusal(402, { ...error, [intent.object]: intent })
}

function errorField(intent: Thing): string {
  return intent.object === 'payment_intent' ? 'last_payment_error' : 'last_setup_error'
}

function succeed(state: State, intent: Thing, card: KeptCard): void {
  intent.status = 'succeeded'
  intent.next_action = null
  if (intent.object !== 'payment_intent') return
  intent.amount_received = intent.amount
  intent.latest_charge = addCharge(state, intent).id
  if (card.disputes) openDispute(state, intent, card.disputes)
}

/** The charge of a payment, and its balance transaction. */
function addCharge(state: State, intent: Thing): Thing {
  const { amount, id: payment_intent, customer, metadata } = intent
  const charge = state.add('ch', 'charge', {
    amount,
    amount_captured: amount,
    amount_refunded: 0,
    billing_details: { address: null, email: null, name: null, phone: null },
    captured: true,
    currency: 'usd',
    customer,
    disputed: false,
    metadata,
    paid: true,
    payment_intent,
    refunded: false,
    status: 'succeeded',
  })
  state.moveBalance('charge', amount, charge.id, Math.round(amount * 0.029) + 30)
  return charge
}

/** Ends a challenge on the bank's page. */
export function endChallenge(state: State, url: string, how: 'passed' | 'failed'): void {
  const id = url.split('/').at(-1)!
  const intent = state.things.get(id)
  if (intent?.status !== 'requires_action') return
  const card = state.cards.get(intent.payment_method)!
  if (how === 'passed') {
    card.authenticated = true
    succeed(state, intent, card)
    return
  }
  decline(intent, { code: `${intent.object}_authentication_failure` })
  intent.next_action = null
}

/** `POST /v1/…_intents/:id/cancel` */
export function cancel(state: State, object: string, id: string): Thing {
  const intent = state.find(id, object)
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw cannot(`This ${object} is ${intent.status}`, `${object}_unexpected_state`)
  }
  return Object.assign(intent, { status: 'canceled', next_action: null })
}

function openDispute(state: State, intent: Thing, kind: NonNullable<KeptCard['disputes']>): void {
  const is_inquiry = kind === 'inquiry'
  const dispute = state.add('du', 'dispute', {
    amount: intent.amount,
    currency: 'usd',
    charge: intent.latest_charge,
    payment_intent: intent.id,
    reason: is_inquiry ? 'general' : kind,
    status: is_inquiry ? 'warning_needs_response' : 'needs_response',
    is_charge_refundable: is_inquiry,
    metadata: {},
    evidence: {},
    evidence_details: {
      due_by: state.seconds() + DUE_DAYS * DAY,
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    balance_transactions: [],
  })
  if (!is_inquiry) moveDisputed(state, dispute, -intent.amount, 1500)
  state.plan(0, 'charge.dispute.created', () => ({ object: dispute }))
}

/** A dispute lists its balance transactions. */
function moveDisputed(state: State, dispute: Thing, amount: number, fee: number): void {
  const moved = state.moveBalance('adjustment', amount, dispute.id, fee)
  dispute.balance_transactions.push(structuredClone(moved))
}

/** `POST /v1/disputes/:id`: evidence is stored until it is submitted, once. */
export function updateDispute(state: State, id: string, form: Form): Thing {
  const dispute = state.find(id, 'dispute')
  const details = dispute.evidence_details
  if (details.submission_count > 0) throw cannot('The evidence was submitted already.')
  if (details.due_by < state.seconds()) throw cannot('The time to answer is over.')
  Object.assign(dispute.evidence, form.evidence)
  details.has_evidence = true
  if (form.submit === 'false') return dispute
  details.submission_count = 1
  const isInquiry = dispute.status.startsWith('warning_')
  dispute.status = isInquiry ? 'warning_under_review' : 'under_review'
  const text = dispute.evidence.uncategorized_text
  const status = text === 'winning_evidence' ? 'won' : text === 'losing_evidence' ? 'lost' : null
  if (status) {
    state.plan(60, 'charge.dispute.closed', () => {
      const isReturned = !isInquiry && status === 'won'
      if (isReturned) moveDisputed(state, dispute, dispute.amount, -1500)
      return { object: Object.assign(dispute, { status: isInquiry ? 'warning_closed' : status }) }
    })
  }
  return dispute
}

/** `POST /v1/refunds` */
export function createRefund(state: State, form: Form): Thing {
  only(form, ['payment_intent', 'amount', 'metadata'])
  const intent = state.find(form.payment_intent, 'payment_intent', 'payment_intent')
  const amount = Number(form.amount)
  const [dispute] = state.all('dispute', (each) => each.payment_intent === intent.id)
  if (dispute && !['won', 'warning_closed', 'warning_needs_response'].includes(dispute.status)) {
    throw cannot('This charge is disputed and cannot be refunded.', 'charge_disputed')
  }
  const left = intent.amount_received - refundedOf(state, intent)
  if (left === 0) throw cannot('The charge has already been refunded.', 'charge_already_refunded')
  if (amount > left) throw cannot('The refund is greater than what is left of the charge.')
  const { refunds } = state.cards.get(intent.payment_method)!
  const refund = state.add('re', 'refund', {
    amount,
    currency: 'usd',
    charge: intent.latest_charge,
    payment_intent: intent.id,
    metadata: form.metadata ?? {},
    reason: null,
    status: refunds === 'pending' ? 'pending' : 'succeeded',
  })
  state.moveBalance('refund', -amount, refund.id)
  if (refunds === 'pending') {
    const object = () => ({ object: Object.assign(refund, { status: 'succeeded' }) })
    state.plan(2 * DAY, 'refund.updated', object)
  }
  if (refunds === 'fails') {
    const failure = { status: 'failed', failure_reason: 'lost_or_stolen_card' }
    state.plan(3 * DAY, 'refund.failed', () => {
      const { id } = state.moveBalance('refund_failure', amount, refund.id)
      return { object: Object.assign(refund, failure, { failure_balance_transaction: id }) }
    })
  }
  return refund
}

/** Refunds a payment as in Stripe's dashboard. */
export function refundByHand(state: State, payment_intent: string, amount: number): Thing {
  const refund = createRefund(state, { payment_intent, amount: String(amount) })
  const intent = state.find(payment_intent, 'payment_intent')
  const charge = state.find(intent.latest_charge, 'charge')
  charge.amount_refunded = refundedOf(state, intent)
  state.plan(0, 'charge.refunded', () => ({ object: charge }))
  return refund
}

/** Reports a payment as fraud, as a card network. */
export function warnOfFraud(state: State, payment_intent: string): void {
  const { latest_charge: charge } = state.find(payment_intent, 'payment_intent')
  const warning = state.add('issfr', 'radar.early_fraud_warning', {
    actionable: true,
    charge,
    payment_intent,
    fraud_type: 'made_with_stolen_card',
  })
  state.plan(0, 'radar.early_fraud_warning.created', () => ({ object: warning }))
}

function refundedOf(state: State, intent: Thing): number {
  return state
    .all('refund', (each) => each.payment_intent === intent.id && each.status !== 'failed')
    .reduce((total, { amount }) => total + amount, 0)
}
