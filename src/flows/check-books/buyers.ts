import { formatMoney } from '#design/money'
import * as ledger from '#domain/ledger'
import type { Db } from '#platform/db'
import type {
  BuyerPaymentId,
  ExcessRepaymentId,
  ReissueId,
  UserId,
  WriteOffId,
  WriteOffReversalId,
} from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import { comparePosting, inPages, type Lines, linesOf, ofPage, type Report } from './report.ts'

/**
 * Checks the postings of what buyers were given because a refund of theirs had failed, and of what
 * they repaid because they had received too much, and the balance of each buyer.
 */
export async function checkBuyers(db: Db, report: Report): Promise<void> {
  await checkPayments(db, report)
  await checkReissues(db, report)
  await checkRepayments(db, report)
  await checkReversals(db, report)
  await checkWrittenOff(db, report)
  await checkBalances(db, report)
}

/** What the books say of a payment to a buyer or by one. */
interface Settlement<Id extends string> {
  id: Id
  user_id: UserId
  amount: Cents
  /** The sum of its parts of charges of that buyer. */
  divided: Cents
  lines: Lines
}

async function checkPayments(db: Db, report: Report): Promise<void> {
  await inPages<Settlement<BuyerPaymentId>>(
    (page) =>
      db.rows(sql`select b.id, b.user_id, b.amount,
        (select coalesce(sum(p.amount), 0)::bigint from buyer_payment_parts p
          join charges c on c.id = p.charge_id join invoices i on i.id = c.invoice_id
          where p.payment_id = b.id and i.user_id = b.user_id) as divided,
        ${linesOf('buyer_paid', sql`b.id`)} as lines
      from buyer_payments b where ${ofPage(sql`b.id`, page)}`),
    ({ id: payment_id, user_id, amount: total, divided, lines }) => {
      report.count('payments to buyers')
      if (divided !== total) {
        const detail = `${formatMoney(total)} was paid; the parts are ${formatMoney(divided)}`
        report.differ('a payment to a buyer is the sum of its parts', payment_id, detail)
      }
      const posting = ledger.buyerPaid({ payment_id, user_id, total })
      comparePosting(report, 'buyer_paid', payment_id, posting, lines)
    },
  )
}

interface ReissueFacts {
  id: ReissueId
  user_id: UserId
  amount: Cents
  status: 'pending' | 'succeeded' | 'failed'
  lines: Lines
  failed_lines: Lines
}

async function checkReissues(db: Db, report: Report): Promise<void> {
  await inPages<ReissueFacts>(
    (page) =>
      db.rows(sql`select r.id, i.user_id, r.amount, r.status,
        ${linesOf('refund_reissued', sql`r.id`)} as lines,
        ${linesOf('refund_reissue_failed', sql`r.id`)} as failed_lines
      from reissued_refunds r join charges c on c.id = r.charge_id
        join invoices i on i.id = c.invoice_id
      where ${ofPage(sql`r.id`, page)}`),
    ({ id: reissue_id, user_id, amount: total, status, lines, failed_lines }) => {
      report.count('refunds made again')
      const facts = { reissue_id, user_id, total }
      comparePosting(report, 'refund_reissued', reissue_id, ledger.refundReissued(facts), lines)
      const reversal = status === 'failed' ? ledger.refundReissueFailed(facts) : undefined
      comparePosting(report, 'refund_reissue_failed', reissue_id, reversal, failed_lines)
    },
  )
}

async function checkRepayments(db: Db, report: Report): Promise<void> {
  await inPages<Settlement<ExcessRepaymentId>>(
    (page) =>
      db.rows(sql`select r.id, r.user_id, r.amount,
        ${dividedExcess(sql`r.id`, sql`r.user_id`)} as divided,
        ${linesOf('excess_repaid', sql`r.id`)} as lines
      from excess_repayments r where ${ofPage(sql`r.id`, page)}`),
    ({ id: repayment_id, user_id, amount: total, divided, lines }) => {
      report.count('repayments by buyers')
      compareParts(report, { id: repayment_id, total, divided })
      const posting = ledger.excessRepaid({ repayment_id, user_id, total })
      comparePosting(report, 'excess_repaid', repayment_id, posting, lines)
    },
  )
}

async function checkReversals(db: Db, report: Report): Promise<void> {
  await inPages<Settlement<WriteOffReversalId>>(
    (page) =>
      db.rows(sql`select r.id, r.user_id, r.amount,
        -${dividedExcess(sql`r.id`, sql`r.user_id`)} as divided,
        ${linesOf('write_off_reversed', sql`r.id`)} as lines
      from write_off_reversals r where ${ofPage(sql`r.id`, page)}`),
    ({ id: reversal_id, user_id, amount: total, divided, lines }) => {
      report.count('reversed write-offs')
      compareParts(report, { id: reversal_id, total, divided })
      const posting = ledger.writeOffReversed({ reversal_id, user_id, total })
      comparePosting(report, 'write_off_reversed', reversal_id, posting, lines)
    },
  )
}

/** The parts of what was written off of buyers' excess; its posting is checked with the others. */
async function checkWrittenOff(db: Db, report: Report): Promise<void> {
  await inPages<{ id: WriteOffId; amount: Cents; divided: Cents }>(
    (page) =>
      db.rows(sql`select w.id, w.amount, ${dividedExcess(sql`w.id`, sql`w.owner`)} as divided
      from write_offs w where w.account = 'buyer_payable' and ${ofPage(sql`w.id`, page)}`),
    ({ id, amount: total, divided }) => compareParts(report, { id, total, divided }),
  )
}

/** The balances by which staff find buyers who owe or are owed match the ledger. */
async function checkBalances(db: Db, report: Report): Promise<void> {
  for (const { user_id, found, expected } of await ledger.wrongBuyerBalances(db)) {
    const detail = `it is ${formatMoney(found)}, and the entries come to ${formatMoney(expected)}`
    report.differ('a balance of a buyer is that of the ledger', user_id, detail)
  }
}

function compareParts(report: Report, facts: { id: string; total: Cents; divided: Cents }): void {
  const { id, total, divided } = facts
  if (divided === total) return
  const detail = `${formatMoney(total)} was settled; the parts are ${formatMoney(divided)}`
  report.differ('a settled excess is the sum of its parts', id, detail)
}

/** A column with the sum of the parts of a settlement that are of charges of its buyer. */
function dividedExcess(settlement_id: Sql, user_id: Sql): Sql {
  return sql`(select coalesce(sum(p.amount), 0)::bigint from excess_parts p
    join charges c on c.id = p.charge_id join invoices i on i.id = c.invoice_id
    where p.settlement_id = ${settlement_id} and i.user_id = ${user_id})`
}
