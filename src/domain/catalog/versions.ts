import type { Db } from '#platform/db'
import { type AppId, mintId, type ProductId } from '#platform/ids'
import type { Random } from '#platform/random'
import { sql } from '#platform/sql'
import type { Price, Product } from './products.ts'
import type { ExistingVersion, PlannedVersion, VersionPlan } from './version-plan.ts'

/** A product with its prices, whether or not it is still for sale. */
export interface Version extends Omit<Product, 'app_id'> {
  is_live: boolean
  prices: Omit<Price, 'product_id'>[]
}

/**
 * Every product that an app has or had: those for sale in the seller's order, then the deleted
 * ones, latest first. A deleted product shows the prices that it had.
 */
export async function versions(db: Db, app_id: AppId): Promise<Version[]> {
  return await db.rows<Version>(sql`
    select p.id, p.name, p.description, p.is_free, p.position, p.trial_days,
      p.deleted_at is null as is_live,
      coalesce((select jsonb_agg(jsonb_build_object('id', r.id, 'amount', r.amount,
          'currency', r.currency, 'frequency', r.frequency)
          order by array_position(array['day', 'week', 'month', 'year'], r.frequency) nulls last)
        from prices r where r.product_id = p.id and r.deleted_at is null), '[]') as prices
    from products p where p.app_id = ${app_id}
    order by p.deleted_at is not null, p.deleted_at desc, p.position, p.id`)
}

/**
 * Locks an app's products until the transaction ends: a change waits for each purchase that is
 * being recorded, and the next purchase waits for the change.
 */
export async function lockProducts(db: Db, app_id: AppId): Promise<void> {
  await db.rows(sql`select id from products where app_id = ${app_id} order by id
    for no key update`)
}

/**
 * An app's products, with whatever prevents changing them. It is one statement, so that a purchase
 * that completes at the same time is seen either as a purchase or as its license.
 */
export async function existingVersions(db: Db, app_id: AppId): Promise<ExistingVersion[]> {
  return await db.rows<ExistingVersion>(sql`
    select p.id, p.legacy_id, p.name, p.is_free, p.trial_days, p.deleted_at is null as is_live,
      coalesce((select jsonb_agg(jsonb_build_object('id', r.id, 'frequency', r.frequency,
          'amount', r.amount, 'is_live', r.deleted_at is null) order by r.created_at desc, r.id)
        from prices r where r.product_id = p.id), '[]') as prices,
      (select count(*) from licenses l join subscriptions s on s.license_id = l.id
        where l.product_id = p.id and l.status not in ('canceled', 'preview')
          and s.ended_at is null) as subscriptions,
      (select count(*) from subscriptions s join prices r on r.id = s.pending_price_id
        where r.product_id = p.id and s.ended_at is null and s.auto_renew) as coming,
      (select count(*) from licenses l
        where l.product_id = p.id and l.status not in ('canceled', 'preview')) as licenses,
      (select count(*) from attempts a join invoices i on i.id = a.invoice_id
          join prices r on r.id = i.price_id
        where r.product_id = p.id and a.app_id = ${app_id}
          and a.status in ('open', 'action_required')) as purchases
    from products p where p.app_id = ${app_id} order by p.position, p.id`)
}

/** Carries a plan out and assigns new ids. The products must be locked: `lockProducts`. */
export async function applyVersions(
  db: Db,
  now: Date,
  random: Random,
  facts: { app_id: AppId; plan: VersionPlan },
): Promise<void> {
  const { app_id, plan } = facts
  await db.run(sql`update products set deleted_at = ${now}
    where id = any(${plan.deleted_versions}) and app_id = ${app_id} and deleted_at is null`)
  await db.run(sql`update prices set deleted_at = ${now} where id = any(${plan.deleted_prices})`)
  // The free version last, as there is never more than one.
  const ordered = plan.versions.toSorted(
    (one, other) => Number(one.is_free) - Number(other.is_free),
  )
  for (const version of ordered) await applyVersion(db, now, random, app_id, version)
}

async function applyVersion(
  db: Db,
  now: Date,
  random: Random,
  app_id: AppId,
  version: PlannedVersion,
): Promise<void> {
  const { name, is_free, position, trial_days } = version
  const product_id = version.id ?? mintId(random, 'prod')
  await (version.id
    ? db.run(sql`update products set name = ${name}, is_free = ${is_free},
        position = ${position}, trial_days = ${trial_days}, deleted_at = null
        where id = ${product_id}`)
    : db.run(sql`insert into products (id, app_id, name, is_free, position, trial_days, created_at)
        values (${product_id}, ${app_id}, ${name}, ${is_free}, ${position}, ${trial_days},
          ${now})`))
  for (const { id, amount, frequency } of version.prices) {
    await (id
      ? db.run(sql`update prices set amount = ${amount}, deleted_at = null where id = ${id}`)
      : db.run(sql`insert into prices (id, product_id, amount, frequency, created_at)
          values (${mintId(random, 'prc')}, ${product_id}, ${amount}, ${frequency}, ${now})`))
  }
}

/** Changes the description of a product. */
export async function describe(db: Db, id: ProductId, description: string): Promise<void> {
  await db.run(sql`update products set description = ${description} where id = ${id}`)
}
