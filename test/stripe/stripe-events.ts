/** Events that Stripe sends to the adapter, and what the service reads of them. */
import assert from 'node:assert/strict'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { processorSteps } from '../processor/outside.ts'
import { openStripeWorld, type StripeWorld, testModeOf } from './world.ts'

let made = 0

/** An event as Stripe words it, `seconds` from now. */
export function eventOf(
  world: StripeWorld,
  type: string,
  object: object,
  facts: object = {},
  seconds = 0,
) {
  made++
  const created = Math.floor(world.clock.now().getTime() / 1000) + seconds
  const head = { id: `evt_${made}`, object: 'event', type, created, livemode: false }
  return { ...head, pending_webhooks: 1, data: { object }, ...facts }
}

export const refundOf = (id: string, status: string) => ({
  id,
  status,
  metadata: { key: `ref_${id}` },
})

export type StripeEvents = Awaited<ReturnType<typeof openStripeEvents>>

/** Opens the adapter with a payment that can be disputed. */
export async function openStripeEvents() {
  const world = await openStripeWorld()
  const pay = () => processorSteps(testModeOf(world)).charged('4242424242424242')
  const { charge_id: payment_intent } = await pay()
  const receive = () => world.processor.events(world.clock.now())

  return {
    world,
    receive,
    payment_intent,

    async send(event: object): Promise<void> {
      const body = JSON.stringify(event)
      assert.equal(await world.send(body, world.double.sign(body)), 200)
    },

    /** Receives all events and acknowledges them. */
    async listen() {
      const events = await receive()
      for (const { id } of events) await world.processor.acknowledge(id)
      return events
    },

    /** A dispute of the payment. */
    disputeOf: (id: string, status: string) => ({
      id,
      object: 'dispute',
      amount: 1275,
      created: 1_770_000_000,
      payment_intent,
      reason: 'fraudulent',
      status,
      evidence_details: { due_by: 1_780_000_000 },
    }),

    /** A refund that the service asked for. */
    async ourRefund() {
      const { charge_id } = await pay()
      const requested = { key: `ref_${++made}`, charge_id, amount: cents(100) }
      const refund = await world.processor.refund(world.clock.now(), requested)
      assert.ok(refund.status === 'succeeded')
      return refund.refund_id
    },

    count: async () => (await world.db.rows(sql`select id from processor_events`)).length,
  }
}
