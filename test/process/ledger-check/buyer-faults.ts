import * as ledger from '#domain/ledger'
import type { UserId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { testId } from '../../support/ids.ts'
import { idOf, type PlantedFault } from './planted-fault.ts'

/** Faults in our own tables of what buyers were paid or repaid besides refunds to their card. */
export const FAULTS_OF_BUYERS: Record<string, PlantedFault> = {
  'a balance of a buyer that lost a cent': {
    rule: 'a balance of a buyer is that of the ledger',
    async plant(tx) {
      const id = await idOf(tx, sql`select user_id as id from buyer_balances limit 1`)
      await tx.run(sql`update buyer_balances set amount = amount - 1 where user_id = ${id}`)
      return id
    },
  },
  'a payment to a buyer of another amount than was posted': {
    rule: 'buyer_paid is posted',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from buyer_payments`)
      await tx.run(sql`update buyer_payments set amount = amount + 1 where id = ${id}`)
      return id
    },
  },
  'a part of a payment to a buyer that is missing': {
    rule: 'a payment to a buyer is the sum of its parts',
    async plant(tx) {
      return await idOf(tx, sql`delete from buyer_payment_parts returning payment_id as id`)
    },
  },
  'a posting of a payment to a buyer that is not on record': {
    rule: 'a posting has its cause',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from buyer_payments`)
      await tx.run(sql`delete from buyer_payment_parts where payment_id = ${id}`)
      await tx.run(sql`delete from buyer_payments where id = ${id}`)
      return id
    },
  },
  'a repayment by a buyer of another amount than was posted': {
    rule: 'excess_repaid is posted',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from excess_repayments`)
      await tx.run(sql`update excess_repayments set amount = amount + 1 where id = ${id}`)
      return id
    },
  },
  'a part of a repayment by a buyer that is missing': {
    rule: 'a settled excess is the sum of its parts',
    async plant(tx) {
      return await idOf(
        tx,
        sql`delete from excess_parts where settlement_id in (select id from excess_repayments)
          returning settlement_id as id`,
      )
    },
  },
  'a part of a write-off of an excess that is missing': {
    rule: 'a settled excess is the sum of its parts',
    async plant(tx) {
      return await idOf(
        tx,
        sql`delete from excess_parts where settlement_id in (select id from write_offs)
          returning settlement_id as id`,
      )
    },
  },
  'a reversed write-off that is not posted': {
    rule: 'write_off_reversed is posted',
    async plant(tx, { now }) {
      const id = testId('wor_planted')
      const row = sql`select user_id as id from excess_repayments`
      const { id: user_id } = await tx.one<{ id: UserId }>(row)
      await ledger.addReversal(tx, now, { id, user_id, amount: cents(100) })
      return id
    },
  },
  'a posting of a reversed write-off that is not on record': {
    rule: 'a posting has its cause',
    async plant(tx, { now }) {
      const facts = { user_id: testId('usr_1'), total: cents(100) }
      const posting = ledger.writeOffReversed({ reversal_id: testId('wor_planted'), ...facts })
      await ledger.post(tx, now, testId('txn_planted'), posting)
      return 'wor_planted'
    },
  },
  'a posting of a repayment by a buyer that is not on record': {
    rule: 'a posting has its cause',
    async plant(tx) {
      await tx.run(sql`delete from excess_parts`)
      return await idOf(tx, sql`delete from excess_repayments returning id`)
    },
  },
  'a refund that was made again, of another amount than was posted': {
    rule: 'refund_reissued is posted',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from reissued_refunds where amount = 500`)
      await tx.run(sql`update reissued_refunds set amount = amount + 1 where id = ${id}`)
      return id
    },
  },
  'a refund that was made again and returned, without a posting': {
    rule: 'refund_reissue_failed is posted',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from reissued_refunds where amount = 500`)
      await tx.run(sql`update reissued_refunds set status = 'failed' where id = ${id}`)
      return id
    },
  },
  'a refund that was made again and is not on record': {
    rule: 'a refund at the processor is recorded',
    async plant(tx) {
      const { id } = await tx.one<{ id: string }>(sql`delete from reissued_refunds
        where amount = 500 returning processor_refund_id as id`)
      return id
    },
  },
}
