import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import { sql } from '#platform/sql'
import { nameKey } from '#platform/text'

/** The kinds of names by which apps are found. */
export const NAME_KINDS = ['category', 'industry', 'tag'] as const
export type NameKind = (typeof NAME_KINDS)[number]

/** An app's names of each kind, in the seller's order. */
export async function names(db: Db, app_id: AppId): Promise<Record<NameKind, string[]>> {
  const rows = await db.rows<{ kind: NameKind; name: string }>(sql`select n.kind, n.name
    from listing_app_names a join listing_names n using (kind, key)
    where a.app_id = ${app_id} order by a.position`)
  const of = (wanted: NameKind) => rows.flatMap(({ kind, name }) => (kind === wanted ? name : []))
  return { category: of('category'), industry: of('industry'), tag: of('tag') }
}

/**
 * Replaces an app's names of one kind. A new name is created for all apps; a known one keeps the
 * spelling of its first use.
 */
export async function setNames(
  db: Db,
  now: Date,
  facts: { app_id: AppId; kind: NameKind; names: readonly string[] },
): Promise<void> {
  const { app_id, kind } = facts
  const given = facts.names.map((name) => ({ name, key: nameKey(name) }))
  // All writers create names in one order, to prevent a deadlock.
  const ordered = given.toSorted((one, other) => (one.key < other.key ? -1 : 1))
  await db.run(sql`insert into listing_names (kind, key, name, created_at)
    select ${kind}, key, name, ${now}::timestamptz
    from unnest(${ordered.map(({ key }) => key)}::text[],
      ${ordered.map(({ name }) => name)}::text[]) as given (key, name)
    on conflict do nothing`)
  await db.run(sql`delete from listing_app_names where app_id = ${app_id} and kind = ${kind}`)
  await db.run(sql`insert into listing_app_names (app_id, kind, key, position)
    select ${app_id}, ${kind}, key, number
    from unnest(${given.map(({ key }) => key)}::text[]) with ordinality as given (key, number)`)
}
