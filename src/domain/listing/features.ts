import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Feature } from './content.ts'

/** An app's feature table in order, with the products for sale that have each feature. */
export async function features(db: Db, app_id: AppId): Promise<Feature[]> {
  return await db.rows<Feature>(sql`select f.name, f.description, array(
      select l.product_id from listing_feature_products l join products p on p.id = l.product_id
      where l.app_id = f.app_id and l.position = f.position and p.deleted_at is null
      order by l.number) as product_ids
    from listing_features f where f.app_id = ${app_id} order by f.position`)
}

/** Replaces an app's feature table. */
export async function setFeatures(
  db: Db,
  app_id: AppId,
  replacements: readonly Feature[],
): Promise<void> {
  await db.run(sql`delete from listing_features where app_id = ${app_id}`)
  const names = replacements.map(({ name }) => name)
  const descriptions = replacements.map(({ description }) => description)
  await db.run(sql`insert into listing_features (app_id, position, name, description)
    select ${app_id}, number - 1, name, description
    from unnest(${names}::text[], ${descriptions}::text[]) with ordinality
      as given (name, description, number)`)
  const links = replacements.flatMap(({ product_ids }, position) =>
    product_ids.map((product_id) => ({ position, product_id })),
  )
  const positions = links.map(({ position }) => position)
  const product_ids = links.map(({ product_id }) => product_id)
  await db.run(sql`insert into listing_feature_products (app_id, position, product_id, number)
    select ${app_id}, position, product_id, number
    from unnest(${positions}::integer[], ${product_ids}::text[]) with ordinality
      as given (position, product_id, number)`)
}
