import { formatMoney } from '#design/money'
import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import type { Db } from '#platform/db'
import type {
  AffiliateId,
  InvoiceId,
  PayoutId,
  RefundId,
  RemittanceId,
  SellerId,
  UserId,
} from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import { checkBuyers } from './buyers.ts'
import {
  amountOrNothing,
  comparePosting,
  inPages,
  type Lines,
  linesOf,
  ofPage,
  type Report,
} from './report.ts'
import { DISPUTES, idsSince, PAYOUTS, REFUNDS } from './since.ts'

/** Checks the posting of every event except a sale; since a time, where there may be many. */
export async function checkPostings(db: Db, report: Report, since?: Date): Promise<void> {
  await checkRefunds(db, report, since)
  await checkDisputes(db, report, since)
  await checkReversals(db, report)
  await checkPayouts(db, report, since)
  await checkRemittances(db, report)
  await checkWriteOffs(db, report)
  await checkSuspenseBookings(db, report)
  await checkBuyers(db, report)
}

interface PartOwners {
  seller_id: SellerId
  user_id: UserId
  state: string
  affiliate_id: AffiliateId | null
}

/** The owners of the parts of a charge. */
const OWNERS = sql`i.seller_id, i.user_id, i.affiliate_id, q.state`
const OF_CHARGE = (charge_id: Sql) => sql`join charges c on c.id = ${charge_id}
  join invoices i on i.id = c.invoice_id
  join tax_quotes q on q.id = i.tax_quote_id`

interface RefundFacts extends PartOwners, billing.Reversal {
  id: RefundId
  status: 'open' | 'pending' | 'succeeded' | 'failed' | 'refused'
  lines: Lines
  failed_lines: Lines
}

async function checkRefunds(db: Db, report: Report, since?: Date): Promise<void> {
  await inPages<RefundFacts>(
    (page) =>
      db.rows(sql`select r.id, r.status, r.amount, r.tax, r.fee, r.add_on_fee, r.commission,
        ${OWNERS}, ${linesOf('refund', sql`r.id`)} as lines,
        ${linesOf('refund_failed', sql`r.id`)} as failed_lines
      from refunds r ${OF_CHARGE(sql`r.charge_id`)}
      where ${ofPage(sql`r.id`, page)}`),
    (refund) => {
      report.count('refunds')
      const { id: refund_id, user_id, status, amount: total } = refund
      const moved = status === 'pending' || status === 'succeeded' || status === 'failed'
      const amount = cents(total - refund.tax)
      const posting = moved ? ledger.refund({ ...refund, amount, refund_id }) : undefined
      comparePosting(report, 'refund', refund_id, posting, refund.lines)
      const reversal =
        status === 'failed' ? ledger.refundFailed({ refund_id, user_id, total }) : undefined
      comparePosting(report, 'refund_failed', refund_id, reversal, refund.failed_lines)
    },
    await idsSince(db, since, REFUNDS),
  )
}

interface DisputePosted
  extends PartOwners,
    billing.Reversal,
    Pick<payments.Dispute, 'id' | 'status' | 'appeal'> {
  owed: Cents
  /** With these it opened, and was won at first. */
  opened_tax: Cents
  opened_owed: Cents
  opened: Lines
  won: Lines
  lost: Lines
  appeal_opened: Lines
  appeal_won: Lines
}

