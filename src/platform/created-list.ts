import { type Sql, sql } from '#platform/sql'

/** The position in a list that has the newest first: its last row that was read. */
export interface CreatedCursor<AnyId extends string> {
  created_at: Date
  id: AnyId
}

/** The rows after a cursor, or all without one; `columns`: their time of creation and their id. */
export function isBelow(columns: Sql, cursor: CreatedCursor<string> | undefined): Sql {
  return sql`(${columns}) < (coalesce(${cursor?.created_at ?? null}, 'infinity'::timestamptz),
    coalesce(${cursor?.id ?? null}::text, '~'))`
}

/** A pattern for `ilike` that matches a text anywhere, each of its characters as it is. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&').replaceAll('\0', '')}%`
}
