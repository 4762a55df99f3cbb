import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as payments from '#domain/payments'
import { disputeOpened } from '#flows/dispute'
import { refundCharge } from '#flows/refund'
import type { Database, Db } from '#platform/db'
import { cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { buyer, enterCard, TEXAS } from '../support/purchase.ts'
import { buy, refund, staffActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, invoicesOf, otherApp, runDue, subscribe } from '../support/subscriber.ts'

// M15: money rules whose violations no other test had found.

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

/** A database that records the statements within transactions. */
function recorded(db: Database, statements: string[]): Database {
  const note = (statement: Sql) => {
    statements.push(statement.text.replaceAll(/\s+/g, ' '))
    return statement
  }
  const recording = (inner: Db): Db => ({
    ...inner,
    rows: async (statement) => await inner.rows(note(statement)),
    maybe: async (statement) => await inner.maybe(note(statement)),
    one: async (statement) => await inner.one(note(statement)),
    run: async (statement) => await inner.run(note(statement)),
  })
  return { ...db, tx: (work) => db.tx((inner) => work(recording(inner))) }
}

test('a subscription that the service brought renews at 10% and 50 cents', async () => {
  const agent = buyer(service)
  const email = 'brought@example.com'
  await agent.open(`/apps/${service.demo.app.slug}/`)
  await agent.press('Buy Pro monthly')
  await agent.submit('Continue', { email, ...TEXAS })
  await enterCard(agent)
  await agent.submit(/^Pay /)
  service.clock.pass(31 * DAY)
  await runDue(service)
  const fees = await service.world.db.rows<{ kind: string; fee: number }>(sql`
    select i.kind, i.fee from invoices i join users u on u.id = i.user_id
    where u.email_normalized = ${email} order by i.number`)
  assert.deepEqual(fees, [
    { kind: 'purchase', fee: 170 },
    { kind: 'renewal', fee: 170 },
  ])
})

describe('the end of a period', () => {
  test('is the moment of the next charge, to the millisecond', async () => {
    const subscriber = await subscribe(service)
    const [first] = await invoicesOf(service, subscriber)
    const end = first!.period_end!
    service.clock.reset(new Date(end.getTime() - 1))
    await runDue(service)
    assert.equal((await invoicesOf(service, subscriber)).length, 1)
    service.clock.reset(end)
    await runDue(service)
    const [, second] = await invoicesOf(service, subscriber)
    assert.deepEqual(second?.period_start, end)
  })

  test('is the same for an app whose test clock is ahead', async () => {
    const app = await otherApp(service, { frequency: 'month', amount: cents(1200) })
    const subscriber = await subscribe(service, { app })
    const [first] = await invoicesOf(service, subscriber)
    // The app's time is the service's plus its clock's offset in seconds.
    const ahead = 8 * DAY
    const end = first!.period_end!.getTime() - ahead * 1000
    await service.world.db.run(
      sql`update apps set clock_ahead = ${ahead} where id = ${app.client_id}`,
    )
    service.clock.reset(new Date(end - 1))
    await runDue(service)
    assert.equal((await invoicesOf(service, subscriber)).length, 1)
    service.clock.reset(new Date(end))
    await runDue(service)
    assert.equal((await invoicesOf(service, subscriber)).length, 2)
  })
})

test('a refund locks the charge before it reads earlier refunds', async () => {
  const bought = await buy(service)
  const { invoice_id } = bought
  const statements: string[] = []
  const world = { ...service.world, db: recorded(service.world.db, statements) }
  const staff = await staffActor(service)
  const given = await refundCharge(world, staff, { invoice_id, reason: 'Asked for.' })
  assert.equal(given.outcome, 'refunded')
  const at = (pattern: RegExp) => statements.findIndex((text) => pattern.test(text))
  const [lock, look, add] = [
    at(/from charges where id = \$1 for update/),
    at(/from refunds r where r\.charge_id/),
    at(/^insert into refunds/),
  ]
  assert.ok(lock >= 0 && lock < look && look < add, statements.join('\n'))
})

test('a dispute of a full charge takes only what was not refunded, and charges no one for the rest', async () => {
  const { charge, user_id } = await buy(service)
  await refund(service, { invoice_id: charge.invoice_id }, 500)
  const { db, clock } = service.world
  const event = {
    id: 'evt_whole',
    kind: 'dispute_opened',
    at: clock.now(),
    dispute_id: 'dp_whole',
    charge_id: charge.processor_charge_id,
    amount: cents(1260),
    reason: 'fraudulent',
    is_inquiry: false,
    due_at: clock.now(),
  } as const
  await assert.rejects(
    db.tx(async (tx) => {
      assert.equal(await disputeOpened(service.world, tx, event), 'done')
      const [dispute] = await payments.disputesOf(tx, charge.id)
      const { amount, owed, tax, fee } = dispute!
      // $5.00 with 24 cents of tax and 24 of the fee went back before; $7.60 are left.
      assert.deepEqual([amount, owed, tax, fee], [1260, 500, 36, 36])
      const moved = await tx.rows(sql`select e.account, e.owner, e.amount
        from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
        where t.subject = ${dispute!.id} and e.account in ('disputes_open', 'buyer_payable')
        order by e.account`)
      assert.deepEqual(moved, [
        { account: 'buyer_payable', owner: user_id, amount: 500 },
        { account: 'disputes_open', owner: '', amount: 760 },
      ])
      // The test's processor does not know the dispute, so nothing of it is kept.
      throw new Error('undone')
    }),
    /undone/,
  )
})
