import * as affiliates from '#domain/affiliates'
import * as ledger from '#domain/ledger'
import { sumMetrics } from '#domain/metrics'
import { sumBalances } from '#domain/payouts'
import { sumTaxes } from '#domain/tax'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { testId } from '../../support/ids.ts'
import { aSale, idOf, type PlantedFault } from './planted-fault.ts'

const ofSale = (id: string, account: string) => sql`e.transaction_id =
  (select t.id from ledger_transactions t where t.event = 'sale' and t.subject = ${id})
  and e.account = ${account}`

/** Faults in our own tables. */
export const FAULTS_OF_TABLES: Record<string, PlantedFault> = {
  'a cent that moved from the fee to the seller': {
    rule: 'sale is posted',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      for (const [account, cent] of [
        ['fees', 1],
        ['seller_payable', -1],
      ] as const) {
        await tx.run(
          sql`update ledger_entries e set amount = amount + ${cent} where ${ofSale(id, account)}`,
        )
      }
      return id
    },
  },
  'a line that lost a cent': {
    rule: 'a transaction sums to zero',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      await tx.run(sql`update ledger_entries e set amount = amount + 1 where ${ofSale(id, 'fees')}`)
      return await idOf(tx, sql`select id from ledger_transactions where subject = ${id}`)
    },
  },
  'a posting that nothing led to': {
    rule: 'a posting has its cause',
    async plant(tx, { now }) {
      const facts = {
        payout_id: testId('po_unknown'),
        account: 'seller_payable',
        owner: testId('sel_1'),
      } as const
      const posting = ledger.payout({ ...facts, amount: cents(5000) })
      await ledger.post(tx, now, testId('txn_planted'), posting)
      return 'po_unknown'
    },
  },
  'a sale that is not on the books': {
    rule: 'sale is posted',
    async plant(tx) {
      const id = await idOf(
        tx,
        sql`select t.subject as id from ledger_transactions t where t.event = 'sale'
          and not exists (select 1 from payout_lines l where l.transaction_id = t.id) limit 1`,
      )
      await tx.run(sql`delete from ledger_entries e using ledger_transactions t
        where t.id = e.transaction_id and t.subject = ${id}`)
      await tx.run(sql`delete from ledger_transactions where subject = ${id}`)
      return id
    },
  },
  'a figure of the overview that is off': {
    rule: 'figures by day are those of the ledger and the licenses',
    async plant(tx) {
      await sumMetrics(tx, 100_000)
      return await idOf(
        tx,
        sql`update metric_days set amount = amount + 1 where (app_id, metric, day) =
          (select app_id, metric, day from metric_days where metric = 'sale' limit 1)
          returning app_id as id`,
      )
    },
  },
  'a commission of a day that is off': {
    rule: 'referred figures are those of invoices and ledger',
    async plant(tx) {
      await affiliates.sumReferred(tx, 100_000)
      return await idOf(
        tx,
        sql`update referred_days set commission = commission + 1 where (affiliate_id, app_id, day) =
          (select affiliate_id, app_id, day from referred_days where commission > 0 limit 1)
          returning affiliate_id as id`,
      )
    },
  },
  'a referred purchase that no day counts': {
    rule: 'referred figures are those of invoices and ledger',
    async plant(tx) {
      await affiliates.sumReferred(tx, 100_000)
      return await idOf(
        tx,
        sql`delete from referred_days where (affiliate_id, app_id, day) =
          (select affiliate_id, app_id, day from referred_days where purchases > 0 limit 1)
          returning affiliate_id as id`,
      )
    },
  },
  'a fee that is not what its terms make': {
    rule: 'a fee follows its terms',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      await tx.run(sql`update invoices set fee = fee + 1 where id = ${id}`)
      return id
    },
  },
  'a discount that no code takes off': {
    rule: 'a discount is what its code takes off',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      await tx.run(sql`update invoice_lines set amount = amount + 100
        where invoice_id = ${id} and kind = 'price'`)
      await tx.run(sql`insert into invoice_lines (invoice_id, position, kind, amount, code)
        values (${id}, 9, 'discount', -100, 'NO-SUCH-CODE')`)
      return id
    },
  },
  'a commission above a quarter': {
    rule: 'a commission is a quarter of the fee',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from invoices where commission > 0 limit 1`)
      await tx.run(sql`update invoices set commission = commission + 1 where id = ${id}`)
      return id
    },
  },
  // R14
  'a sum of tax that its lines do not make': {
    rule: 'sums of tax are those of the lines',
    async plant(tx) {
      await sumTaxes(tx, 1000)
      await tx.run(sql`update tax_sums set tax = tax + 1 where state = 'TX' and event = 'sale'
        and month = '2026-03'`)
      return 'TX 2026-03'
    },
  },
  'a quote that its rule does not make': {
    rule: 'a quote follows its rule',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      await tx.run(sql`update tax_quotes set tax = tax + 1
        where id = (select tax_quote_id from invoices where id = ${id})`)
      return id
    },
  },
  // M7
  'a charge by a rate that was no longer in force': {
    rule: 'a charge follows the rate of its day',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      await tx.run(sql`update tax_quotes set rule = 'US-DC:2020-01-01:taxable', state = 'DC',
          rate_ppm = 60000, taxable_ppm = 1000000, tax = round(amount * 0.06)
        where id = (select tax_quote_id from invoices where id = ${id})`)
      await tx.run(sql`update invoices i set tax = q.tax from tax_quotes q
        where q.id = i.tax_quote_id and i.id = ${id}`)
      await tx.run(sql`update invoices set created_at = '2026-10-01T00:00:00Z' where id = ${id}`)
      return id
    },
  },
  'a charge of another amount than the invoice': {
    rule: 'a paid invoice has its charge',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      await tx.run(sql`update charges set amount = amount - 1 where invoice_id = ${id}`)
      return id
    },
  },
  'a refund whose tax is not its share': {
    rule: 'a refund is divided like its invoice',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from refunds order by amount limit 1`)
      await tx.run(sql`update refunds set tax = tax + 1 where id = ${id}`)
      return await idOf(
        tx,
        sql`select c.invoice_id as id from refunds r join charges c on c.id = r.charge_id
          where r.id = ${id}`,
      )
    },
  },
  'a refund that was refused, and posted': {
    rule: 'refund is posted',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from refunds where status = 'succeeded' limit 1`)
      await tx.run(sql`update refunds set status = 'refused' where id = ${id}`)
      return id
    },
  },
  'a dispute that was lost, and posted as won': {
    rule: 'dispute_lost is posted',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from disputes where status = 'won'`)
      await tx.run(sql`update disputes set status = 'lost' where id = ${id}`)
      return id
    },
  },
  'a payout that pays more than its lines': {
    rule: 'a payout is the sum of its lines',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from payouts where status = 'paid'`)
      await tx.run(sql`update payouts set amount = amount + 1 where id = ${id}`)
      return id
    },
  },
  'a line that was paid out while it was delayed': {
    rule: 'a payout pays what is available',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from payouts where status = 'failed'`)
      await tx.run(sql`update payouts set created_at = created_at - interval '10 days'
        where id = ${id}`)
      return id
    },
  },
  'a payout that came back, and is not owed again': {
    rule: 'payout_failed is posted',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from payouts where status = 'paid'`)
      await tx.run(sql`update payouts set status = 'failed' where id = ${id}`)
      return id
    },
  },
  // R14
  'a running balance that lost a cent': {
    rule: 'a running balance is that of the ledger',
    async plant(tx) {
      await sumBalances(tx, 1000)
      const owner = await idOf(tx, sql`select owner as id from payee_balances limit 1`)
      await tx.run(sql`update payee_balances set amount = amount + 1 where owner = ${owner}`)
      return owner
    },
  },
  'a line that no payout took, and that is not listed': {
    rule: 'an unpaid line is listed',
    async plant(tx) {
      const id = await idOf(tx, sql`select transaction_id as id from unpaid_lines limit 1`)
      await tx.run(sql`delete from unpaid_lines where transaction_id = ${id}`)
      return id
    },
  },
  'a line that is listed though a payout took it': {
    rule: 'an unpaid line is listed',
    async plant(tx) {
      const id = await idOf(tx, sql`select transaction_id as id from payout_lines limit 1`)
      await tx.run(sql`insert into unpaid_lines select * from payee_lines
        where transaction_id = ${id} on conflict do nothing`)
      return id
    },
  },
  'a write-off that is not posted': {
    rule: 'write_off is posted',
    async plant(tx, { now }) {
      const id = testId('wof_planted')
      const debt = {
        account: 'seller_payable',
        owner: testId('sel_1'),
        amount: cents(100),
      } as const
      const by = { written_off_by: testId('usr_1'), reason: 'planted' }
      await ledger.addWriteOff(tx, now, { id, ...debt, ...by })
      return id
    },
  },
  'a posting of a write-off that is not on record': {
    rule: 'a posting has its cause',
    async plant(tx, { now }) {
      const debt = {
        account: 'seller_payable',
        owner: testId('sel_1'),
        amount: cents(100),
      } as const
      const posting = ledger.writeOff({ write_off_id: testId('wof_planted'), ...debt })
      await ledger.post(tx, now, testId('txn_planted'), posting)
      return 'wof_planted'
    },
  },
  'a filing of another figure than its month': {
    rule: 'a filing is its month',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from remittances`)
      await tx.run(sql`update remittances set collected = collected - 1 where id = ${id}`)
      return id
    },
  },
  'a refund of another name than the processor has': {
    rule: 'a refund is one that the processor made',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from refunds where status = 'succeeded' limit 1`)
      await tx.run(sql`update refunds set processor_refund_id = 're_planted' where id = ${id}`)
      return id
    },
  },
  'a payout of another name than the processor has': {
    rule: 'a payout is one that the processor made',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from payouts where status = 'paid'`)
      await tx.run(sql`update payouts set processor_payout_id = 'po_planted' where id = ${id}`)
      return id
    },
  },
}
