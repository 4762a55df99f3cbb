import type { Column } from './database.ts'
import type { Kinds, Statement } from './source.ts'
import type { Alternative } from './texts.ts'

/** A difference between a declared row and the database. */
export interface Fault {
  place: string
  /** The field; if PostgreSQL rejects the statement, the rejected branch. */
  field: string
  text: string
  /** The declared type is narrower than the schema allows. */
  is_narrow: boolean
}

/** The type to which the driver converts a column; JSON may become anything. */
const KINDS: Record<string, string> = {
  bigint: 'number',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  'double precision': 'number',
  integer: 'number',
  'integer[]': 'number[]',
  numeric: 'string',
  smallint: 'number',
  text: 'string',
  'text[]': 'string[]',
  'timestamp with time zone': 'Date',
  uuid: 'string',
}

/** The faults of the statements, each described by `describe`. */
export async function checkStatements(
  statements: Statement[],
  describe: (statement: Alternative, withColumns: boolean) => Promise<Column[]>,
): Promise<Fault[]> {
  const faults = new Map<string, Fault>()
  for (const { place, texts, row } of statements) {
    const failed = new Map<string, string>()
    const worked = new Set<string>()
    for (const text of texts) {
      // One name for the statement itself, beside those of its branches.
      const parts = ['', ...text.branches]
      try {
        const columns = await describe(text, row !== undefined)
        for (const part of parts) worked.add(part)
        for (const [field, text, is_narrow = false] of row ? wrongFields(row, columns) : []) {
          faults.set(`${place} ${field} ${text}`, { place, field, text, is_narrow })
        }
      } catch (error) {
        for (const part of parts) failed.set(part, String(error))
      }
    }
    // Two conditions may exclude each other, but a branch that never works is a fault.
    const [broken] = [...failed].filter(([part]) => !worked.has(part))
    if (broken) {
      faults.set(place, { place, field: broken[0], text: broken[1], is_narrow: false })
    }
  }
  return [...faults.values()]
}

function* wrongFields(
  row: Map<string, Kinds>,
  columns: Column[],
): Generator<[field: string, text: string, isNarrow?: true]> {
  for (const [field, kinds] of row) {
    const column = columns.find(({ name }) => name === field)
    if (!column) {
      if (!kinds.has('undefined')) yield [field, 'is not a column of the result']
      continue
    }
    if (kinds.has('unknown')) continue
    const declared = [...kinds].join(' | ')
    const isJson = column.type === 'json' || column.type === 'jsonb'
    const isDated = kinds.has('Date') || kinds.has('Buffer') || kinds.has('bigint')
    const literals = [...kinds].filter((kind) => kind.startsWith("'"))
    const parsed = KINDS[column.type]!
    const isLiteral = parsed === 'string' && literals.length > 0
    const fits = isJson ? !isDated : kinds.has(parsed) || isLiteral
    if (!fits) yield [field, `is ${column.type}, and declared as ${declared}`]
    const never = literals.map(unquoted).filter((each) => !(column.values ?? [each]).includes(each))
    if (never.length > 0) yield [field, `is never ${never.join(' or ')}`]
    const isClosed = isLiteral && !kinds.has('string')
    if (isClosed && column.is_stored && !column.values) {
      yield [field, `has no check, and is declared as ${declared}`, true]
    }
    const more = column.values?.filter((value) => !literals.includes(`'${value}'`)) ?? []
    if (isLiteral && more.length > 0) {
      yield [field, `may be ${more.join(' or ')}, and declared as ${declared}`, true]
    }
    if (column.null && !kinds.has('null')) {
      yield [field, `may be null, and declared as ${declared}`, true]
    }
  }
}

function unquoted(literal: string): string {
  return literal.slice(1, -1)
}
