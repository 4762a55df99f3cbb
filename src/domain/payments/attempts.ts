import type { Db } from '#platform/db'
import type { AppId, AttemptId, CartId, InvoiceId, LicenseId, UserId } from '#platform/ids'
import { fromJson, type JsonRow } from '#platform/json-row'
import type { Cents } from '#platform/money'
import { columnsOf, fieldsOf, rowsOf, type Sql, sql } from '#platform/sql'
import type { Writes } from '#platform/write-together'
import type { Card, ChargeAnswer, DeclineCode } from './processor.ts'

export type AttemptStatus =
  | 'open'
  | 'action_required'
  | 'succeeded'
  | 'declined'
  | 'closed'
  | 'refused'

/** open: without an answer. action_required: the buyer is at the page of their bank. */
export type PendingStatus = Extract<AttemptStatus, 'open' | 'action_required'>

/** Who started an attempt. Only `schedule` counts as a scheduled retry. */
export type RequestedBy = 'schedule' | 'buyer' | 'staff'

/** One attempt to pay an invoice; its id is the idempotency key at the processor. */
export interface Attempt {
  id: AttemptId
  invoice_id: InvoiceId
  requested_by: RequestedBy
  app_id: AppId
  email_normalized: string
  /** In cents, tax included; zero only checks the card. */
  amount: Cents
  card: Card
  status: AttemptStatus
  action_url: string | null
  decline_code: DeclineCode | null
  created_at: Date
}

/** An attempt without an answer yet. */
export type NewAttempt = Omit<Attempt, 'status' | 'action_url' | 'decline_code' | 'created_at'>

const COLUMNS = sql`attempts.id, attempts.invoice_id, attempts.requested_by, attempts.app_id,
  attempts.email_normalized, attempts.amount, attempts.card, attempts.status, attempts.action_url,
  attempts.decline_code, attempts.created_at`

/** That an attempt is pending, as part of a statement. */
export const PENDING = sql`status in ('open', 'action_required')`

/** Whether the outcome of an attempt is pending. */
export function isPending({ status }: Pick<Attempt, 'status'>): boolean {
  return status === 'open' || status === 'action_required'
}

/** Records an attempt; undefined if the buyer already has a pending one for this app. */
export async function openAttempt(
  db: Writes,
  now: Date,
  attempt: NewAttempt,
): Promise<Attempt | undefined> {
  const row = { ...attempt, card: JSON.stringify(attempt.card), created_at: now }
  const opened = await db.run(sql`insert into attempts (${columnsOf(NEW_TYPES)}, status)
    select row.*, 'open' from ${rowsOf([row], NEW_TYPES)}
    on conflict (app_id, email_normalized) where status in ('open', 'action_required')
    do nothing`)
  if (opened === 0) return undefined
  return { ...attempt, status: 'open', action_url: null, decline_code: null, created_at: now }
}

const NEW_TYPES = {
  id: 'text',
  invoice_id: 'text',
  requested_by: 'text',
  app_id: 'text',
  email_normalized: 'text',
  amount: 'bigint',
  card: 'jsonb',
  created_at: 'timestamptz',
} as const

/** A buyer of an app, by email, with or without an account. */
export type BuyerOfApp = Pick<Attempt, 'app_id' | 'email_normalized'>

/** The pending attempt of a buyer for an app, on any invoice. */
export async function findPending(
  db: Db,
  { app_id, email_normalized }: BuyerOfApp,
): Promise<Attempt | undefined> {
  return await db.maybe<Attempt>(sql`select ${COLUMNS} from attempts
    where app_id = ${app_id} and email_normalized = ${email_normalized} and ${PENDING}`)
}

/** Whether such a pending attempt exists, as part of another statement. */
export const hasPending = (app_id: Sql, email_normalized: Sql) => sql`exists (
  select 1 from attempts where attempts.app_id = ${app_id}
    and attempts.email_normalized = ${email_normalized} and attempts.${PENDING})`

/** Whether a license has a pending attempt, as part of another statement. */
export const hasPendingOfLicense = (license_id: Sql) => sql`exists (select 1 from attempts
  where ${PENDING} and invoice_id in (select id from invoices where license_id = ${license_id}))`

/** Whether a license has a pending attempt. */
export async function isPaymentPendingForLicense(db: Db, license_id: LicenseId): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(
    sql`select ${hasPendingOfLicense(sql`${license_id}`)} as found`,
  )
  return found
}

/** Whether a payment is pending with one of these emails, for any app. */
export async function isPaymentPendingForEmail(db: Db, emails: string[]): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (select 1 from attempts
    where email_normalized = any(${emails}) and ${PENDING}) as found`)
  return found
}

/**
 * Whether a purchase with this email is pending for an app that the account already has a license
 * for.
 */
export async function isBuyingAgain(
  db: Db,
  { user_id, email_normalized }: { user_id: UserId; email_normalized: string },
): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (select 1 from attempts
      join invoices on invoices.id = attempts.invoice_id and invoices.kind = 'purchase'
      join licenses on licenses.app_id = attempts.app_id and licenses.user_id = ${user_id}
        and licenses.status not in ('canceled', 'preview')
    where attempts.email_normalized = ${email_normalized} and attempts.${PENDING}) as found`)
  return found
}

