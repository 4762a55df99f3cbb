import type { Frequency } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, PriceId, ProductId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'

/** A plan of an app; a free one has no prices. */
export interface Product {
  id: ProductId
  app_id: AppId
  name: string
  description: string
  is_free: boolean
  position: number
  trial_days: number
}

/** What a product costs, once (`frequency` null) or per period. */
export interface Price {
  id: PriceId
  product_id: ProductId
  amount: Cents
  currency: 'usd'
  frequency: Frequency | null
}

/** A price with the product fields that checkout needs. */
export interface ProductPrice extends Price {
  app_id: AppId
  product_name: string
  trial_days: number
}

/** An app's plans in the seller's order. */
export async function products(db: Db, app_id: AppId): Promise<Product[]> {
  return await db.rows<Product>(sql`
    select id, app_id, name, description, is_free, position, trial_days from products
    where app_id = ${app_id} and deleted_at is null order by position, id`)
}

/** The products of an app that cost something, in order. */
export async function paidProducts(db: Db, app_id: AppId): Promise<Product[]> {
  return (await products(db, app_id)).filter(({ is_free }) => !is_free)
}

/** The plan that an app's seller recommends, while it is for sale. */
export async function highlighted(db: Db, app_id: AppId): Promise<ProductId | undefined> {
  const found = await db.maybe<{ id: ProductId }>(sql`select id from products
    where app_id = ${app_id} and is_highlighted and deleted_at is null`)
  return found?.id
}

/** Highlights one plan of an app, or none with null; false for a plan that is not for sale. */
export async function highlight(tx: Db, app_id: AppId, id: ProductId | null): Promise<boolean> {
  const isSold = id === null || (await products(tx, app_id)).some((each) => each.id === id)
  if (!isSold) return false
  await tx.run(sql`update products set is_highlighted = false
    where app_id = ${app_id} and is_highlighted`)
  await tx.run(sql`update products set is_highlighted = true where id = ${id}`)
  return true
}

/** An app's live prices in the order of its plans, shortest period first. */
export async function livePrices(db: Db, app_id: AppId): Promise<ProductPrice[]> {
  return await db.rows<ProductPrice>(sql`
    select r.id, r.product_id, r.amount, r.currency, r.frequency,
      p.app_id, p.name as product_name, p.trial_days
    from prices r join products p on p.id = r.product_id
    where p.app_id = ${app_id} and p.deleted_at is null and r.deleted_at is null
    order by p.position, p.id,
      array_position(array['day', 'week', 'month', 'year'], r.frequency) nulls last`)
}

/** A plan of an app, once for each of its prices. A free plan has none. */
export interface PlanOfApp {
  app_id: AppId
  product_id: ProductId
  name: string
  amount: Cents | null
  frequency: Frequency | null
}

/** The plans of some apps in their sellers' order, with their live prices. */
export async function plansOfApps(db: Db, app_ids: AppId[]): Promise<PlanOfApp[]> {
  return await db.rows<PlanOfApp>(sql`
    select p.app_id, p.id as product_id, p.name, r.amount, r.frequency
    from products p left join prices r on r.product_id = p.id and r.deleted_at is null
    where p.app_id = any(${app_ids}) and p.deleted_at is null
    order by p.app_id, p.position, p.id,
      array_position(array['day', 'week', 'month', 'year'], r.frequency) nulls last`)
}

interface Agreed {
  /** A buyer agreed to it before: it counts as long as its product is sold, even without it. */
  is_agreed?: boolean
}

/** A price that can be bought now. */
export async function findLivePrice(
  db: Db,
  price_id: PriceId,
  { is_agreed = false }: Agreed = {},
): Promise<ProductPrice | undefined> {
  return await db.maybe<ProductPrice>(sql`
    select r.id, r.product_id, r.amount, r.currency, r.frequency,
      p.app_id, p.name as product_name, p.trial_days
    from prices r join products p on p.id = r.product_id
    where r.id = ${price_id} and p.deleted_at is null and (r.deleted_at is null or ${is_agreed})`)
}

interface Locked extends Agreed {
  /** Only while its app is for sale, which is then neither withdrawn nor transferred. */
  is_on_sale?: boolean
}

