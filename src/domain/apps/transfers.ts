import type { Db } from '#platform/db'
import type { AppId, SellerId, TransferId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Sweep } from '#platform/sweep'

/** How an offer ended. One that expired has no outcome. */
export type TransferOutcome = 'accepted' | 'declined' | 'withdrawn'

/** An offer to transfer an app to another seller. */
export interface Transfer {
  id: TransferId
  app_id: AppId
  from_seller: SellerId
  /** The offered owner's email; null once the offer is decided. */
  email: string | null
  email_normalized: string | null
  reason: string
  requested_by: UserId
  expires_at: Date
  outcome: TransferOutcome | null
  to_seller: SellerId | null
}

/** An open offer, with what its recipient needs to decide. */
export interface OfferedTransfer extends Transfer {
  app_name: string
  app_url: string
  legal_name: string
}

const COLUMNS = sql`t.id, t.app_id, t.from_seller, t.email, t.email_normalized, t.reason,
  t.requested_by, t.expires_at, t.outcome, t.to_seller`

/** Stores an offer; false if the app has an open one. An expired one is replaced. */
export async function addTransfer(
  tx: Db,
  now: Date,
  transfer: Pick<
    Transfer,
    'id' | 'app_id' | 'from_seller' | 'reason' | 'requested_by' | 'expires_at'
  > & { email: string; email_normalized: string },
): Promise<boolean> {
  await tx.run(sql`delete from app_transfers
    where app_id = ${transfer.app_id} and outcome is null and expires_at <= ${now}`)
  const added = await tx.run(sql`insert into app_transfers (id, app_id, from_seller, email,
      email_normalized, reason, requested_by, requested_at, expires_at)
    values (${transfer.id}, ${transfer.app_id}, ${transfer.from_seller}, ${transfer.email},
      ${transfer.email_normalized}, ${transfer.reason}, ${transfer.requested_by}, ${now},
      ${transfer.expires_at})
    on conflict (app_id) where outcome is null do nothing`)
  return added === 1
}

/** The open offer of an app. */
export async function openTransferOf(
  db: Db,
  now: Date,
  app_id: AppId,
): Promise<Transfer | undefined> {
  return await db.maybe<Transfer>(sql`select ${COLUMNS} from app_transfers t
    where t.app_id = ${app_id} and t.outcome is null and t.expires_at > ${now}`)
}

/** The open offers to the owner of an email, oldest first. */
export async function transfersTo(
  db: Db,
  now: Date,
  email_normalized: string,
): Promise<OfferedTransfer[]> {
  return await db.rows<OfferedTransfer>(sql`select ${COLUMNS}, a.name as app_name,
      a.url as app_url, s.legal_name
    from app_transfers t join apps a on a.id = t.app_id join sellers s on s.id = t.from_seller
    where t.email_normalized = ${email_normalized} and t.outcome is null
      and t.expires_at > ${now}
    order by t.requested_at, t.id`)
}

/** An offer by its id. */
export async function findTransfer(db: Db, id: TransferId): Promise<Transfer | undefined> {
  return await db.maybe<Transfer>(sql`select ${COLUMNS} from app_transfers t where t.id = ${id}`)
}

/** Locks an open offer until the transaction ends; undefined if it is decided or has expired. */
export async function lockTransfer(
  tx: Db,
  now: Date,
  id: TransferId,
): Promise<Transfer | undefined> {
  return await tx.maybe<Transfer>(sql`select ${COLUMNS} from app_transfers t
    where t.id = ${id} and t.outcome is null and t.expires_at > ${now} for update`)
}

/** Decides an offer, and forgets the email that it was made to. */
export async function decideTransfer(
  tx: Db,
  now: Date,
  decision: {
    id: TransferId
    outcome: TransferOutcome
    decided_by: UserId
    to_seller: SellerId | null
  },
): Promise<void> {
  const { id, outcome, decided_by, to_seller } = decision
  await tx.run(sql`update app_transfers set outcome = ${outcome}, decided_by = ${decided_by},
      decided_at = ${now}, to_seller = ${to_seller}, email = null, email_normalized = null
    where id = ${id}`)
}

/** Locks the offers of a seller that can be accepted until the transaction ends. */
export async function lockTransfersOf(tx: Db, now: Date, from_seller: SellerId): Promise<void> {
  await tx.rows(sql`select id from app_transfers
    where app_id in (select id from apps where seller_id = ${from_seller}) and outcome is null
      and expires_at > ${now} order by id for update`)
}

/** Withdraws every open offer of a seller, and returns the offered apps. */
export async function withdrawTransfersOf(
  tx: Db,
  now: Date,
  { from_seller, decided_by }: { from_seller: SellerId; decided_by: UserId },
): Promise<AppId[]> {
  const rows = await tx.rows<{ app_id: AppId }>(sql`update app_transfers
    set outcome = 'withdrawn', decided_by = ${decided_by}, decided_at = ${now}, email = null,
      email_normalized = null
    where app_id in (select id from apps where seller_id = ${from_seller}) and outcome is null
    returning app_id`)
  return rows.map(({ app_id }) => app_id)
}

/** Locks the open offers to some addresses until the transaction ends. */
export async function lockTransfersTo(tx: Db, addresses: string[]): Promise<void> {
  await tx.rows(sql`select id from app_transfers
    where email_normalized = any(${addresses}) and outcome is null order by id for update`)
}

/** Deletes the open offers to the addresses of a deleted account. */
export async function dropTransfersTo(tx: Db, addresses: string[]): Promise<void> {
  await tx.run(sql`delete from app_transfers
    where email_normalized = any(${addresses}) and outcome is null`)
}

/** Offers without an answer. */
export const TRANSFER_SWEEP: Sweep = {
  table: 'app_transfers',
  days: 30,
  batch: (db, before, limit) =>
    db.run(sql`delete from app_transfers where id in (select id from app_transfers
      where outcome is null and expires_at <= ${before} ${limit})`),
}
