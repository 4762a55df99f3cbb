import type { Db } from '#platform/db'
import type { ImageId, SellerId } from '#platform/ids'
import { sql } from '#platform/sql'

/** The texts of an app's listing. */
export interface ExportedListing {
  slug: string
  listing: Record<string, unknown>
}

/** The listing texts of a seller's apps: description, sections, features, categories and tags. */
export async function listingsOf(db: Db, seller_id: SellerId): Promise<ExportedListing[]> {
  return await db.rows<ExportedListing>(sql`select a.slug, jsonb_build_object('app', a.slug,
      'tagline', a.tagline, 'description', a.description,
      'sections', (select coalesce(jsonb_agg(jsonb_build_object('title', s.title, 'body', s.body)
        order by s.position), '[]') from listing_sections s where s.app_id = a.id),
      'features', (select coalesce(jsonb_agg(jsonb_build_object('name', f.name,
          'description', f.description, 'product_ids', (select coalesce(jsonb_agg(p.product_id
            order by p.number), '[]') from listing_feature_products p
            where p.app_id = a.id and p.position = f.position)) order by f.position), '[]')
        from listing_features f where f.app_id = a.id),
      'names', (select coalesce(jsonb_agg(jsonb_build_object('kind', n.kind, 'name', m.name)
          order by n.kind, n.position), '[]')
        from listing_app_names n join listing_names m on m.kind = n.kind and m.key = n.key
        where n.app_id = a.id)) as listing
    from apps a where a.seller_id = ${seller_id} order by a.slug`)
}

/** A picture of an app. */
export interface ExportedImage {
  id: ImageId
  slug: string
  kind: 'icon' | 'screenshot'
  width: number
  alt: string
}

/** The pictures of a seller's apps that are shown. */
export async function imagesOf(db: Db, seller_id: SellerId): Promise<ExportedImage[]> {
  return await db.rows<ExportedImage>(sql`select m.id, a.slug, m.kind, m.width, m.alt
    from app_images m join apps a on a.id = m.app_id
    where a.seller_id = ${seller_id} and m.removed_at is null order by m.id`)
}