async function checkDisputes(db: Db, report: Report, since?: Date): Promise<void> {
  await inPages<DisputePosted>(
    (page) =>
      db.rows(sql`select d.id, d.status, d.appeal, d.amount, d.owed, d.tax, d.fee, d.add_on_fee,
        d.commission, coalesce(d.opened_tax, d.tax) as opened_tax,
        coalesce(d.opened_owed, d.owed) as opened_owed, ${OWNERS},
        ${linesOf('dispute_opened', sql`d.id`)} as opened,
        ${linesOf('dispute_won', sql`d.id`)} as won,
        ${linesOf('dispute_lost', sql`d.id`)} as lost,
        ${linesOf('appeal_opened', sql`d.id`)} as appeal_opened,
        ${linesOf('appeal_won', sql`d.id`)} as appeal_won
      from disputes d ${OF_CHARGE(sql`d.charge_id`)}
      where ${ofPage(sql`d.id`, page)}`),
    (dispute) => {
      report.count('disputes')
      const { id, status, appeal } = dispute
      const factsWith = (owed: Cents, tax: Cents) => {
        const amount = cents(dispute.amount - owed - tax)
        return { ...dispute, dispute_id: id, owed, tax, amount, cost: billing.DISPUTE_COST }
      }
      const facts = factsWith(dispute.owed, dispute.tax)
      const at_first = factsWith(dispute.opened_owed, dispute.opened_tax)
      const isInquiry = payments.isInquiry(dispute)
      const when = <Made>(is: boolean, make: () => Made) => (is && !isInquiry ? make() : undefined)
      const opened = when(true, () => ledger.disputeOpened(at_first))
      comparePosting(report, 'dispute_opened', id, opened, dispute.opened)
      const won = when(status === 'won' || appeal !== null, () => ledger.disputeWon(at_first))
      comparePosting(report, 'dispute_won', id, won, dispute.won)
      const lost = when(status === 'lost' || appeal !== null, () => ledger.disputeLost(facts))
      comparePosting(report, 'dispute_lost', id, lost, dispute.lost)
      const again = when(appeal === 'lost', () => ledger.appealOpened(facts))
      comparePosting(report, 'appeal_opened', id, again, dispute.appeal_opened)
      const undone = when(appeal === 'won', () => ledger.appealWon(facts))
      comparePosting(report, 'appeal_won', id, undone, dispute.appeal_won)
    },
    await idsSince(db, since, DISPUTES),
  )
}

interface ReversedFacts extends billing.Divided {
  id: InvoiceId
  reversed: Cents
  reversed_tax: Cents
  reversed_fee: Cents
  reversed_add_on_fee: Cents
  reversed_commission: Cents
  /** How many were counted when others were rounded, and are not now. */
  uncounted: number
}

// A payment that arrived after its license had ended is refunded in full, including the fixed part
// of the fee: it never was a sale.
const PROPORTIONAL = sql`not (r.requested_by = 'system' and exists (select 1 from charges c
  join invoices i on i.id = c.invoice_id where c.id = r.charge_id and r.amount = i.amount + i.tax
    and r.tax = i.tax and r.fee = i.fee and r.add_on_fee = i.add_on_fee
    and r.commission = i.commission))`

/** What was reversed of an invoice must be each part's share of it, to the cent. */
async function checkReversals(db: Db, report: Report): Promise<void> {
  const rows = await db.rows<ReversedFacts>(sql`select i.id, i.amount, i.tax, i.fee, i.fixed_fee,
      i.add_on_fee, i.commission, sum(b.amount)::bigint as reversed,
      sum(b.tax)::bigint as reversed_tax, sum(b.fee)::bigint as reversed_fee,
      sum(b.add_on_fee)::bigint as reversed_add_on_fee,
      sum(b.commission)::bigint as reversed_commission,
      (select count(*) from refunds r where r.charge_id = c.id and r.status = 'refused')
        + (select count(*) from disputes d where d.charge_id = c.id
          and (d.status = 'won' or d.appeal is not null)) as uncounted
    from (select r.charge_id, r.amount, r.tax, r.fee, r.add_on_fee, r.commission from refunds r
        where r.status <> 'refused' and ${PROPORTIONAL}
      union all select charge_id, amount - owed, tax, fee, add_on_fee, commission from disputes
        where status in ('open', 'lost')) b
      join charges c on c.id = b.charge_id join invoices i on i.id = c.invoice_id
    group by i.id, c.id`)
  for (const invoice of rows) {
    const whole = invoice.amount + invoice.tax
    if (invoice.reversed > whole) {
      const of = `${formatMoney(invoice.reversed)} of ${formatMoney(cents(whole))}`
      const detail = `${of} was refunded or disputed`
      report.differ('refunds do not exceed the charge', invoice.id, detail)
      continue
    }
    if (invoice.reversed === 0) continue
    const expected = billing.reversalOf(invoice, billing.NO_REVERSAL, invoice.reversed)
    for (const part of ['tax', 'fee', 'add_on_fee', 'commission'] as const) {
      const found = invoice[`reversed_${part}`]
      // A refused refund or a dispute that was won was counted when later ones were rounded, which
      // may move a part by a cent.
      if (Math.abs(found - expected[part]) <= invoice.uncounted) continue
      const detail = `${part} ${formatMoney(found)}, expected ${formatMoney(expected[part])}`
      report.differ('a refund is divided like its invoice', invoice.id, detail)
    }
  }
}

