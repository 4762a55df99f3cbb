import type { Card } from '#domain/payments'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import type { Random } from '#platform/random'
import type { KeyRing } from '#platform/secrets'
import { type Sql, sql } from '#platform/sql'
import type { EnteredCard } from './card-form.ts'
import type { BehaviorName } from './cards.ts'

/** A stored card, with its behavior. */
export type StoredCard = Card & { behavior: BehaviorName }

/** The facts of a stored card that decide a charge. */
export interface CardState {
  behavior: BehaviorName
  authenticated: boolean
  declines: number
  /** How many more renewals a scenario declines. */
  failing_renewals: number
}

/** The columns of a card that the service sees. */
export const CARD_COLUMNS = sql`token, brand, last4, exp_month, exp_year, billing_country,
  billing_zip, issuer_country, fingerprint`

/** The stored form of an entered card, without its number. */
export function storedCardOf(
  { random, keys }: { random: Random; keys: KeyRing },
  { card, exp_month, exp_year, zip }: EnteredCard,
): StoredCard {
  const { number, brand, issuer_country, behavior } = card
  return {
    token: mintId(random, 'card'),
    brand,
    last4: number.slice(-4),
    exp_month,
    exp_year,
    billing_country: issuer_country,
    billing_zip: zip,
    issuer_country,
    fingerprint: keys.hmac('sandbox card fingerprint', number).toString('base64url'),
    behavior,
  }
}

/**
 * Stores a card for the app whose page it was entered on, once for each row that `used` returns:
 * the page that it uses up. Returns how many were stored.
 */
export async function add(
  db: Db,
  now: Date,
  card: StoredCard & { app_name: string },
  used: Sql,
): Promise<number> {
  return await db.run(sql`with used as (${used})
    insert into sandbox.cards (${CARD_COLUMNS}, behavior, app_name, created_at)
    select ${card.token}, ${card.brand}, ${card.last4}, ${card.exp_month}::int,
      ${card.exp_year}::int, ${card.billing_country}, ${card.billing_zip}, ${card.issuer_country},
      ${card.fingerprint}, ${card.behavior}, ${card.app_name}, ${now}::timestamptz from used`)
}

/** The facts of a stored card that decide a charge. */
export async function findState(db: Db, token: string): Promise<CardState | undefined> {
  return await db.maybe<CardState>(sql`select behavior, authenticated, declines, failing_renewals
    from sandbox.cards where token = ${token}`)
}

/** Records that a card passed authentication. */
export async function authenticate(db: Db, token: string): Promise<void> {
  await db.run(sql`update sandbox.cards set authenticated = true where token = ${token}`)
}

/** Declines the next renewals with a card, whatever its behavior. */
export async function declineRenewals(db: Db, token: string, count: number): Promise<void> {
  const updated = await db.run(sql`update sandbox.cards set failing_renewals = ${count}
    where token = ${token}`)
  if (updated === 0) throw new Error('there is no such card')
}

/** Makes all further charges of a card succeed. */
export async function recover(db: Db, token: string): Promise<void> {
  const behavior: BehaviorName = 'succeeds'
  const touched = await db.run(sql`update sandbox.cards
    set behavior = ${behavior}, failing_renewals = 0, declines = 0 where token = ${token}`)
  if (touched === 0) throw new Error('there is no such card')
}
