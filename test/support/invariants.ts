import assert from 'node:assert/strict'
import * as licensing from '#domain/licensing'
import { type Sql, sql } from '#platform/sql'
import type { TestService } from './service.ts'

const ALIVE = sql`status not in ('canceled', 'preview')`

/** Rules over the tables, each as a question for the rows that break it. */
const RULES: readonly (readonly [rule: string, broken: Sql])[] = [
  [
    'every ledger transaction sums to zero',
    sql`select t.id from ledger_transactions t
      left join ledger_entries e on e.transaction_id = t.id
      group by t.id, e.currency having coalesce(sum(e.amount), 1) <> 0`,
  ],
  [
    'a cart is charged once at the processor',
    sql`select a.cart_id from attempts a join sandbox.charges s on s.key = a.id
      where s.status = 'succeeded' group by a.cart_id having count(*) > 1`,
  ],
  [
    'money that the processor took has its charge, its order and its license',
    sql`select s.id, s.amount from sandbox.charges s
      left join charges c on c.processor_charge_id = s.id and c.amount = s.amount
      left join orders o on o.id = c.order_id
      left join licenses l on l.id = o.license_id
      where s.status = 'succeeded' and s.amount > 0 and l.id is null`,
  ],
  [
    'a charge on the books is one that the processor made',
    sql`select c.id from charges c
      left join sandbox.charges s on s.id = c.processor_charge_id and s.status = 'succeeded'
      where s.id is null`,
  ],
  [
    'a license comes from an order, and a preview from none',
    sql`select l.id from licenses l left join orders o on o.license_id = l.id
      group by l.id having (count(o.id) = 0) <> exists (select 1 from license_history h
        where h.license_id = l.id and h.to_status = 'preview')`,
  ],
  [
    'a preview of an app is held by its developer',
    sql`select l.id from license_history h join licenses l on l.id = h.license_id
      join apps a on a.id = l.app_id join sellers s on s.id = a.seller_id
      where h.to_status = 'preview' and l.user_id <> s.user_id`,
  ],
  [
    'nobody is charged for an app of his own',
    sql`select o.id from orders o join apps a on a.id = o.app_id
      join sellers s on s.id = a.seller_id where o.user_id = s.user_id`,
  ],
  [
    'an order that was paid has one charge of that amount, and a trial none',
    sql`select o.id from orders o left join charges c on c.order_id = o.id
      group by o.id having count(c.id) <> (case when o.charged > 0 then 1 else 0 end)
        or coalesce(sum(c.amount), 0) <> o.charged`,
  ],
  [
    'a buyer holds one live license of an app',
    sql`select app_id, user_id from licenses where ${ALIVE}
      group by app_id, user_id having count(*) > 1`,
  ],
  [
    'what was charged is the price and the tax of the stored quote',
    sql`select o.id from orders o join tax_quotes q on q.id = o.tax_quote_id
      where o.amount <> q.amount or o.tax <> q.tax
        or o.charged not in (0, q.amount + q.tax)`,
  ],
  [
    'a sale is the tax, the commission, the rest of the fee and what the seller gets, to the cent',
    sql`select o.id from orders o
      left join ledger_transactions t on t.event = 'sale' and t.subject = o.id
      left join ledger_entries e on e.transaction_id = t.id
      where o.charged > 0 group by o.id
      having coalesce(sum(e.amount) filter (where e.account = 'processor'), 0) <> o.charged
        or coalesce(sum(e.amount) filter (where e.account = 'tax_payable'), 0) <> -o.tax
        or coalesce(sum(e.amount) filter (where e.account = 'affiliate_payable'), 0)
          <> -o.commission
        or coalesce(sum(e.amount) filter (where e.account = 'fees'), 0)
          <> o.commission - o.fee
        or coalesce(sum(e.amount) filter (where e.account = 'seller_payable'), 0)
          <> o.fee - o.amount`,
  ],
  [
    'the last rotation of a key has its line in the audit log',
    sql`select l.id from licenses l left join audit_log a
      on a.subject = l.id and a.action = 'license.key_rotated'
      group by l.id having l.rotated_at is distinct from max(a.at)`,
  ],
  [
    'an order has one receipt',
    sql`select o.id from orders o left join letters l on l.cause = 'receipt:' || o.id
      group by o.id having count(l.id) <> 1`,
  ],
]

/**
 * Asserts what holds after everything that can happen: over the service's tables, with the sandbox
 * processor's own records as the second truth, and over every key and order reference.
 */
export async function assertInvariants(service: TestService): Promise<void> {
  const { db, clock } = service.world
  for (const [rule, broken] of RULES) assert.deepEqual(await db.rows(broken), [], rule)
  const patience = new Date(clock.now().getTime() - 15 * 60_000)
  const stuck = sql`select id, status from attempts
    where status in ('open', 'action_required') and created_at < ${patience}`
  assert.deepEqual(await db.rows(stuck), [], 'no attempt stays open for more than a quarter hour')
  await assertKeysAndReferences(service)
}

/** One live key a license, and references that resolve for the order's own app alone. */
async function assertKeysAndReferences({ world }: TestService): Promise<void> {
  const { db, keys, clock } = world
  const now = clock.now()
  const clients = await db.rows<{ client_id: string; app_id: string }>(
    sql`select client_id, app_id from clients`,
  )
  const licenses = await db.rows<licensing.License & { order_id: string | null }>(sql`
    select l.id as license_id, l.app_id, l.key_sealed, o.id as order_id
    from licenses l left join orders o on o.license_id = l.id order by l.created_at desc limit 20`)
  for (const { license_id, app_id, key_sealed, order_id } of licenses) {
    const license_key = licensing.showKey(keys, { license_id, key_sealed })
    assert.ok(licensing.isWellFormedKey(license_key))
    for (const { client_id, app_id: asker } of clients) {
      const { found } = await licensing.findByKey(db, keys, { client_id, license_key })
      assert.equal(found?.license_id, asker === app_id ? license_id : undefined)
      if (order_id === null) continue
      const reference = licensing.signReference(keys, now, { client_id: app_id, order_id })
      const read = licensing.readReference(keys, now, { client_id, reference })
      assert.equal(read, asker === app_id ? order_id : undefined)
    }
  }
}
