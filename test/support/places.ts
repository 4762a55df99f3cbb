import { Sql, sql } from '#platform/sql'
import type { TestService } from './service.ts'

/** The columns of every table in which a text occurs, as `table.column`. */
export async function placesOf({ world }: TestService, text: string): Promise<string[]> {
  const { db } = world
  const columns = await db.rows<{ place: string; name: string; of: string }>(sql`
    select table_schema || '.' || table_name || '.' || column_name as place,
      quote_ident(column_name) as name,
      quote_ident(table_schema) || '.' || quote_ident(table_name) as of
    from information_schema.columns c join information_schema.tables t
      using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
      and data_type in ('text', 'character varying', 'jsonb', 'json', 'ARRAY')`)
  const found: string[] = []
  for (const { place, name, of } of columns) {
    const row = await db.maybe(sql`select 1 from ${new Sql(of, [])}
      where position(${text}::text in lower(${new Sql(name, [])}::text)) > 0 limit 1`)
    if (row) found.push(place)
  }
  return found
}
