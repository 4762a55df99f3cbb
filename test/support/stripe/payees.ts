import { randomUUID } from 'node:crypto'
import type { Plan, State, Thing } from './state.ts'
import { cannot, type Form } from './wire.ts'

const DAY = 24 * 60 * 60

/** `POST /v1/accounts` */
export function createAccount(state: State, form: Form): Thing {
  if (!state.setup.has_connect) throw cannot('Sign up for Connect to create accounts.')
  const requested = Object.keys(Object(form.capabilities))
  if (requested.includes('transfers') && !requested.includes('card_payments')) {
    throw cannot(
      'Your platform needs approval for accounts to have requested the `transfers` capability ' +
        'without the `card_payments` capability.',
    )
  }
  return state.add('acct', 'account', {
    country: form.country,
    email: form.email ?? null,
    type: 'express',
    controller: { ...(form.controller as Form), is_controller: true, type: 'application' },
    metadata: form.metadata ?? {},
    settings: form.settings,
    business_profile: { mcc: null, ...(form.business_profile as Form) },
    capabilities: Object.fromEntries(requested.map((name) => [name, 'inactive'])),
    charges_enabled: false,
    payouts_enabled: false,
    details_submitted: false,
    external_accounts: list([], '/v1/accounts/external_accounts'),
  })
}

/** Refuses `GET /v1/accounts` as Stripe does without Connect. */
export function assertConnect(state: State): void {
  if (!state.setup.has_connect) {
    throw cannot('You can only list accounts if you have signed up for Connect.')
  }
}

/** `POST /v1/account_links` */
export function createLink(state: State, form: Form): Record<string, unknown> {
  const { id } = state.find(form.account, 'account', 'account')
  const created = state.seconds()
  const url = `https://connect.stripe.com/setup/e/${id}/once`
  return { object: 'account_link', created, expires_at: created + 300, url }
}

/** A payee's action on the page of such a link. */
export function enterBank(state: State, url: string, kind: 'works' | 'fails'): void {
  const account = state.find(url.split('/').at(-2), 'account')
  const bank = {
    // Another one each time, also for the same account number.
    id: `ba_${randomUUID()}`,
    object: 'bank_account',
    account: account.id,
    bank_name: 'STRIPE TEST BANK',
    last4: kind === 'works' ? '6789' : '1116',
    fingerprint: `fingerprint of ${kind}`,
    country: 'US',
    currency: 'usd',
    status: 'new',
  }
  state.banks.set(account.id, kind)
  Object.assign(account, {
    capabilities: { card_payments: 'active', transfers: 'active' },
    payouts_enabled: true,
    details_submitted: true,
    external_accounts: list([bank], `/v1/accounts/${account.id}/external_accounts`),
  })
  const object = structuredClone(account)
  state.plan(0, 'account.updated', () => ({ object }), account.id)
}

/** `POST /v1/transfers` */
export function createTransfer(state: State, form: Form): Thing {
  const account = state.find(form.destination, 'account', 'destination')
  const amount = Number(form.amount)
  if (account.capabilities.transfers !== 'active') {
    throw cannot(
      'Your destination account needs to have the transfers capability enabled.',
      'insufficient_capabilities_for_transfer',
    )
  }
  if (amount > state.available) {
    throw cannot('You have insufficient available funds in your account.', 'balance_insufficient')
  }
  move(state, account.id, amount)
  const transfer = state.add('tr', 'transfer', {
    amount,
    amount_reversed: 0,
    currency: 'usd',
    destination: account.id,
    description: form.description ?? null,
    metadata: form.metadata ?? {},
    reversals: list([], '/v1/transfers/reversals'),
    reversed: false,
  })
  state.moveBalance('transfer', -amount, transfer.id)
  return transfer
}

/** `POST /v1/transfers/:id/reversals` */
export function reverseTransfer(state: State, id: string): Thing {
  const transfer = state.find(id, 'transfer')
  if (transfer.reversed) throw cannot('The transfer is already fully reversed.')
  const available = state.balances.get(transfer.destination) ?? 0
  if (available < transfer.amount && !state.setup.has_connect_reserves) {
    throw cannot('The account has insufficient funds for the reversal.', 'balance_insufficient')
  }
  move(state, transfer.destination, -transfer.amount)
  Object.assign(transfer, { reversed: true, amount_reversed: transfer.amount })
  const { amount } = transfer
  const facts = { amount, currency: 'usd', transfer: id, metadata: {} }
  const reversal = state.add('trr', 'transfer_reversal', facts)
  transfer.reversals = list([structuredClone(reversal)], transfer.reversals.url)
  state.moveBalance('transfer_refund', amount, reversal.id)
  return reversal
}

/** `GET /v1/balance` */
export function readBalance(state: State) {
  const dollars = (amount: number) => [{ amount, currency: 'usd', source_types: { card: amount } }]
  return {
    object: 'balance',
    livemode: false,
    available: dollars(state.available),
    pending: dollars(0),
  }
}

function move(state: State, account: string, amount: number): void {
  state.balances.set(account, (state.balances.get(account) ?? 0) + amount)
}

/** `POST /v1/payouts` for a connected account */
export function createPayout(state: State, form: Form, account: string): Thing {
  const amount = Number(form.amount)
  if ((state.balances.get(account) ?? 0) < amount) {
    throw cannot('You have insufficient funds in your account.', 'balance_insufficient')
  }
  move(state, account, -amount)
  const payout = state.add('po', 'payout', {
    amount,
    arrival_date: state.seconds() + 2 * DAY,
    automatic: false,
    currency: 'usd',
    description: form.description ?? null,
    statement_descriptor: form.statement_descriptor ?? null,
    destination: `ba_${account.slice(5)}`,
    failure_code: null,
    failure_message: null,
    metadata: form.metadata ?? {},
    method: 'standard',
    reconciliation_status: 'not_applicable',
    source_type: 'card',
    status: 'pending',
    type: 'bank_account',
    account,
  })
  if (state.banks.get(account) === 'works') {
    const object = () => ({ object: Object.assign(payout, { status: 'paid' }) })
    state.plan(2 * DAY, 'payout.paid', object, account)
  } else {
    state.plan(DAY, 'payout.failed', () => fail(state, payout, account), account)
  }
  return payout
}

/** Cancels a payout as in Stripe's dashboard. */
export function cancelPayout(state: State, id: string): void {
  const payout = state.find(id, 'payout')
  const theirs = (plan: Plan) => plan.type.startsWith('payout.') && plan.account === payout.account
  state.plans.splice(0, state.plans.length, ...state.plans.filter((plan) => !theirs(plan)))
  move(state, payout.account, payout.amount)
  const object = () => ({ object: Object.assign(payout, { status: 'canceled' }) })
  state.plan(0, 'payout.canceled', object, payout.account)
}

function fail(state: State, payout: Thing, account: string) {
  move(state, account, payout.amount)
  const failure_message = 'The bank account has been closed.'
  const failure = { status: 'failed', failure_code: 'account_closed', failure_message }
  return { object: Object.assign(payout, failure) }
}

/** A page of a list. */
export function list(data: unknown[], url: string, has_more = false) {
  return { object: 'list', data, has_more, url }
}
