import type { Database, Db } from '#platform/db'
import type { Sql } from '#platform/sql'
import type { Observer } from '#platform/telemetry/observer'

/** The same database, each of whose statements is observed; itself without an observer. */
export function observedDatabase(db: Database, observer: Observer | undefined): Database {
  if (!observer) return db
  const tx =
    (of: Pick<Database, 'tx'>): Database['tx'] =>
    (work, options) =>
      of.tx((inner) => work(observedStatements(inner, observer)), options)
  return {
    ...db,
    ...observedStatements(db, observer),
    tx: tx(db),
    reports: { ...observedStatements(db.reports, observer), tx: tx(db.reports) },
    patient: observedStatements(db.patient, observer),
    alone: (work) => db.alone((inner) => work(observedStatements(inner, observer))),
    hot: (statement) => observe(observer, statement.text, () => db.hot(statement)),
  }
}

function observedStatements(db: Db, observer: Observer): Db {
  const through =
    <Result>(send: (statement: Sql) => Promise<Result>) =>
    (statement: Sql) =>
      observe(observer, statement.text, () => send(statement))
  return {
    rows: through(db.rows) as Db['rows'],
    one: through(db.one) as Db['one'],
    maybe: through(db.maybe) as Db['maybe'],
    run: through(db.run),
    raw: (text, values) => observe(observer, text, () => db.raw(text, values)),
  }
}

function observe<Result>(
  observer: Observer,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return observer.observe('statement', () => operationOf(text), work)
}

const OPERATION = /\b(select|insert into|update|delete from)\b/i
const TABLE = /\b(?:from|into|update|join)\s+(?:only\s+)?([a-z_]+(?:\.[a-z_]+)?)\b/i

/** What begins each write of a statement that `writeTogether` joined. */
const PART = /\bpart_\d+ as \(/

/**
 * What a statement does: its first verb and table, `select licenses`, or those of each write where
 * it joins several. A text of any other shape is `other`; values are in neither.
 */
export function operationOf(text: string): string {
  const [, ...parts] = text.split(PART)
  return parts.length > 0 ? parts.map(operationOfOne).join(', ') : operationOfOne(text)
}

function operationOfOne(text: string): string {
  const [, verb] = OPERATION.exec(text) ?? []
  const [, table] = TABLE.exec(text) ?? []
  if (!verb) return 'other'
  const [action] = verb.toLowerCase().split(' ')
  return table ? `${action} ${table.toLowerCase()}` : `${action}`
}
