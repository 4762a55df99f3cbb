import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Section } from './content.ts'
import { cleanHtml } from './html.ts'

/** An app's detail sections in order; the bodies are sanitized again when they are read. */
export async function sections(db: Db, app_id: AppId): Promise<Section[]> {
  const rows = await db.rows<Section>(sql`select title, body from listing_sections
    where app_id = ${app_id} order by position`)
  return rows.map(({ title, body }) => ({ title, body: cleanHtml(body) }))
}

/** Replaces an app's detail sections by others, whose bodies are sanitized. */
export async function setSections(
  db: Db,
  app_id: AppId,
  replacements: readonly Section[],
): Promise<void> {
  await db.run(sql`delete from listing_sections where app_id = ${app_id}`)
  const titles = replacements.map(({ title }) => title)
  const bodies = replacements.map(({ body }) => body)
  await db.run(sql`insert into listing_sections (app_id, position, title, body)
    select ${app_id}, number - 1, title, body
    from unnest(${titles}::text[], ${bodies}::text[]) with ordinality
      as given (title, body, number)`)
}
