import type { PricedOrder } from '#design/order'
import type { Card, CardEntryRequest } from '#domain/payments'
import type { Db } from '#platform/db'
import { sql } from '#platform/sql'
import { add, CARD_COLUMNS, type StoredCard } from './stored-cards.ts'

/** A card page and its request; it is used up once `card_token` is set. */
export interface CardEntry
  extends Omit<CardEntryRequest, 'app_icon' | 'summary' | 'figures' | 'note'> {
  id: string
  app_icon: string | null
  figures: PricedOrder | null
  note: string | null
  card_token: string | null
}

/** Opens a card page. */
export async function open(
  db: Db,
  now: Date,
  entry: CardEntryRequest & { id: string },
): Promise<void> {
  const figures = entry.figures ? JSON.stringify(entry.figures) : null
  await db.run(sql`insert into sandbox.card_entries
    (id, app_name, app_icon, product_name, email, figures, note, zip, return_url, back_url,
      created_at)
    values (${entry.id}, ${entry.app_name}, ${entry.app_icon ?? null}, ${entry.product_name},
      ${entry.email}, ${figures}, ${entry.note ?? null}, ${entry.zip}, ${entry.return_url},
      ${entry.back_url}, ${now})`)
}

/** A card page, used or not. */
export async function find(db: Db, id: string): Promise<CardEntry | undefined> {
  return await db.maybe<CardEntry>(sql`select id, app_name, app_icon, product_name,
    email, figures, note, zip, return_url, back_url, card_token
    from sandbox.card_entries where id = ${id}`)
}

/** Stores the entered card; false without storing it if the page was already used. */
export async function use(
  db: Db,
  now: Date,
  { id, app_name }: CardEntry,
  card: StoredCard,
): Promise<boolean> {
  const used = sql`update sandbox.card_entries set card_token = ${card.token}
    where id = ${id} and card_token is null returning id`
  return (await add(db, now, { ...card, app_name }, used)) === 1
}

/** The entered card; undefined until there is one. */
export async function readCard(db: Db, id: string): Promise<Card | undefined> {
  return await db.maybe<Card>(sql`select ${CARD_COLUMNS}
    from sandbox.card_entries join sandbox.cards on token = card_token where id = ${id}`)
}
