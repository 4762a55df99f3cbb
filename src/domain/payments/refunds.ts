import type { Db } from '#platform/db'
import type { ChargeId, InvoiceId, LicenseId, ProcessorId, RefundId } from '#platform/ids'
import { type Cents, sum } from '#platform/money'
import { recordFrom } from '#platform/record'
import { sql } from '#platform/sql'

/** A refund; its id is the idempotency key at the processor. */
export interface Refund {
  id: RefundId
  charge_id: ChargeId
  /** The refunded amount, tax included, and its parts: tax, fee, add-on and commission. */
  amount: Cents
  tax: Cents
  fee: Cents
  add_on_fee: Cents
  commission: Cents
  reason: string
  /** The account that requested it; `system` for an automatic refund. */
  requested_by: string
  /** Whether that account requested it as staff, not as the seller or the buyer. */
  is_by_staff: boolean
  /** open: the outcome is unknown. refused: nothing moved. failed: the money was returned to us. */
  status: 'open' | 'pending' | 'succeeded' | 'failed' | 'refused'
  processor_refund_id: ProcessorId | null
  /** Why the processor refused it. */
  refusal: string | null
  /** For credit that an upgrade consumed: the refund of that upgrade, which is answered first. */
  upgrade_refund_id: RefundId | null
  created_at: Date
  settled_at: Date | null
}

export type NewRefund = Omit<
  Refund,
  | 'is_by_staff'
  | 'status'
  | 'processor_refund_id'
  | 'refusal'
  | 'upgrade_refund_id'
  | 'created_at'
  | 'settled_at'
> &
  Partial<Pick<Refund, 'is_by_staff' | 'upgrade_refund_id'>>

const COLUMNS = sql`r.id, r.charge_id, r.amount, r.tax, r.fee, r.add_on_fee, r.commission, r.reason,
  r.requested_by, r.is_by_staff, r.status, r.processor_refund_id, r.refusal, r.upgrade_refund_id,
  r.created_at, r.settled_at`

/** Records a refund before the processor is called. */
export async function addRefund(db: Db, now: Date, refund: NewRefund): Promise<void> {
  await db.run(sql`insert into refunds (id, charge_id, amount, tax, fee, add_on_fee, commission,
      reason, requested_by, is_by_staff, upgrade_refund_id, status, created_at)
    values (${refund.id}, ${refund.charge_id}, ${refund.amount}, ${refund.tax}, ${refund.fee},
      ${refund.add_on_fee}, ${refund.commission}, ${refund.reason}, ${refund.requested_by},
      ${refund.is_by_staff ?? false}, ${refund.upgrade_refund_id ?? null}, 'open', ${now})`)
}

/** A refund, with its row locked until the transaction ends. */
export async function lockRefund(db: Db, id: RefundId): Promise<Refund> {
  return await db.one<Refund>(sql`select ${COLUMNS} from refunds r where r.id = ${id} for update`)
}

/** A refund by its id. */
export async function getRefund(db: Db, id: RefundId): Promise<Refund> {
  return await db.one<Refund>(sql`select ${COLUMNS} from refunds r where r.id = ${id}`)
}

/** A refund by the processor's id. */
export async function findRefund(
  db: Db,
  processor_refund_id: ProcessorId,
): Promise<Refund | undefined> {
  return await db.maybe<Refund>(
    sql`select ${COLUMNS} from refunds r where r.processor_refund_id = ${processor_refund_id}`,
  )
}

/** The refunds of a charge, earliest first. */
export async function refundsOf(db: Db, charge_id: ChargeId): Promise<Refund[]> {
  return await db.rows<Refund>(sql`select ${COLUMNS} from refunds r
    where r.charge_id = ${charge_id} order by r.created_at, r.id`)
}

/** The refunds of all charges of a license, latest first, each with its invoice. */
export async function refundsOfLicense(
  db: Db,
  license_id: LicenseId,
): Promise<(Refund & { invoice_id: InvoiceId })[]> {
  return await db.rows<Refund & { invoice_id: InvoiceId }>(sql`
    select ${COLUMNS}, c.invoice_id
    from invoices i join charges c on c.invoice_id = i.id join refunds r on r.charge_id = c.id
    where i.license_id = ${license_id} order by r.created_at desc, r.id`)
}

/** A refund in a list, with its charge's buyer. */
export interface RefundLine extends Refund {
  invoice_id: InvoiceId
  app_name: string
  email: string
}

/**
 * A page of automatic refunds that the processor refused, for staff to resolve. Charges that have
 * since been refunded in another way are left out.
 */
export async function listRefused(
  db: Db,
  { limit, offset }: { limit: number; offset: number },
): Promise<RefundLine[]> {
  return await db.rows<RefundLine>(sql`select ${COLUMNS}, c.invoice_id,
      a.name as app_name, u.email
    from refunds r join charges c on c.id = r.charge_id join invoices i on i.id = c.invoice_id
      join apps a on a.id = i.app_id join users u on u.id = i.user_id
    where r.status = 'refused' and r.requested_by = 'system'
      and not exists (select 1 from refunds o where o.charge_id = c.id and o.status <> 'refused')
      and not exists (select 1 from disputes d where d.charge_id = c.id and d.status = 'lost')
    order by r.created_at, r.id limit ${limit} offset ${offset}`)
}

/** The sum of a charge's failed refunds, in cents: the buyer was owed it. */
export function returnedOf(refunds: Refund[]): Cents {
  const failed = refunds.filter(({ status }) => status === 'failed')
  return sum(...failed.map(({ amount }) => amount))
}

/** Refunds without an answer, oldest first; `after` continues after one. */
export async function openRefunds(
  db: Db,
  { after, limit }: { after?: Refund | undefined; limit: number },
): Promise<Refund[]> {
  const from = after ? sql`(r.created_at, r.id) > (${after.created_at}, ${after.id})` : sql`true`
  return await db.rows<Refund>(sql`select ${COLUMNS} from refunds r
    where r.status = 'open' and ${from} order by r.created_at, r.id limit ${limit}`)
}

/** Records the outcome of a refund. */
export async function recordRefund(
  db: Db,
  now: Date,
  id: RefundId,
  answer: { status: Exclude<Refund['status'], 'open'>; refund_id?: ProcessorId; reason?: string },
): Promise<void> {
  const settled_at = answer.status === 'pending' ? null : now
  await db.run(sql`update refunds set status = ${answer.status}, settled_at = ${settled_at},
      refusal = coalesce(${answer.reason ?? null}, refusal),
      processor_refund_id = coalesce(${answer.refund_id ?? null}, processor_refund_id)
    where id = ${id}`)
}

const PARTS = ['amount', 'tax', 'fee', 'add_on_fee', 'commission'] as const

/** The amount of a charge that was refunded or may still be, and its parts. */
export type Refunded = Record<(typeof PARTS)[number], Cents>

/** The sum of a charge's refunds, without those that the processor refused. */
export function refundedOf(refunds: Refund[]): Refunded {
  const counted = refunds.filter(({ status }) => status !== 'refused')
  return recordFrom(PARTS, (part) => sum(...counted.map((refund) => refund[part])))
}
