import type { Fault, Statement } from './code-faults.ts'

/** What a statement writes, by column. */
type Row = Readonly<Record<string, unknown>>

/** The rows of a statement, and the same statement with other rows. */
interface Written {
  rows: Row[]
  with(rows: readonly Row[]): Statement
}

/** The rows of `rowsOf`, which are arrays of the values of each column. */
const ARRAYS = /\bunnest\(([^()]*)\) as row \(([^)]*)\)/

function writtenBy(statement: Statement): Written {
  const arrays = ARRAYS.exec(statement.text)
  return arrays ? writtenInArrays(statement, arrays) : writtenAsValues(statement)
}

function writtenInArrays({ text, values }: Statement, [, places = '', names = '']: string[]) {
  const indexes = [...places.matchAll(/\$(\d+)::/g)].map(([, place]) => Number(place) - 1)
  const columns = names.split(', ').map((name, at) => [name, indexes[at]!] as const)
  const size = (values[indexes[0]!] as unknown[]).length
  return {
    rows: Array.from({ length: size }, (_, row) =>
      Object.fromEntries(columns.map(([name, at]) => [name, (values[at] as unknown[])[row]])),
    ),
    with(rows: readonly Row[]) {
      const altered = [...values]
      for (const [name, at] of columns) altered[at] = rows.map((row) => row[name])
      return { text, values: altered }
    },
  }
}

/** A statement whose values are those of one row. */
function writtenAsValues({ text, values }: Statement): Written {
  const columns = columnsOf(text)
  return {
    rows: [Object.fromEntries(columns.map(([name, at]) => [name, values[at]]))],
    with([row = {}]) {
      const altered = [...values]
      for (const [name, at] of columns) altered[at] = row[name]
      return { text, values: altered }
    },
  }
}

/** Each column, with the index of its value. */
function columnsOf(text: string): (readonly [string, number])[] {
  const insert = /insert into \S+ \(([^)]*)\) values \((.*?)\)/.exec(text)
  const pairs = insert
    ? zip(insert[1]!.split(', '), insert[2]!.split(', '))
    : [...(/\bset (.*) where/.exec(text)?.[1] ?? '').matchAll(/(\w+) = (\$\d+)/g)].map(
        ([, name = '', place = '']) => [name, place] as const,
      )
  return pairs.map(([name, place]) => [name.trim(), Number(place.slice(1)) - 1])
}

function zip(names: string[], places: string[]): (readonly [string, string])[] {
  return names.map((name, at) => [name, places[at] ?? ''] as const)
}

/** The rows that a statement writes. */
export function rowsIn(statement: Statement): Row[] {
  return writtenBy(statement).rows
}

/** A statement with other values in some columns of its rows. */
function altered(statement: Statement, change: (row: Row) => object): Statement {
  const written = writtenBy(statement)
  const rows = written.rows.map((row) => {
    const changes = change(row)
    const unknown = Object.keys(changes).find((name) => !(name in row))
    if (unknown !== undefined) throw new Error(`${unknown} is not written by: ${statement.text}`)
    return { ...row, ...changes }
  })
  return written.with(rows)
}

/** Alters the rows of statements that begin with a text. */
export function where(
  start: string,
  change: (row: Row) => object,
): Required<Pick<Fault, 'alterStatement'>> {
  return {
    alterStatement: (statement) =>
      statement.text.startsWith(start) ? altered(statement, change) : undefined,
  }
}

/** Drops matching rows of statements that begin with a text, and what has no other rows. */
export function drop(
  start: string,
  is: (row: Row) => boolean = () => true,
): Required<Pick<Fault, 'alterStatement'>> {
  return {
    alterStatement(statement) {
      if (!statement.text.startsWith(start)) return undefined
      const written = writtenBy(statement)
      const left = written.rows.filter((row) => !is(row))
      if (left.length === written.rows.length) return undefined
      return left.length === 0 ? null : written.with(left)
    },
  }
}

/** Combines faults, for a bug with several effects. */
export function all(...faults: Pick<Fault, 'alterStatement'>[]): Pick<Fault, 'alterStatement'> {
  return {
    alterStatement: (statement) => {
      for (const { alterStatement } of faults) {
        const instead = alterStatement!(statement)
        if (instead !== undefined) return instead
      }
      return undefined
    },
  }
}
