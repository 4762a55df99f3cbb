import type { Database } from '#platform/db'

/** The embedded database has one connection, for which the requests of pages wait. */
const EMBEDDED_PART = 10

/** How many rows a step reads or writes at once, where PostgreSQL takes `most`. */
export function rowsAtOnce({ engine }: Pick<Database, 'engine'>, most: number): number {
  return engine === 'embedded' ? Math.ceil(most / EMBEDDED_PART) : most
}
