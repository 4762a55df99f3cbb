import type { Processor } from '#domain/payments'
import type { Database, Db } from '#platform/db'
import { Sql } from '#platform/sql'
import { writeTogether } from '#platform/write-together'

/** A statement as a fault sees it: its text in one line, and its values. */
export interface Statement {
  text: string
  values: unknown[]
}

/** A planted bug, without touching the code: what the service sends or receives is altered. */
export interface Fault {
  name: string
  /** The altered statement; null drops it, as if it had worked. */
  alterStatement?(statement: Statement): Statement | null | undefined
  /** The altered rows of a result. */
  alterRows?(statement: Statement, rows: unknown[]): unknown[]
  /** The processor to use instead. */
  processor?(processor: Processor): Processor
}

/** A plausible bug, and the rules of which one finds it first. */
export interface PlantedFault extends Fault {
  caught_by: readonly string[]
  /** The seed that found it when it was planted, unless it was the first. */
  seed?: number
}

const PART = /part_\d+ as \((.*?) returning 1\)(?=, part_| select array)/g

/** The writes that `writeTogether` joined to this statement; undefined for any other statement. */
function partsOf({ text, values }: Statement): Statement[] | undefined {
  if (!text.startsWith('with part_0 as (')) return undefined
  let before = 0
  return [...text.matchAll(PART)].map(([, part = '']) => {
    const first = before
    const own = part.replace(/\$(\d+)/g, (_, place) => {
      before = Math.max(before, Number(place))
      return `$${Number(place) - first}`
    })
    return { text: own, values: values.slice(first, before) }
  })
}

/** A database whose statements a fault may alter. */
export function faultyDatabase(db: Database, fault: () => Fault | undefined): Database {
  return {
    ...db,
    ...faulty(db, fault),
    tx: (work) => db.tx((inner) => work(faulty(inner, fault))),
  }
}

function faulty(db: Db, current: () => Fault | undefined): Db {
  /** Writes the parts of one statement as the fault has them. */
  const write = async (parts: Statement[], { alterStatement }: Fault) =>
    await writeTogether(db, (writes) =>
      parts.map((part) => {
        const altered = alterStatement?.(part)
        if (altered === null) return Promise.resolve(1)
        const { text, values } = altered ?? part
        return writes.run(new Sql(text, values))
      }),
    )
  const ask = async (requests: Sql) => {
    const statement = { text: requests.text.replaceAll(/\s+/g, ' '), values: requests.values }
    const fault = current()!
    const parts = partsOf(statement)
    if (parts) return [{ counts: await write(parts, fault) }]
    const altered = fault.alterStatement?.(statement)
    if (altered === null) return []
    const rows = await db.rows(altered ? new Sql(altered.text, altered.values) : requests)
    return fault.alterRows?.(statement, rows) ?? rows
  }
  return {
    ...db,
    async rows(statement) {
      return (current() ? await ask(statement) : await db.rows(statement)) as never
    },
    async maybe(statement) {
      return (current() ? (await ask(statement))[0] : await db.maybe(statement)) as never
    },
    async one(statement) {
      return (current() ? (await ask(statement))[0] : await db.one(statement)) as never
    },
    async run(statement) {
      const altered = current()?.alterStatement?.({
        text: statement.text.replaceAll(/\s+/g, ' '),
        values: statement.values,
      })
      if (altered === null) return 1
      return await db.run(altered ? new Sql(altered.text, altered.values) : statement)
    },
  }
}

/** A processor whose calls a fault may alter. */
export function faultyProcessor(processor: Processor, current: () => Fault | undefined): Processor {
  return new Proxy(processor, {
    get(target, name) {
      const instead = current()?.processor?.(target) ?? target
      return instead[name as keyof Processor]
    },
  })
}
