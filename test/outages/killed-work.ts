import * as catalog from '#domain/catalog'
import { addSeconds } from '#platform/calendar'
import { mintId, type PriceId } from '#platform/ids'
import { cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import { CARD } from '../support/cards.ts'
import { withBank } from '../support/payees.ts'
import { buy, sellerActor } from '../support/refunds.ts'
import type { TestService } from '../support/service.ts'
import { buyerActor, DAY, otherApp, runDue, subscribe } from '../support/subscriber.ts'
import type { ProcessorState, RunFacts } from './messages.ts'

/**
 * From one subject to the next: the one before has been recovered by then, and the last renewal is
 * declined before the first retry, a day after its decline.
 */
const APART_SECONDS = 2.5 * 3_600

/** One thing to do, which is killed once: what is asked of a node, and when it is due. */
export interface Subject {
  email: string
  at: Date
  /** Work of the background. */
  run?: RunFacts
  /** A buyer who pays this price. */
  buys?: PriceId
}

/** Work that is killed: how it is prepared, and how often it was done. */
export interface KilledWork {
  name: string
  /** Prepares this many subjects, each due later than the one before. */
  prepare(service: TestService, count: number): Promise<Subject[]>
  /** How often a subject's work was done: `outside` by the processor, `inside` by our records. */
  times(subject: Subject): Sql
  /** What the processor does to the buyer's payment; then the reconciliation is killed. */
  processor?: ProcessorState
  /** When a request that was lost is repeated, where that is later than everything else. */
  repeated_after_seconds?: number
  /** Makes the next subject independent of those before. */
  separate?: Sql
}

const subjects = (service: TestService, count: number, buys: PriceId): Subject[] =>
  Array.from({ length: count }, (_, index) => ({
    email: `killed-${index}@example.com`,
    at: addSeconds(service.clock.now(), index * APART_SECONDS),
    buys,
  }))

const cheapest = ({ demo }: TestService) => demo.app.prices[0]!.public_id

/** Charges of the processor, and licenses that were not canceled, of a buyer. */
const purchases = ({ email }: Subject) => sql`select
  (select count(*) from sandbox.charges s join attempts a on a.id = s.key
    join invoices i on i.id = a.invoice_id where a.email_normalized = ${email}
      and s.status = 'succeeded' and i.kind = 'purchase') as outside,
  (select count(*) from licenses l join users u on u.id = l.user_id
    join orders o on o.license_id = l.id
    where u.email_normalized = ${email} and l.status <> 'canceled') as inside`

/** The same of a later charge of a kind, and the licenses that it left in a status. */
const later = (kind: string, status: string) => {
  return ({ email }: Subject) => sql`select
    (select count(*) from sandbox.charges s join attempts a on a.id = s.key
      join invoices i on i.id = a.invoice_id where a.email_normalized = ${email}
        and s.status = 'succeeded' and i.kind = ${kind}) as outside,
    (select count(*) from invoices i join licenses l on l.id = i.license_id
      join users u on u.id = l.user_id where u.email_normalized = ${email}
        and i.kind = ${kind} and i.status = 'paid' and l.status = ${status}) as inside`
}

/** Subscribers of a week, one every few hours. */
async function subscribers(service: TestService, count: number, card?: string) {
  const app = await otherApp(service, { frequency: 'week', amount: cents(1200) })
  const all = []
  for (let index = 0; index < count; index++) {
    service.clock.pass(APART_SECONDS)
    all.push(await subscribe(service, { app, ...(card === undefined ? {} : { card }) }))
  }
  return { app, all }
}

/** The subscribers, each at the time at which its subscription is next due. */
async function due({ world }: TestService, all: readonly { email: string }[]): Promise<Subject[]> {
  const rows = await world.db.rows<{ email: string; at: Date }>(sql`
    select u.email_normalized as email, s.next_at as at from subscriptions s
      join licenses l on l.id = s.license_id join users u on u.id = l.user_id
    where u.email_normalized = any (${all.map(({ email }) => email)}::text[]) order by s.next_at`)
  return rows.map((row) => ({ ...row, run: { work: 'renew' } }))
}

export const KILLED_WORK: readonly KilledWork[] = [
  {
    name: 'a purchase',
    prepare: async (service, count) => subjects(service, count, cheapest(service)),
    times: purchases,
  },
  {
    name: 'the start of a trial',
    async prepare(service, count) {
      const { price_id } = await otherApp(service, { trial_days: 14 })
      return subjects(service, count, price_id)
    },
    times: purchases,
    // A card has one trial.
    separate: sql`update cards set fingerprint = id`,
  },
  {
    name: 'a renewal',
    prepare: async (service, count) => due(service, (await subscribers(service, count)).all),
    times: later('renewal', 'active'),
    repeated_after_seconds: 3_700,
  },
  {
    name: 'the retry of a declined renewal',
    async prepare(service, count) {
      const { all } = await subscribers(service, count, CARD.renews_on_retry_1)
      service.clock.pass(7 * DAY - count * APART_SECONDS)
      for (let index = 0; index < count; index++) {
        service.clock.pass(APART_SECONDS)
        await runDue(service)
      }
      return await due(service, all)
    },
    times: later('renewal', 'active'),
    repeated_after_seconds: 3_700,
  },
  {
    name: 'an upgrade',
    async prepare(service, count) {
      const { app, all } = await subscribers(service, count)
      const { world, clock } = service
      const price_id = mintId(world.random, 'prc')
      const { product_id } = app
      const once = { id: price_id, product_id, amount: cents(18_000), frequency: null }
      await world.db.tx((tx) => catalog.addPrice(tx, clock.now(), once))
      return all.map(({ email, user_id, license_id }, index) => {
        const upgrade = { actor: buyerActor({ user_id }), license_id, price_id }
        const at = addSeconds(clock.now(), index * APART_SECONDS)
        return { email, at, run: { work: 'upgrade', upgrade } }
      })
    },
    times: later('upgrade', 'one_time_active'),
  },
  {
    name: 'a refund',
    async prepare(service, count) {
      const actor = await sellerActor(service)
      const made: Subject[] = []
      for (let index = 0; index < count; index++) {
        const { email, invoice_id } = await buy(service)
        const input = { invoice_id, reason: 'The buyer asked for it.' }
        const at = addSeconds(service.clock.now(), index * APART_SECONDS)
        made.push({ email, at, run: { work: 'refund', refund: { actor, input } } })
      }
      return made
    },
    times: ({ email }) => sql`select
      (select count(*) from sandbox.refunds r join sandbox.charges s on s.id = r.charge_id
        join attempts a on a.id = s.key
        where a.email_normalized = ${email} and r.status <> 'refused') as outside,
      (select count(*) from refunds r join charges c on c.id = r.charge_id
        join invoices i on i.id = c.invoice_id join licenses l on l.id = i.license_id
        join users u on u.id = l.user_id where u.email_normalized = ${email}
          and r.status in ('pending', 'succeeded') and l.status = 'canceled') as inside`,
  },
  {
    name: 'a payout',
    async prepare(service, count) {
      await withBank(service, 'seller')
      // From a Monday on, one sale and one payout a week.
      const { clock } = service
      clock.pass(((8 - clock.now().getUTCDay()) % 7) * DAY)
      const made: Subject[] = []
      for (let index = 0; index < count; index++) {
        const { email } = await buy(service, { price: 2 })
        const at = addSeconds(clock.now(), 14 * DAY)
        made.push({ email, at, run: { work: 'payout' } })
        clock.pass(7 * DAY)
      }
      return made
    },
    times: ({ at }) => sql`select
      (select count(*) from sandbox.payouts where created_at >= ${at}) as outside,
      (select count(*) from payouts
        where created_at >= ${at} and status in ('pending', 'paid')) as inside`,
  },
  {
    name: 'the reconciliation of a charge',
    prepare: async (service, count) => subjects(service, count, cheapest(service)),
    times: purchases,
    processor: 'is late',
  },
  {
    name: 'the reconciliation of a request that was lost',
    prepare: async (service, count) => subjects(service, count, cheapest(service)),
    times: purchases,
    processor: 'fails',
  },
]
