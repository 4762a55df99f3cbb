import type { Db } from '#platform/db'
import type { AppId, SellerId } from '#platform/ids'
import { sql } from '#platform/sql'

/** Suspends an app, or restores it with null. */
export async function setSuspended(tx: Db, id: AppId, suspended_at: Date | null): Promise<void> {
  await tx.run(sql`update apps set suspended_at = ${suspended_at} where id = ${id}`)
}

/** Suspends every app of a seller with it, or restores those that are not suspended themselves. */
export async function setSellerSuspended(
  tx: Db,
  seller_id: SellerId,
  suspended_at: Date | null,
): Promise<void> {
  await tx.run(sql`update apps set seller_suspended_at = ${suspended_at}
    where seller_id = ${seller_id}`)
}

/** An app that staff suspend, or reinstated, and since when. */
export interface SuspendedApp {
  id: AppId
  suspended_at: Date | null
}

/** The apps that are suspended themselves. */
export async function suspended(db: Db): Promise<SuspendedApp[]> {
  return await db.rows<SuspendedApp>(sql`select id, suspended_at from apps
    where is_suspended and suspended_at is not null`)
}

/** Locks the rows of a seller's apps until the transaction ends. */
export async function lockAllOf(tx: Db, seller_id: SellerId): Promise<void> {
  await tx.rows(sql`select id from apps where seller_id = ${seller_id} order by id for update`)
}