interface PayoutPosted extends Omit<ledger.PaidOut, 'payout_id'> {
  id: PayoutId
  status: string
  lines: Lines
  failed_lines: Lines
}

async function checkPayouts(db: Db, report: Report, since?: Date): Promise<void> {
  await inPages<PayoutPosted>(
    (page) =>
      db.rows(sql`select p.id, p.owner, p.account, p.amount, p.status,
        ${linesOf('payout', sql`p.id`)} as lines,
        ${linesOf('payout_failed', sql`p.id`)} as failed_lines
      from payouts p where ${ofPage(sql`p.id`, page)}`),
    (payout) => {
      report.count('payouts')
      const { id: payout_id, status } = payout
      const posting = ledger.payout({ ...payout, payout_id })
      comparePosting(report, 'payout', payout_id, posting, payout.lines)
      const reversal =
        status === 'failed' ? ledger.payoutFailed({ ...payout, payout_id }) : undefined
      comparePosting(report, 'payout_failed', payout_id, reversal, payout.failed_lines)
    },
    await idsSince(db, since, PAYOUTS),
  )
}

async function checkRemittances(db: Db, report: Report): Promise<void> {
  await inPages<{ id: RemittanceId; state: string; amount: Cents; lines: Lines }>(
    (page) =>
      db.rows(sql`select r.id, r.state, r.amount, ${linesOf('remittance', sql`r.id`)} as lines
      from remittances r where ${ofPage(sql`r.id`, page)}`),
    (remittance) => {
      report.count('remittances')
      const { id: remittance_id, lines } = remittance
      const posting = ledger.remittance({ ...remittance, remittance_id })
      comparePosting(report, 'remittance', remittance_id, posting, lines)
    },
  )
}

type WriteOffFacts = ledger.Debtor & Pick<ledger.WriteOff, 'id' | 'amount'> & { lines: Lines }

async function checkWriteOffs(db: Db, report: Report): Promise<void> {
  await inPages<WriteOffFacts>(
    (page) =>
      db.rows(sql`select w.id, w.account, w.owner, w.amount,
        ${linesOf('write_off', sql`w.id`)} as lines
      from write_offs w where ${ofPage(sql`w.id`, page)}`),
    (written_off) => {
      report.count('write-offs')
      const { id: write_off_id, lines } = written_off
      const posting = ledger.writeOff({ ...written_off, write_off_id })
      comparePosting(report, 'write_off', write_off_id, posting, lines)
    },
  )
}

interface SuspenseFacts extends Pick<ledger.SuspenseBooking, 'id' | 'account' | 'amount'> {
  /** What moved at the processor; null if it is not of this kind. */
  moved: Cents | null
  lines: Lines
}

async function checkSuspenseBookings(db: Db, report: Report): Promise<void> {
  await inPages<SuspenseFacts>(
    (page) =>
      db.rows(sql`select s.id, s.account, s.amount, b.amount as moved,
        ${linesOf('suspense_booked', sql`s.id`)} as lines
      from suspense_bookings s left join balance_transactions b
        on b.processor = s.processor and b.id = s.movement_id and b.kind = 'other'
      where ${ofPage(sql`s.id`, page)}`),
    ({ moved, lines, ...booking }) => {
      report.count('booked movements')
      const { id, amount } = booking
      if (moved !== amount) {
        const detail = `${formatMoney(amount)} was booked; ${amountOrNothing(moved)} moved`
        report.differ('a booked movement is that of the processor', id, detail)
      }
      comparePosting(report, 'suspense_booked', id, ledger.suspenseBooked(booking), lines)
    },
  )
}
