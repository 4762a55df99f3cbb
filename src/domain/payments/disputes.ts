import type { Db } from '#platform/db'
import type { AppId, ChargeId, DisputeId, InvoiceId, LicenseId, ProcessorId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { Evidence } from './processor.ts'
import type { DisputeReason } from './processor-event.ts'
import type { Refunded } from './refunds.ts'

/** A buyer's objection to a charge at their bank, in the processor's terms. */
export interface Dispute {
  id: DisputeId
  charge_id: ChargeId
  processor_dispute_id: ProcessorId
  /** The disputed amount, tax included. */
  amount: Cents
  /** The part that the buyer was already owed because a refund had failed. */
  owed: Cents
  /** The parts of the rest: tax, fee, add-on and commission. */
  tax: Cents
  fee: Cents
  add_on_fee: Cents
  commission: Cents
  /** The tax and `owed` with which it opened, where an appeal took other parts. */
  opened_tax: Cents | null
  opened_owed: Cents | null
  reason: DisputeReason
  /** An inquiry moves no money and suspends nothing. A closed one may still become a dispute. */
  status: 'inquiry' | 'inquiry_closed' | 'open' | 'won' | 'lost'
  /** The evidence that was submitted last, and when. */
  evidence: Evidence | null
  submitted_at: Date | null
  due_at: Date
  opened_at: Date
  /** When the outcome was recorded. */
  closed_at: Date | null
  /** When the latest change happened, as the processor reported it. */
  reported_at: Date
  /** The outcome of an appeal that reversed the decision. */
  appeal: 'won' | 'lost' | null
}

const COLUMNS = sql`d.id, d.charge_id, d.processor_dispute_id, d.amount, d.owed, d.tax, d.fee,
  d.add_on_fee, d.commission, d.opened_tax, d.opened_owed, d.reason, d.status, d.evidence,
  d.submitted_at, d.due_at, d.opened_at, d.closed_at, d.reported_at, d.appeal`

/** Whether a dispute is only an inquiry so far, open or closed: it took nothing. */
export function isInquiry({ status }: Pick<Dispute, 'status'>): boolean {
  return status === 'inquiry' || status === 'inquiry_closed'
}

/** The facts of a dispute as it is first reported. */
export type ReportedDispute = Omit<
  Dispute,
  'evidence' | 'submitted_at' | 'closed_at' | 'appeal' | 'opened_tax' | 'opened_owed'
>

/** The parts of a disputed amount. */
export type DisputeParts = Pick<
  Dispute,
  'amount' | 'owed' | 'tax' | 'fee' | 'add_on_fee' | 'commission'
>

/** Records a dispute, or updates one that was an inquiry, open or closed. */
export async function saveDispute(db: Db, dispute: ReportedDispute): Promise<void> {
  await db.run(sql`insert into disputes (id, charge_id, processor_dispute_id, amount, owed, tax,
      fee, add_on_fee, commission, reason, status, due_at, opened_at, reported_at)
    values (${dispute.id}, ${dispute.charge_id}, ${dispute.processor_dispute_id},
      ${dispute.amount}, ${dispute.owed}, ${dispute.tax}, ${dispute.fee}, ${dispute.add_on_fee},
      ${dispute.commission}, ${dispute.reason}, ${dispute.status}, ${dispute.due_at},
      ${dispute.opened_at}, ${dispute.reported_at})
    on conflict (processor_dispute_id) do update set amount = excluded.amount,
      owed = excluded.owed, tax = excluded.tax, fee = excluded.fee,
      add_on_fee = excluded.add_on_fee, commission = excluded.commission,
      reason = excluded.reason, status = excluded.status, due_at = excluded.due_at,
      closed_at = null, reported_at = excluded.reported_at`)
}

/** A dispute by the processor's id. */
export async function findDispute(
  db: Db,
  processor_dispute_id: ProcessorId,
): Promise<Dispute | undefined> {
  return await db.maybe<Dispute>(sql`select ${COLUMNS} from disputes d
    where d.processor_dispute_id = ${processor_dispute_id}`)
}

/** A dispute with the invoice of its charge; of one app if `app_id` is given. */
export async function findDisputeOf(
  db: Db,
  facts: { id: DisputeId; app_id: AppId | null },
): Promise<(Dispute & { invoice_id: InvoiceId }) | undefined> {
  return await db.maybe<Dispute & { invoice_id: InvoiceId }>(sql`select ${COLUMNS}, c.invoice_id
    from disputes d join charges c on c.id = d.charge_id join invoices i on i.id = c.invoice_id
    where d.id = ${facts.id} and (${facts.app_id}::text is null or i.app_id = ${facts.app_id})`)
}

/** A dispute, with its row locked until the transaction ends. */
export async function lockDispute(db: Db, id: DisputeId): Promise<Dispute> {
  return await db.one<Dispute>(sql`select ${COLUMNS} from disputes d
    where d.id = ${id} for update of d`)
}

/** The disputes of a charge, earliest first. */
export async function disputesOf(db: Db, charge_id: ChargeId): Promise<Dispute[]> {
  return await db.rows<Dispute>(sql`select ${COLUMNS} from disputes d
    where d.charge_id = ${charge_id} order by d.opened_at, d.id`)
}

/** The number of charges of a license that are disputed now; inquiries do not count. */
export async function countOpenDisputes(db: Db, license_id: LicenseId): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`select count(*) as count
    from disputes d join charges c on c.id = d.charge_id join invoices i on i.id = c.invoice_id
    where i.license_id = ${license_id} and d.status = 'open'`)
  return count
}

