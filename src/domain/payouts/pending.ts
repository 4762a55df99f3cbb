import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** What the calendar of payouts has to do with an app: its seller, and who earned on its sales. */
export interface AppPayouts {
  /** Whether somebody among them has a bank, so that each Monday decides about them. */
  is_weekly: boolean
  /** Payouts on their way to them, by the processor's own names. */
  under_way: string[]
}

/** The payouts that time brings about for an app. */
export async function payoutsAround(db: Db, app_id: string): Promise<AppPayouts> {
  const owners = sql`select seller_id from apps where id = ${app_id}
    union select affiliate_id from invoices where app_id = ${app_id} and affiliate_id is not null`
  return await db.one<AppPayouts>(sql`select
    exists (select 1 from payout_accounts where is_ready and owner in (${owners})) as is_weekly,
    array(select processor_payout_id from payouts where status = 'pending'
      and owner in (${owners}) order by number) as under_way`)
}
