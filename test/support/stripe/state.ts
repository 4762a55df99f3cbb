import { randomBytes } from 'node:crypto'
import { CARDS, type CardBehavior } from './cards.ts'
import { freshSetup, type Setup } from './setup.ts'
import { invalid } from './wire.ts'

// biome-ignore lint/suspicious/noExplicitAny: Stripe's objects are as large as they are loose here.
export type Thing = Record<string, any> & { id: string; object: string; created?: number }

/** A stored card of a customer, and its behavior. */
export interface KeptCard extends CardBehavior {
  authenticated: boolean
  loses?: 'answer' | 'request' | undefined
}

/** A scheduled event. */
export interface Plan {
  due: Date
  type: string
  account?: string
  /** Changes the state when it is due, and returns the content of the event. */
  happen: () => { object: Thing; previous_attributes?: object }
}

// Objects that Stripe sends without a mode, or without a date.
const MODELESS = ['refund', 'account', 'transfer_reversal', 'balance_transaction']
const UNDATED = ['tax.calculation']

/** The state of the double. */
export class State {
  readonly now: () => Date
  readonly things = new Map<string, Thing>()
  readonly cards = new Map<string, KeptCard>()
  readonly balances = new Map<string, number>()
  readonly banks = new Map<string, 'works' | 'fails'>()
  readonly plans: Plan[] = []
  setup: Setup = freshSetup()

  constructor(now: () => Date) {
    this.now = now
    this.moveBalance('topup', 1_000_000_00, null)
  }

  /** The service's balance for transfers, in cents. */
  get available(): number {
    return this.all('balance_transaction', () => true).reduce((sum, { net }) => sum + net, 0)
  }

  /** Adds a balance transaction, less Stripe's fee. */
  moveBalance(type: string, amount: number, source: string | null, fee = 0): Thing {
    const reporting_category = type === 'adjustment' ? 'dispute' : type
    return this.add('txn', 'balance_transaction', {
      amount,
      available_on: this.seconds(),
      currency: 'usd',
      description: null,
      exchange_rate: null,
      fee,
      fee_details: [],
      net: amount - fee,
      reporting_category,
      source,
      status: 'available',
      type,
    })
  }

  seconds(): number {
    return Math.floor(this.now().getTime() / 1000)
  }

  add(prefix: string, object: string, facts: Record<string, unknown>): Thing {
    const id = `${prefix}_${randomBytes(12).toString('hex')}`
    const created = UNDATED.includes(object) ? {} : { created: this.seconds() }
    const livemode = MODELESS.includes(object) ? {} : { livemode: false }
    const thing: Thing = { id, object, ...created, ...livemode, ...facts }
    this.things.set(id, thing)
    return thing
  }

  find(id: unknown, object: string, param?: string): Thing {
    const thing = this.things.get(String(id))
    if (thing?.object !== object) {
      throw Object.assign(invalid(`No such ${object}: '${id}'`, param, 'resource_missing'), {
        status: 404,
      })
    }
    return thing
  }

  all(object: string, fits: (thing: Thing) => boolean): Thing[] {
    return [...this.things.values()]
      .filter((each) => each.object === object && fits(each))
      .reverse()
  }

  plan(seconds: number, type: string, happen: Plan['happen'], account?: string): void {
    const due = new Date(this.now().getTime() + seconds * 1000)
    this.plans.push({ due, type, happen, ...(account ? { account } : {}) })
  }

  /** A card as a customer enters it on a hosted page. */
  addCard(customer: string, number: string, zip: string): Thing {
    const card = CARDS[number]
    if (!card) throw new Error(`${number} is no test card`)
    const method = this.add('pm', 'payment_method', {
      type: 'card',
      customer,
      metadata: {},
      billing_details: {
        name: 'Robin Hale',
        email: null,
        phone: null,
        address: {
          country: card.country,
          postal_code: zip,
          state: null,
          city: null,
          line1: '1 Harbor Street',
          line2: null,
        },
      },
      card: {
        brand: card.brand,
        last4: number.slice(-4),
        exp_month: 12,
        exp_year: 2034,
        country: card.country,
        fingerprint: `fp${Buffer.from(number).toString('hex').slice(-14)}`,
        funding: 'credit',
        checks: null,
        wallet: null,
      },
    })
    this.cards.set(method.id, { ...card, authenticated: false })
    return method
  }
}
