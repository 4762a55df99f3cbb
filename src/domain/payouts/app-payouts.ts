import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import { sql } from '#platform/sql'

/** The payees of an app: its seller, former ones, and the affiliates who earned on its sales. */
export interface AppPayouts {
  /** Whether one of them has a bank account, so that each Monday decides about them. */
  is_weekly: boolean
  /** Pending payouts to them, by the processor's ids. */
  pending: string[]
}

/** The payouts of an app's payees that its test clock waits for. */
export async function payoutsOfApp(db: Db, app_id: AppId): Promise<AppPayouts> {
  const owners = sql`select seller_id from apps where id = ${app_id}
    union select from_seller from app_transfers where app_id = ${app_id} and outcome = 'accepted'
    union select affiliate_id from invoices where app_id = ${app_id} and affiliate_id is not null`
  return await db.one<AppPayouts>(sql`select
    exists (select 1 from payout_accounts where is_ready and owner in (${owners})) as is_weekly,
    array(select processor_payout_id from payouts where status = 'pending'
      and owner in (${owners}) order by number) as pending`)
}
