import assert from 'node:assert/strict'
import { ProcessorUnreachable } from '#domain/payments'
import { createServer } from '#platform/http'
import { openLog } from '#platform/log'
import { systemRandom } from '#platform/random'
import { openStripe } from '../../src/stripe/index.ts'
import type { Outside } from '../processor/outside.ts'
import { ManualClock } from '../support/clock.ts'
import { openTestDatabase } from '../support/database.ts'
import {
  CONNECT_SECRET,
  SECRET_KEY,
  StripeDouble,
  WEBHOOK_SECRET,
} from '../support/stripe-double.ts'

/** The adapter on a database of its own, and a double of Stripe. */
export async function openStripeWorld() {
  const clock = new ManualClock()
  const db = await openTestDatabase()
  const double = await StripeDouble.open(() => clock.now())
  const lines: string[] = []
  const log = openLog('debug', { write: (line) => lines.push(line) })
  const settings = {
    secret_key: SECRET_KEY,
    webhook_secrets: [WEBHOOK_SECRET, CONNECT_SECRET],
    api_base: double.url,
  }
  const open = () => openStripe({ settings, db, clock, random: systemRandom, log })
  const processor = open()
  const app = createServer({ log, random: systemRandom, secure: true, trusted_proxies: [] })
  processor.declareRoutes(app)
  await app.ready()

  /** Delivers an event as Stripe does, and returns the status of the answer. */
  const send = async (body: string, signature: string, type = 'application/json') => {
    const headers = { 'content-type': type, 'stripe-signature': signature }
    const url = '/processor-events/stripe'
    return (await app.inject({ method: 'POST', url, headers, payload: body })).statusCode
  }
  const delivered: string[] = []
  double.deliver = async (body, signature) => {
    delivered.push(body)
    return await send(body, signature)
  }

  return {
    clock,
    db,
    double,
    processor,
    lines,
    send,
    /** The body of every event that the double delivered. */
    delivered,
    /** Does something whose answers are all lost; of one method's requests where it is named. */
    async unanswered(work: () => Promise<unknown>, method?: 'POST'): Promise<void> {
      double.fault = method ? { method, loses: 'answer' } : 'answer'
      await assert.rejects(work(), ProcessorUnreachable)
      double.fault = undefined
    },
    /** Another process of the service on the same database. */
    reopen: open,
    async close() {
      await app.close()
      await double.close()
      await db.close()
    },
  }
}

export type StripeWorld = Awaited<ReturnType<typeof openStripeWorld>>

/** The same world as the contract of a processor wants it. */
export function testModeOf(world: StripeWorld): Outside {
  const { clock, double, processor } = world
  return {
    processor,
    now: () => clock.now(),
    pass: async (seconds) => clock.pass(seconds),
    enterCard: async ({ id }, number, zip) => void double.enterCard(id, number, zip),
    async enterLossyCard(loses) {
      const entry = await processor.openCardEntry(clock.now(), {
        app_name: 'Harbor',
        product_name: 'Harbor Pro',
        email: 'buyer@example.com',
        summary: [],
        zip: '94107',
        return_url: 'https://purser.example/checkout/cart_1/confirm',
        back_url: 'https://purser.example/checkout/cart_1/details',
      })
      double.enterCard(entry.id, '4242424242424242')
      const card = (await processor.readCardEntry(entry.id))!
      double.state.cards.get(card.token.split('/')[1]!)!.loses = loses
      return card
    },
    endChallenge: async (url, how) => double.endChallenge(url, how),
    enterBank: async (url, kind) => double.enterBank(url, kind),
    refundOutside: async (charge_id, amount) => double.refundByHand(charge_id, amount),
    cancelPayout: async (payout_id) => double.cancelPayout(payout_id),
    warnOfFraud: async (charge_id) => double.warnOfFraud(charge_id),
    moveFunds: async (amount) => double.moveFunds(amount),
    changeCard: async ({ id }, number) => double.changeCard(id, number),
    settle: () => double.settle(),
    async receive() {
      const events = await processor.events(clock.now())
      for (const { id } of events) await processor.acknowledge(id)
      return events
    },
    close: () => world.close(),
  }
}