/** How a bank decided a dispute or ended an inquiry, and when, as the processor reported it. */
interface BankDecision extends Pick<Dispute, 'id' | 'reported_at'> {
  status: 'inquiry_closed' | 'won' | 'lost'
  /** Whether an appeal reversed the outcome. */
  is_appeal: boolean
}

/** Records the outcome of a dispute. */
export async function closeDispute(
  db: Db,
  now: Date,
  { id, status, reported_at, is_appeal }: BankDecision,
): Promise<void> {
  const appeal = is_appeal ? status : null
  await db.run(sql`update disputes set status = ${status}, appeal = ${appeal}, closed_at = ${now},
      reported_at = ${reported_at}
    where id = ${id}`)
}

/** Replaces the parts of a dispute that an appeal reopens; those of its opening are kept. */
export async function changeParts(
  db: Db,
  { id, owed, tax, fee, add_on_fee, commission }: DisputeParts & Pick<Dispute, 'id'>,
): Promise<void> {
  await db.run(sql`update disputes set opened_tax = tax, opened_owed = owed, owed = ${owed},
      tax = ${tax}, fee = ${fee}, add_on_fee = ${add_on_fee}, commission = ${commission}
    where id = ${id}`)
}

/** Records submitted evidence, after the processor accepted it. */
export async function recordEvidence(
  db: Db,
  now: Date,
  sent: { id: DisputeId; evidence: Evidence },
): Promise<void> {
  await db.run(sql`update disputes set evidence = ${JSON.stringify(sent.evidence)},
    submitted_at = ${now} where id = ${sent.id}`)
}

/**
 * The amount of a charge that disputes took or reserve, besides what the buyer was already owed.
 */
export function disputedOf(disputes: Dispute[]): Refunded[] {
  return disputes
    .filter(({ status }) => status === 'open' || status === 'lost')
    .map((dispute) => ({ ...dispute, amount: cents(dispute.amount - dispute.owed) }))
}

/** The disputes of a license's charges, latest first. */
export async function disputesOfLicense(db: Db, license_id: LicenseId): Promise<Dispute[]> {
  return await db.rows<Dispute>(sql`select ${COLUMNS}
    from invoices i join charges c on c.invoice_id = i.id join disputes d on d.charge_id = c.id
    where i.license_id = ${license_id} order by d.opened_at desc, d.id`)
}

/** A dispute in a list, with its charge's buyer. */
export interface DisputeLine extends Dispute {
  invoice_id: InvoiceId
  app_name: string
  email: string
}

/** A page of undecided disputes, earliest due first. */
export async function listUnclosed(
  db: Db,
  query: {
    /** Of one app; absent: of all. */
    app_id?: AppId
    /** Only those whose evidence is due. */
    needs_evidence?: true
    limit: number
    offset: number
  },
): Promise<DisputeLine[]> {
  const { app_id, needs_evidence, limit, offset } = query
  const ofApp = app_id === undefined ? sql`` : sql`and a.id = ${app_id}`
  const open = needs_evidence ? sql`and d.status = 'open' and d.submitted_at is null` : sql``
  return await db.rows<DisputeLine>(sql`select ${COLUMNS}, c.invoice_id, a.name as app_name,
      u.email
    from disputes d join charges c on c.id = d.charge_id join invoices i on i.id = c.invoice_id
      join apps a on a.id = i.app_id join users u on u.id = i.user_id
    where d.status in ('inquiry', 'open') ${ofApp} ${open}
    order by d.due_at, d.id limit ${limit} offset ${offset}`)
}
