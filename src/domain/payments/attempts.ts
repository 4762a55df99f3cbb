import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { Card, ChargeAnswer, DeclineCode } from './processor.ts'

export type AttemptStatus =
  | 'open'
  | 'action_required'
  | 'succeeded'
  | 'declined'
  | 'closed'
  | 'refused'

/** One try to charge; its id is the key under which the processor is asked. */
interface Try {
  id: string
  app_id: string
  email_normalised: string
  amount: Cents
  card: Card
  status: AttemptStatus
  action_url: string | null
  decline_code: DeclineCode | null
  created_at: Date
}

/** One try to charge a cart. */
export interface Attempt extends Try {
  cart_id: string
  order_id: string
  /** The quote that was shown and is charged, whatever becomes of the cart's own meanwhile. */
  tax_quote_id: string
  /** The days of the trial that was promised; zero where the whole is charged. */
  trial_days: number
}

/** One try to charge an invoice. */
export interface InvoiceAttempt extends Try {
  invoice_id: string
  /** A try that somebody asked for uses up no scheduled one. */
  asked_by: 'schedule' | 'buyer' | 'operator'
}

const COLUMNS = sql`id, cart_id, app_id, email_normalised, order_id, tax_quote_id, amount,
  trial_days, card, status, action_url, decline_code, created_at`

const UNSETTLED = sql`status in ('open', 'action_required')`

/** Tells whether an attempt's outcome is still open. */
export function isPending({ status }: Pick<Try, 'status'>): boolean {
  return status === 'open' || status === 'action_required'
}

/** Puts an attempt on record; false where the buyer already has an open one for this app. */
export async function open(
  db: Db,
  now: Date,
  attempt: Omit<Attempt, 'status' | 'action_url' | 'decline_code' | 'created_at'> & {
    /** When the buyer agreed to it, in the app's time. */
    asked_at: Date
  },
): Promise<boolean> {
  const inserted = await db.run(sql`insert into attempts
    (id, cart_id, app_id, email_normalised, order_id, tax_quote_id, amount, trial_days, card,
      status, asked_at, created_at)
    values (${attempt.id}, ${attempt.cart_id}, ${attempt.app_id}, ${attempt.email_normalised},
      ${attempt.order_id}, ${attempt.tax_quote_id}, ${attempt.amount}, ${attempt.trial_days},
      ${JSON.stringify(attempt.card)}, 'open', ${attempt.asked_at}, ${now})
    on conflict (app_id, email_normalised) where status in ('open', 'action_required')
    do nothing`)
  return inserted === 1
}

/** Whether a buyer has an attempt for an app that is not settled, on a cart or on an invoice. */
export async function hasPending(
  db: Db,
  buyer: { app_id: string; email_normalised: string },
): Promise<boolean> {
  const { is } = await db.one<{ is: boolean }>(sql`select exists (select 1 from attempts
    where app_id = ${buyer.app_id} and email_normalised = ${buyer.email_normalised}
      and ${UNSETTLED}) as is`)
  return is
}

/** The attempt on a cart that is open for a buyer and app. */
export async function findPending(
  db: Db,
  buyer: { app_id: string; email_normalised: string },
): Promise<Attempt | undefined> {
  return await db.maybe<Attempt>(sql`select ${COLUMNS} from attempts
    where app_id = ${buyer.app_id} and email_normalised = ${buyer.email_normalised}
      and cart_id is not null and ${UNSETTLED}`)
}

const INVOICE_COLUMNS = sql`id, invoice_id, asked_by, app_id, email_normalised, amount, card,
  status, action_url, decline_code, created_at`

/** Puts an attempt on an invoice on record; false where its buyer has an open one for this app. */
export async function openOnInvoice(
  db: Db,
  now: Date,
  attempt: Omit<InvoiceAttempt, 'status' | 'action_url' | 'decline_code' | 'created_at'>,
): Promise<boolean> {
  const inserted = await db.run(sql`insert into attempts
    (id, invoice_id, asked_by, app_id, email_normalised, amount, trial_days, card, status,
      created_at)
    values (${attempt.id}, ${attempt.invoice_id}, ${attempt.asked_by}, ${attempt.app_id},
      ${attempt.email_normalised}, ${attempt.amount}, 0, ${JSON.stringify(attempt.card)}, 'open',
      ${now})
    on conflict (app_id, email_normalised) where status in ('open', 'action_required')
    do nothing`)
  return inserted === 1
}

