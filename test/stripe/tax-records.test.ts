import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ProcessorEvent } from '#domain/payments'
import { disputeClosed, disputeOpened } from '#flows/dispute'
import { recordTaxes } from '#flows/record-taxes'
import { refundCharge, refundSettled } from '#flows/refund'
import type { Db } from '#platform/db'
import type { InvoiceId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { ManualClock } from '../support/clock.ts'
import { buyer, TEXAS } from '../support/purchase.ts'
import { staffActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { SECRET_KEY, StripeDouble, WEBHOOK_SECRET } from '../support/stripe-double.ts'

type EventOf<Kind extends ProcessorEvent['kind']> = Extract<ProcessorEvent, { kind: Kind }>

// M6, M14
describe('the tax that Stripe has on record', () => {
  const clock = new ManualClock()
  let double: StripeDouble
  let service: TestService
  before(async () => {
    double = await StripeDouble.open(() => clock.now())
    service = await openTestService({
      clock,
      settings: {
        STRIPE_SECRET_KEY: SECRET_KEY,
        STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
        STRIPE_API_BASE: double.url,
        TAX_PROVIDER: 'stripe',
      },
    })
  })
  after(async () => {
    await service.close()
    await double.close()
  })

  /** Buys the cast's monthly plan, and returns the charge. */
  async function charged(email: string) {
    const agent = buyer(service)
    await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
    const away = await agent.submit('Continue', { email, ...TEXAS })
    const back = double.enterCard(away.url.split('/').at(-1)!, '4242424242424242', '78701')
    await agent.open(back)
    await agent.submit(/^Pay /)
    await recordTaxes(service.world)
    return await service.world.db.one<{ charge_id: string; invoice_id: InvoiceId; amount: number }>(
      sql`select processor_charge_id as charge_id, invoice_id, amount from charges
        order by created_at desc, id desc limit 1`,
    )
  }

  const handle = async (work: (tx: Db) => Promise<'done' | 'later'>) =>
    assert.equal(await service.world.db.tx(work), 'done')

  async function decide(dispute_id: string, outcome: 'won' | 'lost') {
    clock.pass(60)
    const at = clock.now()
    const event = { id: `evt_${outcome}`, kind: 'dispute_closed', at, dispute_id, outcome } as const
    await handle((tx) => disputeClosed(service.world, tx, event as EventOf<'dispute_closed'>))
  }

  /** Opens a dispute of a whole charge, and decides it against the seller. */
  async function lose(dispute_id: string, charge: { charge_id: string; amount: number }) {
    const at = clock.now()
    const opened = {
      id: `evt_opened_${dispute_id}`,
      kind: 'dispute_opened',
      at,
      dispute_id,
      charge_id: charge.charge_id,
      amount: cents(charge.amount),
      reason: 'fraudulent',
      is_inquiry: false,
      due_at: at,
    } as const
    await handle((tx) => disputeOpened(service.world, tx, opened))
    await decide(dispute_id, 'lost')
  }

  /** What is on record of a sale: its tax transactions, oldest first. */
  async function recordOf(invoice_id: string) {
    const { db } = service.world
    const rows = await db.rows<{ transaction_id: string }>(sql`select transaction_id
      from tax_records where invoice_id = ${invoice_id} order by recorded_at, subject`)
    const known = double.state.all('tax.transaction', () => true)
    return rows.map(({ transaction_id }) => known.find(({ id }) => id === transaction_id)!)
  }

  test('of a sale whose lost dispute is won on appeal is due again', async () => {
    const { charge_id, invoice_id, amount } = await charged('robin.appeal@example.com')
    await lose('du_appeal', { charge_id, amount })
    assert.equal(await recordTaxes(service.world), 1)
    await decide('du_appeal', 'won')
    assert.equal(await recordTaxes(service.world), 1)
    assert.equal(await recordTaxes(service.world), 0)
    const [sale, lost, undone] = await recordOf(invoice_id)
    assert.deepEqual(
      [sale?.amount_total, lost?.amount_total, undone?.amount_total],
      [amount, -amount, amount],
    )
    assert.equal(undone?.reversal.original_transaction, lost?.id)
  })

  test('of a sale whose dispute is won on appeal before its loss was recorded stays', async () => {
    const { charge_id, invoice_id, amount } = await charged('robin.quick@example.com')
    await lose('du_quick', { charge_id, amount })
    await decide('du_quick', 'won')
    assert.equal(await recordTaxes(service.world), 0)
    assert.equal((await recordOf(invoice_id)).length, 1)
  })

  // The buyer is owed the money, so the books keep the tax as not owed (docs/money.md).
  for (const when of ['before', 'after'] as const) {
    test(`of a refund that fails ${when} it is recorded stays reversed`, async () => {
      const { invoice_id, amount } = await charged(`robin.${when}@example.com`)
      const { world } = service
      const staff = await staffActor(service)
      const given = await refundCharge(world, staff, { invoice_id, reason: 'Asked for.' })
      assert.equal(given.outcome, 'refunded')
      if (when === 'after') assert.equal(await recordTaxes(world), 1)
      const { refund_id } = await world.db.one<{ refund_id: string }>(
        sql`select processor_refund_id as refund_id from refunds
          order by created_at desc, id desc limit 1`,
      )
      clock.pass(60)
      const event = {
        id: `evt_${when}`,
        kind: 'refund_settled',
        at: clock.now(),
        refund_id,
      } as const
      const failed = { ...event, outcome: 'failed' } as EventOf<'refund_settled'>
      await handle((tx) => refundSettled(world, tx, failed))
      assert.equal(await recordTaxes(world), when === 'before' ? 1 : 0)
      const [, back, ...more] = await recordOf(invoice_id)
      assert.equal(back?.amount_total, -amount)
      assert.deepEqual(more, [])
      const owed = await world.db.one<{
        tax: number
      }>(sql`
        select coalesce(sum(e.amount), 0)::int as tax
        from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
        where e.account = 'tax_payable' and t.subject in (${invoice_id},
          (select id from refunds where processor_refund_id = ${refund_id}))`)
      assert.equal(owed.tax, 0)
    })
  }
})
