import type { Card, PortalRequest } from '#domain/payments'
import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
import { add, CARD_COLUMNS, type StoredCard } from './stored-cards.ts'

/** A billing portal of a buyer, with the current card on file. */
export interface Portal {
  id: string
  app_name: string
  app_icon: string | null
  email: string
  return_url: string
  card: Pick<Card, 'token' | 'brand' | 'last4' | 'exp_month' | 'exp_year' | 'billing_zip'>
}

/** A charge in the billing portal. */
export interface PortalPayment {
  id: string
  amount: Cents
  status: 'succeeded' | 'declined'
  refunded: Cents
  created_at: Date
}

/** Opens a billing portal. */
export async function open(db: Db, now: Date, request: PortalRequest & { id: string }) {
  const { id, app_name, app_icon = null, email, card_token, return_url } = request
  await db.run(sql`insert into sandbox.portals
    (id, app_name, app_icon, email, card_token, return_url, created_at)
    values (${id}, ${app_name}, ${app_icon}, ${email}, ${card_token}, ${return_url}, ${now})`)
}

/** The billing portal with this ID. */
export async function find(db: Db, id: string): Promise<Portal | undefined> {
  const row = await db.maybe<Omit<Portal, 'card'> & Portal['card']>(sql`
    select p.id, p.app_name, p.app_icon, p.email, p.return_url, c.token, c.brand, c.last4, c.exp_month,
      c.exp_year, c.billing_zip
    from sandbox.portals p
    join sandbox.cards c on c.token = coalesce(p.new_card_token, p.card_token)
    where p.id = ${id}`)
  if (!row) return undefined
  const { app_name, app_icon, email, return_url, ...card } = row
  return { id, app_name, app_icon, email, return_url, card }
}

/** The payments with the cards of a portal, newest first. */
export async function paymentsOf(db: Db, id: string): Promise<PortalPayment[]> {
  return await db.rows<PortalPayment>(sql`
    select c.id, c.amount, c.status, c.created_at, (
        select coalesce(sum(r.amount), 0)::bigint from sandbox.refunds r
        where r.charge_id = c.id and r.status <> 'refused' and r.comes_back_at is null
      ) as refunded
    from sandbox.portals p
    join sandbox.charges c on c.card_token in (p.card_token, p.new_card_token)
    where p.id = ${id} and c.amount > 0 and c.status in ('succeeded', 'declined')
    order by c.created_at desc, c.id limit 24`)
}

/** Replaces the card on file. */
export async function change(db: Db, now: Date, portal: Portal, card: StoredCard): Promise<void> {
  const used = sql`update sandbox.portals set new_card_token = ${card.token}
    where id = ${portal.id} returning id`
  await add(db, now, { ...card, app_name: portal.app_name }, used)
}

/** The new card on file; undefined if it was not replaced. */
export async function readCard(db: Db, id: string): Promise<Card | undefined> {
  return await db.maybe<Card>(sql`select ${CARD_COLUMNS} from sandbox.cards
    where token = (select new_card_token from sandbox.portals where id = ${id})`)
}
