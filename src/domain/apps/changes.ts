import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import type { AppId, ChangeId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'

/** The part of an app that a change affects. */
export type ChangeAction =
  | 'listing.updated'
  | 'listing.sections_replaced'
  | 'listing.features_replaced'
  | 'versions.replaced'
  | 'product.described'
  | 'integration.updated'
  | 'integration.secret_created'
  | 'integration.secret_rotated'

/** A change to an app: who made it, and the whole part before and after. */
export interface Change {
  id: ChangeId
  app_id: AppId
  at: Date
  user_id: UserId
  /** The current email of the person who made it. */
  email: string
  agent: string | null
  request_id: string
  action: ChangeAction
  before: unknown
  after: unknown
  /** The change that this one undid. */
  reverts: string | null
  /** The change that undid this one. */
  reverted_by: string | null
}

const COLUMNS = sql`c.id, c.app_id, c.at, c.user_id, c.agent, c.request_id, c.action, c.before,
  c.after, c.reverts, (select u.email from users u where u.id = c.user_id) as email,
  (select r.id from app_changes r where r.app_id = c.app_id and r.reverts = c.id
    order by r.number limit 1) as reverted_by`

/** Locks an app's listing, products and settings for one writer until the transaction ends. */
export async function lockForEditing(db: Db, app_id: AppId): Promise<void> {
  await db.rows(sql`select pg_advisory_xact_lock(hashtextextended(${app_id}, 14))`)
}

/**
 * Records a change permanently, in the app's log and the audit log. No secret may be in `before` or
 * `after`.
 */
export async function recordChange(
  db: Db,
  now: Date,
  change: Pick<Change, 'id' | 'app_id' | 'action' | 'before' | 'after'> & {
    actor: ActorOf<'seller' | 'agent'>
    reverts?: string | undefined
  },
): Promise<void> {
  const { actor } = change
  const agent = actor.kind === 'agent' ? actor.agent : null
  await db.run(sql`insert into app_changes
    (id, app_id, at, user_id, agent, request_id, action, before, after, reverts)
    values (${change.id}, ${change.app_id}, ${now}, ${actor.user_id}, ${agent},
      ${actor.request_id}, ${change.action}, ${JSON.stringify(change.before)},
      ${JSON.stringify(change.after)}, ${change.reverts ?? null})`)
  const { action, app_id: subject, id: change_id } = change
  await audit(db, now, { actor, action, subject, detail: { change_id } })
}

/** The changes of an app, latest first; those before `before_id` if it is given. */
export async function changesOf(
  db: Db,
  app_id: AppId,
  page: { before_id?: ChangeId | undefined; limit: number },
): Promise<Change[]> {
  const before = page.before_id ?? null
  return await db.rows<Change>(sql`select ${COLUMNS} from app_changes c
    where c.app_id = ${app_id} and (${before}::text is null or c.number <
      (select b.number from app_changes b where b.id = ${before} and b.app_id = ${app_id}))
    order by c.number desc limit ${page.limit}`)
}

/** A change of an app by its id. */
export async function findChange(
  db: Db,
  facts: { app_id: AppId; id: ChangeId },
): Promise<Change | undefined> {
  return await db.maybe<Change>(sql`select ${COLUMNS} from app_changes c
    where c.id = ${facts.id} and c.app_id = ${facts.app_id}`)
}
