import { type Sql, sql } from '#platform/sql'

/** A place in a list that has the newest first. */
export interface CreatedPlace<AnyId extends string> {
  created_at: Date
  id: AnyId
}

/** The rows after a place, or all without one; `columns`: their time of creation and their id. */
export function isBelow(columns: Sql, place: CreatedPlace<string> | undefined): Sql {
  return sql`(${columns}) < (coalesce(${place?.created_at ?? null}, 'infinity'::timestamptz),
    coalesce(${place?.id ?? null}::text, '~'))`
}

/** A pattern for `ilike` that matches a text anywhere, each of its characters as it is. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&').replaceAll('\0', '')}%`
}