/**
 * A price that can be bought now, locked together with its product until the transaction ends, so
 * that neither changes while a purchase of it is recorded.
 */
export async function lockLivePrice(
  db: Db,
  price_id: PriceId,
  { is_agreed = false, is_on_sale = false }: Locked = {},
): Promise<ProductPrice | undefined> {
  const app = is_on_sale ? sql`join apps a on a.id = p.app_id and a.is_on_sale` : sql``
  const lock = is_on_sale ? sql`for share of r for key share of a` : sql`for share of r`
  // The product first, the order in which changes of products lock it too: no deadlock.
  return await db.maybe<ProductPrice>(sql`with product as materialized (
      select id, app_id, name, trial_days, deleted_at from products
      where id = (select product_id from prices where id = ${price_id}) for share)
    select r.id, r.product_id, r.amount, r.currency, r.frequency,
      p.app_id, p.name as product_name, p.trial_days
    from product p join prices r on r.product_id = p.id ${app}
    where r.id = ${price_id} and p.deleted_at is null and (r.deleted_at is null or ${is_agreed})
    ${lock}`)
}

/** The price with this ID, sold or not, as JSON within another statement. It has no dates. */
export const priceAsJson = (id: Sql) => sql`(select to_jsonb(price)
  from (select r.id, r.product_id, r.amount, r.currency, r.frequency,
      p.app_id, p.name as product_name, p.trial_days
    from prices r join products p on p.id = r.product_id where r.id = ${id}) price)`

/** Whether a price and its product are not deleted, as part of another statement. */
export const isPriceLive = (id: Sql) => sql`exists (
  select 1 from prices r join products p on p.id = r.product_id
  where r.id = ${id} and r.deleted_at is null and p.deleted_at is null)`

/** A price that was bought, whether or not it is still for sale. */
export async function getPrice(db: Db, price_id: PriceId): Promise<ProductPrice> {
  return await db.one<ProductPrice>(sql`
    select r.id, r.product_id, r.amount, r.currency, r.frequency,
      p.app_id, p.name as product_name, p.trial_days
    from prices r join products p on p.id = r.product_id where r.id = ${price_id}`)
}

/** The name of a plan, whether or not it is still sold. */
export async function productName(db: Db, id: ProductId): Promise<string> {
  const { name } = await db.one<{ name: string }>(sql`select name from products where id = ${id}`)
  return name
}

/** Adds a plan. */
export async function addProduct(db: Db, now: Date, product: Product): Promise<void> {
  await db.run(sql`insert into products
    (id, app_id, name, description, is_free, position, trial_days, created_at)
    values (${product.id}, ${product.app_id}, ${product.name}, ${product.description},
      ${product.is_free}, ${product.position}, ${product.trial_days}, ${now})`)
}

/** Adds a price to a plan. */
export async function addPrice(
  db: Db,
  now: Date,
  price: Pick<Price, 'id' | 'product_id' | 'amount' | 'frequency'>,
): Promise<void> {
  await db.run(sql`insert into prices (id, product_id, amount, frequency, created_at)
    values (${price.id}, ${price.product_id}, ${price.amount}, ${price.frequency}, ${now})`)
}

/** Adds a plan that is not for sale yet, unless the app has or had it. */
export async function addWithdrawn(tx: Db, now: Date, product: Product): Promise<void> {
  const { id, app_id, name, description, is_free, position, trial_days } = product
  await tx.run(sql`insert into products
      (id, app_id, name, description, is_free, position, trial_days, created_at, deleted_at)
    values (${id}, ${app_id}, ${name}, ${description}, ${is_free}, ${position}, ${trial_days},
      ${now}, ${now})
    on conflict (id) do nothing`)
}

/** Adds a price that is not for sale yet, unless its plan has or had it. */
export async function addWithdrawnPrice(
  tx: Db,
  now: Date,
  { id, product_id, amount, frequency }: Pick<Price, 'id' | 'product_id' | 'amount' | 'frequency'>,
): Promise<void> {
  await tx.run(sql`insert into prices (id, product_id, amount, frequency, created_at, deleted_at)
    values (${id}, ${product_id}, ${amount}, ${frequency}, ${now}, ${now})
    on conflict (id) do nothing`)
}
