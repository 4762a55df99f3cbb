import type { Db } from '#platform/db'
import type { AppId, ProcessorId } from '#platform/ids'
import { sql } from '#platform/sql'

/**
 * The charges of an app, by the processor's ids, about which events may still arrive: a pending
 * refund, or one since `since` that may still fail; an undecided dispute.
 */
export async function chargesWithPendingEvents(
  db: Db,
  app_id: AppId,
  since: Date,
): Promise<ProcessorId[]> {
  const rows = await db.rows<{ processor_charge_id: ProcessorId }>(sql`
    select c.processor_charge_id from refunded_invoices s
      join refunds r on r.charge_id = s.charge_id join charges c on c.id = r.charge_id
    where s.app_id = ${app_id} and (r.status in ('open', 'pending')
      or r.status = 'succeeded' and r.created_at > ${since})
    union select c.processor_charge_id from disputes d
      join charges c on c.id = d.charge_id join invoices i on i.id = c.invoice_id
    where d.status in ('inquiry', 'open') and i.app_id = ${app_id}`)
  return rows.map(({ processor_charge_id }) => processor_charge_id)
}
