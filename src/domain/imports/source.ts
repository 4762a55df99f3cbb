import { gumroad } from './gumroad.ts'
import { keygen } from './keygen.ts'
import { lemonSqueezy } from './lemon-squeezy.ts'
import { paddle } from './paddle.ts'
import { polar } from './polar.ts'
import { purser } from './purser.ts'
import type { ImportField, ImportSource, SourceReader } from './record.ts'
import { stripe } from './stripe.ts'

/** How the files of each service are read. */
export const SOURCE_READERS: Record<ImportSource, SourceReader> = {
  lemon_squeezy: lemonSqueezy,
  gumroad,
  paddle,
  polar,
  stripe,
  keygen,
  purser,
}

/** Which column of a file is which field, by the position of the column. */
export type MatchedColumns = Partial<Record<ImportField, number>>

const nameOf = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '')

/** Recognizes the columns of a file by their names; case, spaces and punctuation do not matter. */
export function matchColumns(source: ImportSource, columns: readonly string[]): MatchedColumns {
  const named = columns.map(nameOf)
  const matched: MatchedColumns = {}
  for (const [field, names] of fieldsOf(source)) {
    const at = names.map((name) => named.indexOf(nameOf(name))).find((index) => index >= 0)
    if (at !== undefined) matched[field] = at
  }
  return matched
}

/** The fields that a source's files have, with the names under which they are found. */
export function fieldsOf(source: ImportSource): [ImportField, readonly string[]][] {
  return Object.entries(SOURCE_READERS[source].columns) as [ImportField, readonly string[]][]
}

/** The fields that a source requires and that no column is. */
export function missingFields(source: ImportSource, matched: MatchedColumns): ImportField[] {
  return SOURCE_READERS[source].required.filter((field) => matched[field] === undefined)
}

/** The columns that are no field: they are not imported. */
export function unusedColumns(columns: readonly string[], matched: MatchedColumns): string[] {
  const used = new Set(Object.values(matched))
  return columns.filter((_, index) => !used.has(index))
}
