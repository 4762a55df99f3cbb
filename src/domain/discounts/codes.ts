import type { Db } from '#platform/db'
import type { AppId, CartId, DiscountId, InvoiceId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Discount } from './discount.ts'

export type { Discount } from './discount.ts'

const COLUMNS = sql`id, code, percent, amount, periods, valid_from, valid_until, max_uses,
  is_once_per_buyer, is_first_purchase, product_ids, is_active`

/** Adds a code to an app; false if the app already has it. */
export async function addDiscount(
  db: Db,
  now: Date,
  discount: Omit<Discount, 'is_active'> & { app_id: AppId },
): Promise<boolean> {
  const d = discount
  const added = await db.run(sql`insert into discount_codes (id, app_id, code, percent, amount,
      periods, valid_from, valid_until, max_uses, is_once_per_buyer, is_first_purchase,
      product_ids, created_at)
    values (${d.id}, ${d.app_id}, ${d.code}, ${d.percent}, ${d.amount}, ${d.periods},
      ${d.valid_from}, ${d.valid_until}, ${d.max_uses}, ${d.is_once_per_buyer},
      ${d.is_first_purchase}, ${[...d.product_ids]}, ${now})
    on conflict (app_id, code) do nothing`)
  return added === 1
}

/** An app's code, in upper case. */
export async function findCode(
  db: Db,
  { app_id, code }: { app_id: AppId; code: string },
): Promise<Discount | undefined> {
  return await db.maybe<Discount>(sql`select ${COLUMNS} from discount_codes
    where app_id = ${app_id} and code = ${code}`)
}

/** A discount by its id. */
export async function getDiscount(db: Db, id: DiscountId): Promise<Discount> {
  return await db.one<Discount>(sql`select ${COLUMNS} from discount_codes where id = ${id}`)
}

/**
 * A discount, locked until the transaction ends: no other purchase can begin to use it. Other
 * transactions may still write rows that refer to it.
 */
export async function lockDiscount(db: Db, id: DiscountId): Promise<Discount> {
  return await db.one<Discount>(sql`select ${COLUMNS} from discount_codes where id = ${id}
    for no key update`)
}

/** Turns an app's code on or off, and returns it; undefined if the app has no such code. */
export async function setActive(
  db: Db,
  facts: { app_id: AppId; id: DiscountId; is_active: boolean },
): Promise<string | undefined> {
  const found = await db.maybe<{ code: string }>(sql`update discount_codes
    set is_active = ${facts.is_active}
    where id = ${facts.id} and app_id = ${facts.app_id}
    returning code`)
  return found?.code
}

/** The number of purchases that use a code, except those of this cart. */
export async function countUses(
  db: Db,
  { id, except }: { id: DiscountId; except: CartId | null },
): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`select count(*) as count
    from discount_uses where discount_id = ${id}
      and invoice_id not in (select i.id from invoices i where i.cart_id = ${except})`)
  return count
}

/** Whether a person's paid purchases of an app exist, and whether one used the discount. */
export async function purchasesBefore(
  db: Db,
  buyer: { app_id: AppId; email_normalized: string; id: DiscountId },
): Promise<{ bought_before: boolean; used_before: boolean }> {
  return await db.one<{ bought_before: boolean; used_before: boolean }>(sql`
    select count(*) > 0 as bought_before, count(d.invoice_id) > 0 as used_before
    from users u join orders o on o.user_id = u.id and o.app_id = ${buyer.app_id}
      left join discount_uses d on d.invoice_id = o.invoice_id and d.discount_id = ${buyer.id}
    where u.email_normalized = ${buyer.email_normalized}`)
}

/** Records that a purchase uses a discount, which the caller has locked. */
export async function useDiscount(
  db: Db,
  now: Date,
  { invoice_id, id }: { invoice_id: InvoiceId; id: DiscountId },
): Promise<void> {
  await db.run(sql`insert into discount_uses (invoice_id, discount_id, used_at)
    values (${invoice_id}, ${id}, ${now})`)
}

/** Frees the use of a code by a purchase that was not paid. */
export async function restoreUse(db: Db, invoice_id: InvoiceId): Promise<void> {
  await db.run(sql`delete from discount_uses where invoice_id = ${invoice_id}`)
}

/** The discount that a purchase uses. */
export async function discountOf(db: Db, invoice_id: InvoiceId): Promise<Discount | undefined> {
  return await db.maybe<Discount>(sql`select ${COLUMNS} from discount_codes
    where id = (select discount_id from discount_uses where invoice_id = ${invoice_id})`)
}

/** A code in its seller's list. */
export interface ListedDiscount extends Discount {
  uses: number
  created_at: Date
}

/** An app's codes, newest first. */
export async function listDiscounts(
  db: Db,
  app_id: AppId,
  page: { limit: number; offset: number },
): Promise<ListedDiscount[]> {
  return await db.rows<ListedDiscount>(sql`select ${COLUMNS}, created_at,
      (select count(*) from discount_uses u where u.discount_id = discount_codes.id) as uses
    from discount_codes where app_id = ${app_id}
    order by created_at desc, id limit ${page.limit} offset ${page.offset}`)
}

/** The number of an app's codes. */
export async function countDiscounts(db: Db, app_id: AppId): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from discount_codes where app_id = ${app_id}`,
  )
  return count
}
