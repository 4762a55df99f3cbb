import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { Card, ChargeAnswer, DeclineCode } from './processor.ts'

export type AttemptStatus = 'open' | 'action_required' | 'succeeded' | 'declined' | 'closed'

/** One try to charge a cart; its id is the key under which the processor is asked. */
export interface Attempt {
  id: string
  cart_id: string
  app_id: string
  email_normalised: string
  order_id: string
  /** The quote that was shown and is charged, whatever becomes of the cart's own meanwhile. */
  tax_quote_id: string
  amount: Cents
  /** The days of the trial that was promised; zero where the whole is charged. */
  trial_days: number
  card: Card
  status: AttemptStatus
  action_url: string | null
  decline_code: DeclineCode | null
  created_at: Date
}

const COLUMNS = sql`id, cart_id, app_id, email_normalised, order_id, tax_quote_id, amount,
  trial_days, card, status, action_url, decline_code, created_at`

const UNSETTLED = sql`status in ('open', 'action_required')`

/** Tells whether an attempt's outcome is still open. */
export function isUnsettled({ status }: Attempt): boolean {
  return status === 'open' || status === 'action_required'
}

/** Puts an attempt on record; false where the buyer already has an open one for this app. */
export async function open(
  db: Db,
  now: Date,
  attempt: Omit<Attempt, 'status' | 'action_url' | 'decline_code' | 'created_at'>,
): Promise<boolean> {
  const inserted = await db.run(sql`insert into attempts
    (id, cart_id, app_id, email_normalised, order_id, tax_quote_id, amount, trial_days, card,
      status, created_at)
    values (${attempt.id}, ${attempt.cart_id}, ${attempt.app_id}, ${attempt.email_normalised},
      ${attempt.order_id}, ${attempt.tax_quote_id}, ${attempt.amount}, ${attempt.trial_days},
      ${JSON.stringify(attempt.card)}, 'open', ${now})
    on conflict (app_id, email_normalised) where status in ('open', 'action_required')
    do nothing`)
  return inserted === 1
}

/** The attempt that is open for a buyer and app. */
export async function findUnsettled(
  db: Db,
  buyer: { app_id: string; email_normalised: string },
): Promise<Attempt | undefined> {
  return await db.maybe<Attempt>(sql`select ${COLUMNS} from attempts
    where app_id = ${buyer.app_id} and email_normalised = ${buyer.email_normalised}
      and ${UNSETTLED}`)
}

/** The latest attempt of a cart. */
export async function latestOf(db: Db, cart_id: string): Promise<Attempt | undefined> {
  return await db.maybe<Attempt>(sql`select ${COLUMNS} from attempts
    where cart_id = ${cart_id} order by number desc limit 1`)
}

/** An attempt, with its row held until the transaction ends. */
export async function lock(db: Db, id: string): Promise<Attempt> {
  return await db.one<Attempt>(sql`select ${COLUMNS} from attempts where id = ${id} for update`)
}

/** Attempts that were opened before a time and are not settled yet, the oldest first. */
export async function unsettledSince(db: Db, before: Date): Promise<Attempt[]> {
  return await db.rows<Attempt>(sql`select ${COLUMNS} from attempts
    where ${UNSETTLED} and created_at <= ${before} order by created_at limit 100`)
}

/** Records what the processor said. */
export async function record(db: Db, now: Date, id: string, answer: ChargeAnswer): Promise<void> {
  const action_url = answer.status === 'action_required' ? answer.action_url : null
  const decline_code = answer.status === 'declined' ? answer.decline_code : null
  const charge_id = answer.status === 'succeeded' ? answer.charge_id : null
  const settled_at = answer.status === 'action_required' ? null : now
  await db.run(sql`update attempts set status = ${answer.status}, action_url = ${action_url},
    decline_code = ${decline_code}, charge_id = ${charge_id}, settled_at = ${settled_at}
    where id = ${id}`)
}
