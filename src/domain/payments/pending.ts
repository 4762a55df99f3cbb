import type { Db } from '#platform/db'
import type { AppId, ProcessorId } from '#platform/ids'
import { sql } from '#platform/sql'

/**
 * The charges of an app, by the processor's ids, about which events may still arrive: a pending
 * refund, an undecided dispute.
 */
export async function pendingOf(db: Db, app_id: AppId): Promise<string[]> {
  const rows = await db.rows<{ processor_charge_id: ProcessorId }>(sql`
    select distinct c.processor_charge_id from charges c join invoices i on i.id = c.invoice_id
    where i.app_id = ${app_id} and (
      exists (select 1 from refunds r
        where r.charge_id = c.id and r.status in ('open', 'pending', 'succeeded'))
      or exists (select 1 from disputes d
        where d.charge_id = c.id and d.status in ('inquiry', 'open')))`)
  return rows.map(({ processor_charge_id }) => processor_charge_id)
}