/** The latest attempt on an invoice. */
export async function latestAttempt(db: Db, invoice_id: InvoiceId): Promise<Attempt | undefined> {
  return await db.maybe<Attempt>(sql`select ${COLUMNS} from attempts
    where invoice_id = ${invoice_id} order by number desc limit 1`)
}

/** The latest attempt to pay for a cart. */
export async function latestOfCart(db: Db, cart_id: CartId): Promise<Attempt | undefined> {
  return await db.maybe<Attempt>(sql`select ${COLUMNS} from attempts
    where invoice_id in (select id from invoices where cart_id = ${cart_id})
    order by number desc limit 1`)
}

/** The latest attempt to pay for this cart, as JSON within another statement; see `attemptOf`. */
export const attemptOfCartAsJson = (cart_id: Sql) => sql`(select to_jsonb(attempt) from (
  select ${COLUMNS} from attempts
  where invoice_id in (select id from invoices where cart_id = ${cart_id})
  order by number desc limit 1) attempt)`

/** The row of `attempts` in a joined statement, as JSON; `attemptOf` reads it. */
export const ATTEMPT_AS_JSON = sql`(select to_jsonb(attempt) from (select ${COLUMNS}) attempt)`

/** The attempt of `attemptOfCartAsJson` and of `ATTEMPT_AS_JSON`. */
export function attemptOf(json: JsonRow<Attempt>): Attempt {
  return fromJson<Attempt>(json, { created_at: true })
}

/** The latest attempt on any invoice of a subscription's license. */
export async function latestOfLicense(db: Db, license_id: LicenseId): Promise<Attempt | undefined> {
  return await db.maybe<Attempt>(sql`select ${COLUMNS} from attempts
    where invoice_id in (select id from invoices
      where license_id = ${license_id} and kind <> 'purchase')
    order by number desc limit 1`)
}

/**
 * Pending attempts of a status that were made before a time, oldest first; `after` continues after
 * one. One that is dated in the future was made before the clock was set back.
 */
export async function pendingAttempts(
  db: Db,
  { status, before }: { status: PendingStatus; before: Date },
  { after, limit }: { after?: Attempt | undefined; limit: number },
): Promise<Attempt[]> {
  const from = after ? sql`(created_at, id) > (${after.created_at}, ${after.id})` : sql`true`
  return await db.rows<Attempt>(sql`select ${COLUMNS} from attempts
    where ${PENDING} and status = ${status} and (created_at <= ${before}
      or created_at > ${before}::timestamptz + interval '2 minutes') and ${from}
    order by created_at, id limit ${limit}`)
}

/** The outcome of an attempt so far. */
export type AttemptOutcome = Pick<Attempt, 'status' | 'action_url' | 'decline_code'>

/** The outcome of an attempt with this answer. */
export function outcomeOf(answer: ChargeAnswer): AttemptOutcome {
  return {
    status: answer.status,
    action_url: answer.status === 'action_required' ? answer.action_url : null,
    decline_code: answer.status === 'declined' ? answer.decline_code : null,
  }
}

/** Records the processor's answer. */
export async function recordAnswer(
  db: Writes,
  now: Date,
  id: AttemptId,
  answer: ChargeAnswer,
): Promise<void> {
  const row = {
    id,
    ...outcomeOf(answer),
    charge_id: answer.status === 'succeeded' ? answer.charge_id : null,
    refusal: answer.status === 'refused' ? answer.reason : null,
    settled_at: answer.status === 'action_required' ? null : now,
  }
  await db.run(sql`update attempts set ${fieldsOf(ANSWER_TYPES)}
    from ${rowsOf([row], { id: 'text', ...ANSWER_TYPES })} where attempts.id = row.id`)
}

const ANSWER_TYPES = {
  status: 'text',
  action_url: 'text',
  decline_code: 'text',
  charge_id: 'text',
  refusal: 'text',
  settled_at: 'timestamptz',
} as const

/** A pending attempt, and its buyer. */
export interface PendingAttempt
  extends Pick<Attempt, 'id' | 'invoice_id' | 'amount' | 'status' | 'created_at'> {
  app_name: string
  email: string
}

const PENDING_COLUMNS = sql`t.id, t.invoice_id, t.amount, t.status, t.created_at,
  a.name as app_name, t.email_normalized as email`

/** A page of the pending attempts that were made before a time, oldest first. */
export async function listStuck(
  db: Db,
  { before, limit, offset }: { before: Date; limit: number; offset: number },
): Promise<PendingAttempt[]> {
  return await db.rows<PendingAttempt>(sql`select ${PENDING_COLUMNS}
    from attempts t join apps a on a.id = t.app_id
    where t.${PENDING} and t.created_at <= ${before}
    order by t.created_at, t.id limit ${limit} offset ${offset}`)
}

/** A pending attempt by its id; undefined if it is settled, or there is none. */
export async function findPendingById(db: Db, id: AttemptId): Promise<PendingAttempt | undefined> {
  return await db.maybe<PendingAttempt>(sql`select ${PENDING_COLUMNS}
    from attempts t join apps a on a.id = t.app_id
    where t.id = ${id} and t.${PENDING}`)
}

/** Whether a payment attempt has waited for the processor's answer since before this time. */
export async function isAnyOpenSince(db: Db, before: Date): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (
    select 1 from attempts where status = 'open' and created_at <= ${before}) as found`)
  return found
}
