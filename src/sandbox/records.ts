import type { ProcessorRecord, ProcessorRecords, RecordList } from '#domain/payments'
import { assertNoTransaction, type Db } from '#platform/db'
import { readInPages } from '#platform/read-in-pages'
import { type Sql, sql } from '#platform/sql'

interface RecordRow extends ProcessorRecord {
  id: string
}

/** The sandbox's records. A change appears once its event is acknowledged. */
export function openRecords(db: Db): ProcessorRecords {
  return {
    charges: inPages((query) =>
      db.rows<RecordRow>(sql`select id, key, created_at as at, amount, amount as moved,
          false as is_unconfirmed
        from sandbox.charges where status = 'succeeded' and amount > 0
          and ${WITHIN(sql`created_at`, query)}`),
    ),
    refunds: inPages((query) =>
      db.rows<RecordRow>(sql`select id, key, created_at as at, amount,
          case when ${REPORTED(sql`content ->> 'outcome' = 'failed'`)} then 0 else -amount end
           as moved,
          exists (select 1 from sandbox.events e where e.subject = s.id and not e.acknowledged
            and e.content ->> 'kind' = 'refund_made') as is_unconfirmed
        from sandbox.refunds s
        where status <> 'refused' and ${WITHIN(sql`created_at`, query)}`),
    ),
    payouts: inPages((query) =>
      db.rows<RecordRow>(sql`select id, key, created_at as at, amount,
          case when ${REPORTED(sql`content ->> 'outcome' = 'failed'`)} then 0 else -amount end
           as moved,
          false as is_unconfirmed
        from sandbox.payouts s
        where status = 'pending' and ${WITHIN(sql`created_at`, query)}`),
    ),
    disputes: inPages((query) =>
      db.rows<RecordRow>(sql`select id, null::text as key, opened_at as at, amount,
          case when ${LAST_REPORT} ->> 'is_inquiry' = 'false'
            or ${LAST_REPORT} ->> 'outcome' = 'lost' then -amount else 0 end as moved,
          false as is_unconfirmed
        from sandbox.disputes s where ${WITHIN(sql`opened_at`, query)}`),
    ),
  }
}

/** Whether an event about row `s` with this content was acknowledged. */
const REPORTED = (what: Sql) => sql`exists (select 1 from sandbox.events e
  where e.subject = s.id and e.acknowledged and ${what})`

/** The last acknowledged event about dispute `s`. */
const LAST_REPORT = sql`(select e.content from sandbox.events e
  where e.subject = s.id and e.acknowledged
    and e.content ->> 'kind' in ('dispute_opened', 'dispute_closed')
  order by e.position desc limit 1)`

interface PageQuery {
  from: Date
  before: Date
  /** The last ID of the previous page. */
  after: string
  limit: number
}

const WITHIN = (
  made_at: Sql,
  { from, before, after, limit }: PageQuery,
) => sql`${made_at} >= ${from}
  and ${made_at} < ${before} and id > ${after} order by id limit ${limit}`

function inPages(read: (query: PageQuery) => Promise<RecordRow[]>): RecordList {
  return async function* list(from, before) {
    const pages = readInPages<RecordRow, string>(
      async ({ after = '', limit }) => {
        assertNoTransaction('the sandbox was called')
        return await read({ from, before, after, limit })
      },
      ({ id }) => id,
    )
    for await (const rows of pages) yield* rows
  }
}
