import type { Db } from '#platform/db'
import type { AttemptId, ChargeId, InvoiceId, ProcessorId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { columnsOf, rowsOf, sql } from '#platform/sql'
import type { Writes } from '#platform/write-together'

/** Money that was charged for one invoice. */
export interface Charge {
  id: ChargeId
  attempt_id: AttemptId
  invoice_id: InvoiceId
  processor: string
  processor_charge_id: ProcessorId
  amount: Cents
}

const COLUMNS = sql`id, attempt_id, invoice_id, processor, processor_charge_id, amount`

/** Records a charge that succeeded; the processor's id makes a second record impossible. */
export async function recordCharge(db: Writes, now: Date, charge: Charge): Promise<void> {
  const row = { ...charge, created_at: now }
  await db.run(sql`insert into charges (${columnsOf(TYPES)})
    select * from ${rowsOf([row], TYPES)}`)
}

const TYPES = {
  id: 'text',
  attempt_id: 'text',
  invoice_id: 'text',
  processor: 'text',
  processor_charge_id: 'text',
  amount: 'bigint',
  created_at: 'timestamptz',
} as const

/** The charge that paid an invoice. */
export async function chargeOf(db: Db, invoice_id: InvoiceId): Promise<Charge | undefined> {
  return await db.maybe<Charge>(
    sql`select ${COLUMNS} from charges where invoice_id = ${invoice_id}`,
  )
}

/** A charge by the processor's id. */
export async function findCharge(
  db: Db,
  { processor, id }: { processor: string; id: ProcessorId },
): Promise<Charge | undefined> {
  return await db.maybe<Charge>(sql`select ${COLUMNS} from charges
    where processor = ${processor} and processor_charge_id = ${id}`)
}

/** A charge by its id. */
export async function getCharge(db: Db, id: ChargeId): Promise<Charge> {
  return await db.one<Charge>(sql`select ${COLUMNS} from charges where id = ${id}`)
}

/** A charge with the clock of its app, as calls to the processor need it. */
export async function chargeWithClock(
  db: Db,
  id: ChargeId,
): Promise<{ processor_charge_id: ProcessorId; app: { clock_ahead: number } }> {
  const { processor_charge_id, clock_ahead } = await db.one<{
    processor_charge_id: ProcessorId
    clock_ahead: number
  }>(sql`select c.processor_charge_id, a.clock_ahead from charges c
    join invoices i on i.id = c.invoice_id join apps a on a.id = i.app_id where c.id = ${id}`)
  return { processor_charge_id, app: { clock_ahead } }
}

/** A charge, with its row locked until the transaction ends: refunds and disputes queue here. */
export async function lockCharge(db: Db, id: ChargeId): Promise<Charge> {
  return await db.one<Charge>(sql`select ${COLUMNS} from charges where id = ${id} for update`)
}

/** The displayable facts of the card that paid a charge. */
export async function cardOfCharge(
  db: Db,
  id: ChargeId,
): Promise<{ brand: string; last4: string }> {
  return await db.one<{ brand: string; last4: string }>(sql`
    select a.card ->> 'brand' as brand, a.card ->> 'last4' as last4
    from charges c join attempts a on a.id = c.attempt_id where c.id = ${id}`)
}
