import type { Db } from '#platform/db'
import { movedBy, RowsSql, Sql } from '#platform/sql'

/** Where statements that only write are sent: to a database, or to what `writeTogether` gathers. */
export type Writes = Db | GatheredWrites

/**
 * Sends all that `work` writes as one statement, so that all of it happens or nothing, and returns
 * the results of `work`. None of the writes may read what another one writes, or change the same
 * row. Where a part of `work` is rejected before its write, nothing is sent. Rows for the same
 * statement (`rowsOf`) are written by one part; it fails if that part skips any of them.
 */
export async function writeTogether<const Parts extends readonly Promise<unknown>[]>(
  db: Writes,
  work: (writes: Writes) => Parts,
): Promise<{ -readonly [Part in keyof Parts]: Awaited<Parts[Part]> }> {
  if (db instanceof GatheredWrites) return await Promise.all(work(db))
  const gathered = new GatheredWrites()
  let isRefused = false
  const written = Promise.all(work(gathered)).catch((error: unknown) => {
    isRefused = true
    throw error
  })
  // By then every promise has reached its write, or was rejected.
  await Promise.race([written, new Promise<void>((resolve) => process.nextTick(resolve))])
  if (!isRefused) await gathered.send(db)
  return await written
}

/** A change with its writes, which are sent with those of others, and what follows them. */
export interface PreparedChange<Result> {
  write(writes: Writes): Promise<unknown>
  /** What must see the writes, in the same transaction. */
  finish(): Promise<Result>
}

/** Sends the writes of all changes as one statement, then finishes one after another. */
export async function writeAll<Result>(
  tx: Db,
  changes: readonly PreparedChange<Result>[],
): Promise<Result[]> {
  await writeTogether(tx, (writes) => changes.map((change) => change.write(writes)))
  const results: Result[] = []
  for (const change of changes) results.push(await change.finish())
  return results
}

interface GatheredWrite {
  statement: Sql
  settle(count: number): void
  fail(error: unknown): void
}

/** Writes that wait to be sent as one statement. */
class GatheredWrites {
  #writes: GatheredWrite[] = []
  #isSent = false

  /** Gathers a statement; resolves with the number of rows that it changed. */
  run(statement: Sql): Promise<number> {
    if (this.#isSent) throw new Error('a write came after the statement of which it is a part')
    return new Promise((settle, fail) => this.#writes.push({ statement, settle, fail }))
  }

  /** Sends what was gathered. */
  async send(db: Db): Promise<void> {
    this.#isSent = true
    const shared = shareRows(this.#writes)
    if (shared.length === 0) return
    try {
      const counts = await countsOf(
        db,
        shared.map(({ statement }) => statement),
      )
      shared.forEach(({ writes }, index) => {
        settleWrites(writes, counts[index]!)
      })
    } catch (error) {
      for (const { fail } of this.#writes) fail(error)
    }
  }
}

/** A statement, and the writes whose rows it writes. */
interface SharedWrite {
  statement: Sql
  writes: GatheredWrite[]
}

/** Joins the rows of writes with the same text in one statement. */
function shareRows(gathered: readonly GatheredWrite[]): SharedWrite[] {
  const byText = Map.groupBy(gathered, ({ statement }) =>
    statement instanceof RowsSql ? statement.text : statement,
  )
  return [...byText.values()].map((writes) => {
    const [first, ...others] = writes.map(({ statement }) => statement)
    return { writes, statement: first instanceof RowsSql ? first.and(others) : first! }
  })
}

/** Settles the writes of a statement, which changed `count` rows: each with its own number. */
function settleWrites(writes: readonly GatheredWrite[], count: number): void {
  const rows = writes.map(({ statement }) => (statement instanceof RowsSql ? statement.rows : 1))
  const isWhole = count === rows.reduce((sum, each) => sum + each, 0)
  if (writes.length > 1 && !isWhole) {
    throw new Error('a statement skipped rows of several writes, so the number of each is unknown')
  }
  writes.forEach(({ settle }, index) => {
    settle(writes.length === 1 ? count : rows[index]!)
  })
}

async function countsOf(db: Db, statements: Sql[]): Promise<number[]> {
  const [first] = statements
  if (statements.length === 1) return [await db.run(first!)]
  const { counts } = await db.one<{ counts: number[] }>(joined(statements))
  return counts
}

const texts = new Map<string, string>()

/** One statement of which each of these is a part, in their order. */
function joined(statements: Sql[]): Sql {
  const names = statements.map(({ name }) => name).join()
  const text = texts.get(names) ?? joinedText(statements)
  texts.set(names, text)
  return new Sql(
    text,
    statements.flatMap(({ values }) => values),
  )
}

function joinedText(statements: Sql[]): string {
  let before = 0
  const parts = statements.map(({ text, values }, index) => {
    const moved = movedBy(before, text)
    before += values.length
    return `part_${index} as (${moved} returning 1)`
  })
  const counts = statements.map((_, index) => `(select count(*)::int from part_${index})`)
  return `with ${parts.join(', ')} select array[${counts.join(', ')}] as counts`
}
