import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** Statements that the compiler accepts and the database does not, to test the check. */
export const WRONG = {
  misspelled: (db: Db) => db.one<{ id: string; nmae: string }>(sql`select id, name from apps`),
  nullable: (db: Db) => db.one<{ canceled_at: Date }>(sql`select canceled_at from licenses`),
  bigint: (db: Db) => db.one<{ amount: string }>(sql`select amount from invoices`),
  numeric: (db: Db) =>
    db.one<{ total: number }>(sql`select coalesce(sum(amount), 0) as total
    from invoices`),
  outer: (db: Db) =>
    db.rows<{ email: string }>(sql`select u.email
    from licenses l left join users u on u.id = l.user_id`),
  union: (db: Db) =>
    db.rows<{ at: Date }>(sql`select created_at as at from licenses
    union all select canceled_at from licenses`),
  noRows: (db: Db) => db.one<{ last: Date }>(sql`select max(created_at) as last from apps`),
  absent: (db: Db) =>
    db.rows<{ name: string }>(sql`select a.id,
    (select p.name from products p where p.id = a.id) as name from apps a`),
  returned: (db: Db) =>
    db.rows<{ canceled_at: Date }>(sql`update licenses set canceled_at = null
    where canceled_at is not null returning canceled_at`),
  correlated: (db: Db) =>
    db.rows<{ at: Date }>(sql`select (select max(l.canceled_at) as last
    from licenses l where l.period_end = u.created_at group by l.id) as at from users u`),
  excluded: (db: Db) =>
    db.rows<{ period_end: Date }>(sql`select period_end from licenses
    where period_end <> all(${[]}::timestamptz[])`),
  given: (db: Db) => db.one<{ at: Date }>(sql`select ${null}::timestamptz as at`),
  closed: (db: Db) =>
    db.rows<{ status: 'open' | 'paid' }>(sql`select i.status
    from (select * from invoices) i`),
  json: (db: Db) =>
    db.rows<{ brand: string }>(sql`select card->>'brand' as brand from attempts
    where card is not null`),
  inferred: async (db: Db): Promise<{ slug: string; tagline: number }[]> =>
    await db.rows(sql`select slug, tagline from apps`),
  unchecked: (db: Db) =>
    db.rows<{ brand: 'visa' }>(sql`select brand
    from cards`),
  impossible: (db: Db) =>
    db.rows<{ cause: 'weekly' | 'request' | 'daily' }>(sql`select cause from payouts`),
  broken: (db: Db) => db.run(sql`update apps set nmae = ${'x'}`),
  branch: (db: Db, isShort: boolean) =>
    db.rows<{ id: string }>(
      sql`select id from apps ${isShort ? sql`limit 1` : sql`order by nmae`}`,
    ),
}

/** Statements that both accept. */
export const RIGHT = {
  known: (db: Db) =>
    db.rows<{ canceled_at: Date }>(sql`select canceled_at from licenses
    where status = 'canceled' and canceled_at is not null`),
  compared: (db: Db, now: Date) =>
    db.rows<{ period_end: Date }>(sql`select period_end
    from licenses where period_end <= ${now}`),
  counted: (db: Db) =>
    db.one<{ count: number; sum: number }>(sql`select count(*) as count,
    coalesce(sum(amount), 0)::bigint as sum from invoices`),
  grouped: (db: Db) =>
    db.rows<{ app_id: string; last: Date }>(sql`select app_id,
    max(created_at) as last from licenses group by app_id`),
  full: (db: Db) =>
    db.rows<{ id: string; name: string | null }>(sql`select id, a.name
    from apps a full join products p using (id)`),
  recursive: (db: Db) =>
    db.rows<{ n: number }>(sql`with recursive t (n) as (
    select 1 union all select n + 1 from t where n < 5) select n from t`),
  kept: (db: Db) =>
    db.maybe<{ canceled_at: Date }>(sql`update licenses set period_end = null
    where canceled_at is not null returning canceled_at`),
  coalesced: (db: Db, now: Date) =>
    db.maybe<{ canceled_at: Date }>(sql`update licenses
    set canceled_at = coalesce(canceled_at, created_at) where period_end < ${now}
    returning canceled_at`),
  written: (db: Db) =>
    db.maybe<{ name: string; tagline: string }>(sql`update apps
    set name = ${'x'} returning name, tagline`),
}