/** An attempt on an invoice, with its row locked until the transaction ends. */
export async function lockOnInvoice(db: Db, id: string): Promise<InvoiceAttempt> {
  return await db.one<InvoiceAttempt>(
    sql`select ${INVOICE_COLUMNS} from attempts where id = ${id} for update`,
  )
}

/** The latest attempt on an invoice. */
export async function latestOnInvoice(
  db: Db,
  invoice_id: string,
): Promise<InvoiceAttempt | undefined> {
  return await db.maybe<InvoiceAttempt>(sql`select ${INVOICE_COLUMNS} from attempts
    where invoice_id = ${invoice_id} order by number desc limit 1`)
}

// What is dated in the future was made before the clock was set back.
const isLost = (before: Date) => sql`(created_at <= ${before}
  or created_at > ${before}::timestamptz + interval '2 minutes')`

/** Attempts on invoices that were opened before a time and are not settled, the oldest first. */
export async function pendingOnInvoices(db: Db, before: Date): Promise<InvoiceAttempt[]> {
  return await db.rows<InvoiceAttempt>(sql`select ${INVOICE_COLUMNS} from attempts
    where ${UNSETTLED} and invoice_id is not null and ${isLost(before)}
    order by created_at limit 100`)
}

/** The latest attempt of a cart. */
export async function latestOf(db: Db, cart_id: string): Promise<Attempt | undefined> {
  return await db.maybe<Attempt>(sql`select ${COLUMNS} from attempts
    where cart_id = ${cart_id} order by number desc limit 1`)
}

/** An attempt, with its row locked until the transaction ends. */
export async function lock(db: Db, id: string): Promise<Attempt> {
  return await db.one<Attempt>(sql`select ${COLUMNS} from attempts where id = ${id} for update`)
}

/** Attempts on carts that were opened before a time and are not settled yet, the oldest first. */
export async function pendingSince(db: Db, before: Date): Promise<Attempt[]> {
  return await db.rows<Attempt>(sql`select ${COLUMNS} from attempts
    where ${UNSETTLED} and cart_id is not null and ${isLost(before)}
    order by created_at limit 100`)
}

/** Records what the processor said. */
export async function record(db: Db, now: Date, id: string, answer: ChargeAnswer): Promise<void> {
  const action_url = answer.status === 'action_required' ? answer.action_url : null
  const decline_code = answer.status === 'declined' ? answer.decline_code : null
  const charge_id = answer.status === 'succeeded' ? answer.charge_id : null
  const refusal = answer.status === 'refused' ? answer.reason : null
  const settled_at = answer.status === 'action_required' ? null : now
  await db.run(sql`update attempts set status = ${answer.status}, action_url = ${action_url},
    decline_code = ${decline_code}, charge_id = ${charge_id}, refusal = ${refusal},
    settled_at = ${settled_at} where id = ${id}`)
}

/** The latest attempt on any bill of a license. */
export async function latestOfLicense(
  db: Db,
  license_id: string,
): Promise<InvoiceAttempt | undefined> {
  return await db.maybe<InvoiceAttempt>(sql`select ${INVOICE_COLUMNS} from attempts
    where invoice_id in (select id from invoices where license_id = ${license_id})
    order by number desc limit 1`)
}

/** An attempt that is not settled, with whose it is. */
export interface OpenAttempt extends Pick<Try, 'id' | 'amount' | 'status' | 'created_at'> {
  cart_id: string | null
  invoice_id: string | null
  app_name: string
  email: string
}

const OPEN_COLUMNS = sql`t.id, t.amount, t.status, t.created_at, t.cart_id, t.invoice_id,
  a.name as app_name, t.email_normalised as email`

/** Attempts that were made before a time and are not settled, the oldest first. */
export async function listStuck(db: Db, before: Date): Promise<OpenAttempt[]> {
  return await db.rows<OpenAttempt>(sql`select ${OPEN_COLUMNS}
    from attempts t join apps a on a.id = t.app_id
    where t.status in ('open', 'action_required') and t.created_at <= ${before}
    order by t.created_at, t.id limit 100`)
}

/** An attempt that is not settled; undefined where it is, or there is none. */
export async function findOpenAttempt(db: Db, id: string): Promise<OpenAttempt | undefined> {
  return await db.maybe<OpenAttempt>(sql`select ${OPEN_COLUMNS}
    from attempts t join apps a on a.id = t.app_id
    where t.id = ${id} and t.status in ('open', 'action_required')`)
}
