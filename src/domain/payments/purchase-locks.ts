import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { BuyerOfApp } from './attempts.ts'

const lockOn = (name: string) => sql`pg_advisory_xact_lock(hashtextextended(${name}, 18))`
const lockOnBuyer = ({ app_id, email_normalized }: BuyerOfApp) =>
  lockOn(`buyer ${app_id} ${email_normalized}`)
const lockOnEmail = (email_normalized: string) => lockOn(`email ${email_normalized}`)

/**
 * Locks the purchases of a buyer of an app until the transaction ends, so that no attempt begins
 * while a license is given.
 */
export async function lockBuyer(db: Db, buyer: BuyerOfApp): Promise<void> {
  await db.one(sql`select ${lockOnBuyer(buyer)}`)
}

/**
 * Like `lockBuyer`, and also keeps any account from taking or giving up the email (`lockEmails`).
 */
export async function lockPurchaser(db: Db, buyer: BuyerOfApp): Promise<void> {
  await db.one(sql`select ${lockOnBuyer(buyer)}, ${lockOnEmail(buyer.email_normalized)}`)
}

/** Locks a card's purchases of an app until the transaction ends, by whichever account. */
export async function lockCardOfApp(
  db: Db,
  { app_id, fingerprint }: { app_id: AppId; fingerprint: string },
): Promise<void> {
  await db.one(sql`select ${lockOn(`card ${app_id} ${fingerprint}`)}`)
}

/** Locks emails until the transaction ends, so that no purchase with one of them begins. */
export async function lockEmails(db: Db, emails: string[]): Promise<void> {
  // In one order, so that two changes between the same emails cannot wait for each other.
  for (const email of [...new Set(emails)].sort()) await db.one(sql`select ${lockOnEmail(email)}`)
}
