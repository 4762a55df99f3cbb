import type { ChargeRequest, DeclineCode } from '#domain/payments'
import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import type { BehaviorName } from './cards.ts'
import type { CardState } from './stored-cards.ts'

/** A charge request and its status. A key that was closed unused has no request. */
export interface SandboxCharge {
  id: string
  request_hash: string | null
  status: 'succeeded' | 'declined' | 'action_required' | 'closed'
  decline_code: DeclineCode | null
  challenge_id: string | null
  answers_at: Date | null
}

/** A successful charge, with the behavior of its card. */
export interface SucceededCharge {
  id: string
  amount: number
  behavior: BehaviorName
}

/** The result of a charge request. */
export type ChargeResult =
  | { status: 'succeeded' }
  | { status: 'declined'; decline_code: DeclineCode }

/** The facts of a challenge page. */
export interface Challenge {
  challenge_id: string
  status: SandboxCharge['status']
  amount: Cents
  return_url: string
  app_name: string
  brand: string
  last4: string
}

const COLUMNS = sql`id, request_hash, status, decline_code, challenge_id, answers_at`

/** Releases the key of a finished request from before this time; false if there is none. */
export async function releaseKey(db: Db, key: string, before: Date): Promise<boolean> {
  const released = await db.run(sql`update sandbox.charges set key = null
    where key = ${key} and created_at <= ${before} and status in ('succeeded', 'declined')`)
  return released === 1
}

/** A request and its result, decided by the card as it was read. */
export interface NewCharge extends ChargeRequest {
  id: string
  request_hash: string
  card: CardState
  result: ChargeResult | { status: 'action_required'; challenge_id: string }
  answers_at: Date | null
}

/**
 * Records a request under its key with its result, and whether its card worked. Undefined if the
 * key is taken, or the card has changed since it was read.
 */
export async function add(
  db: Db,
  now: Date,
  { card, result, ...request }: NewCharge,
): Promise<SandboxCharge | undefined> {
  const { status } = result
  const decline_code = status === 'declined' ? result.decline_code : null
  const challenge_id = status === 'action_required' ? result.challenge_id : null
  return await db.maybe<SandboxCharge>(sql`with card as materialized (
      select token from sandbox.cards where token = ${request.card_token}
        and behavior = ${card.behavior} and authenticated = ${card.authenticated}
        and declines = ${card.declines} and failing_renewals = ${card.failing_renewals}
      for update),
    charge as (insert into sandbox.charges
      (id, key, request_hash, card_token, amount, currency, description, off_session, return_url,
        status, decline_code, challenge_id, answers_at, created_at)
      select ${request.id}, ${request.key}, ${request.request_hash}, token,
        ${request.amount}::bigint, ${request.currency}, ${request.description},
        ${request.off_session}::boolean, ${request.return_url}, ${status}, ${decline_code},
        ${challenge_id}, ${request.answers_at}::timestamptz, ${now}::timestamptz from card
      on conflict (key) do nothing returning ${COLUMNS}, card_token, off_session),
    counted as (update sandbox.cards
      set ${cardCounters(sql`charge.status`, sql`charge.off_session`)}
      from charge where token = charge.card_token and charge.status <> 'action_required')
    select ${COLUMNS} from charge`)
}

/** What a result changes in the row of its card. */
const cardCounters = (status: Sql, off_session: Sql) => sql`
  declines = case when ${status} = 'declined' then declines + 1 else 0 end,
  failing_renewals = case when ${off_session} then greatest(failing_renewals - 1, 0)
    else failing_renewals end`

/** The request with this key. */
export async function find(db: Db, key: string): Promise<SandboxCharge | undefined> {
  return await db.maybe<SandboxCharge>(
    sql`select ${COLUMNS} from sandbox.charges where key = ${key}`,
  )
}

/** A successful charge, locked until the transaction ends; throws if there is none. */
export async function lockSucceeded(db: Db, id: string): Promise<SucceededCharge> {
  const charge = await db.maybe<SucceededCharge>(sql`select charge.id, charge.amount, card.behavior
    from sandbox.charges as charge join sandbox.cards as card on card.token = charge.card_token
    where charge.id = ${id} and charge.status = 'succeeded' for update of charge`)
  if (!charge) throw new Error('there is no such charge')
  return charge
}

/** Records the result of a finished challenge, and whether its card worked. */
export async function settle(db: Db, id: string, result: ChargeResult): Promise<void> {
  const { status } = result
  const decline_code = status === 'declined' ? result.decline_code : null
  await db.run(sql`with card as (update sandbox.cards
      set ${cardCounters(sql`${status}`, sql`off_session`)}
      from sandbox.charges as charge where charge.id = ${id} and token = charge.card_token)
    update sandbox.charges set status = ${status}, decline_code = ${decline_code}
    where id = ${id}`)
}

/** A challenge, pending or finished. */
export async function findChallenge(db: Db, id: string): Promise<Challenge | undefined> {
  return await db.maybe<Challenge>(sql`select charge.challenge_id, charge.status, charge.amount,
      charge.return_url, card.app_name, card.brand, card.last4
    from sandbox.charges as charge
    join sandbox.cards as card on card.token = charge.card_token
    where charge.challenge_id = ${id}`)
}

/** The request of a challenge, locked until the transaction ends. */
export async function lockChallenged(
  db: Db,
  challenge_id: string,
): Promise<{ id: string; card_token: string } | undefined> {
  return await db.maybe(sql`select id, card_token from sandbox.charges
    where challenge_id = ${challenge_id} and status = 'action_required' for update`)
}

/** Closes a key that is unknown or whose request is pending; returns its state. */
export async function close(db: Db, now: Date, id: string, key: string): Promise<SandboxCharge> {
  await db.run(sql`insert into sandbox.charges as charge (id, key, status, created_at)
    values (${id}, ${key}, 'closed', ${now})
    on conflict (key) do update set status = 'closed' where charge.status = 'action_required'`)
  return await db.one<SandboxCharge>(sql`select ${COLUMNS} from sandbox.charges where key = ${key}`)
}
