import type { Db } from '#platform/db'
import type { AppId, ApprovalId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'

/** A seller's request that staff enable external sales for an app (spec: rule 5). */
export interface ApprovalRequest {
  id: ApprovalId
  app_id: AppId
  requested_by: UserId
  requested_at: Date
  decided_at: Date | null
  /** Null until it is decided. */
  is_approved: boolean | null
  /** Staff's reason; empty for an approval. */
  reason: string
}

const COLUMNS = sql`r.id, r.app_id, r.requested_by, r.requested_at, r.decided_at, r.is_approved,
  r.reason`

/** Files a request; false if the app has an open one. */
export async function requestApproval(
  db: Db,
  now: Date,
  request: Pick<ApprovalRequest, 'id' | 'app_id' | 'requested_by'>,
): Promise<boolean> {
  const { id, app_id, requested_by } = request
  const added = await db.run(sql`insert into approval_requests
    (id, app_id, requested_by, requested_at)
    values (${id}, ${app_id}, ${requested_by}, ${now})
    on conflict (app_id) where decided_at is null do nothing`)
  return added === 1
}

/** The latest request of an app. */
export async function latestApproval(db: Db, app_id: AppId): Promise<ApprovalRequest | undefined> {
  return await db.maybe<ApprovalRequest>(sql`select ${COLUMNS} from approval_requests r
    where r.app_id = ${app_id} order by r.requested_at desc, r.id desc limit 1`)
}

/** A request by its id. */
export async function findApproval(db: Db, id: ApprovalId): Promise<ApprovalRequest | undefined> {
  return await db.maybe<ApprovalRequest>(sql`select ${COLUMNS} from approval_requests r
    where r.id = ${id}`)
}

/** An open request with what staff need to decide about it. */
export interface OpenApproval extends ApprovalRequest {
  app_name: string
  slug: string
  url: string
  legal_name: string
  city: string
  state: string
  email: string
  /** Why staff refused an earlier request of the app, and when; null if they did not. */
  refusal: string | null
  refused_at: Date | null
}

/** The open requests, oldest first, with the latest refusal of each app. */
export async function listOpenApprovals(db: Db, limit: number): Promise<OpenApproval[]> {
  return await db.rows<OpenApproval>(sql`select ${COLUMNS}, a.name as app_name, a.slug, a.url,
      s.legal_name, s.city, s.state, u.email, f.reason as refusal, f.decided_at as refused_at
    from approval_requests r join apps a on a.id = r.app_id join sellers s on s.id = a.seller_id
      join users u on u.id = r.requested_by
      left join lateral (select reason, decided_at from approval_requests
        where app_id = r.app_id and not is_approved order by decided_at desc limit 1) f on true
    where r.decided_at is null order by r.requested_at, r.id limit ${limit}`)
}

/** How many requests are open. */
export async function countOpenApprovals(db: Db): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from approval_requests where decided_at is null`,
  )
  return count
}

/** Withdraws the open request of an app, if it has one. */
export async function withdrawApproval(db: Db, app_id: AppId): Promise<void> {
  await db.run(sql`delete from approval_requests where app_id = ${app_id} and decided_at is null`)
}

/** Decides an open request, once. Returns its app; undefined if the request is not open. */
export async function decideApproval(
  db: Db,
  now: Date,
  decision: Pick<ApprovalRequest, 'id' | 'reason'> & { is_approved: boolean; decided_by: UserId },
): Promise<AppId | undefined> {
  const { id, is_approved, reason, decided_by } = decision
  const decided = await db.maybe<{ app_id: AppId }>(sql`update approval_requests
    set decided_at = ${now}, decided_by = ${decided_by}, is_approved = ${is_approved},
      reason = ${reason}
    where id = ${id} and decided_at is null returning app_id`)
  return decided?.app_id
}
