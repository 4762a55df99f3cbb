import type { Fault, Statement } from './code-faults.ts'

/** The index of each column in the values of a statement. */
function columnsOf({ text }: Statement): Map<string, number> {
  const insert = /insert into \S+ \(([^)]*)\) values \((.*?)\)/.exec(text)
  const pairs = insert
    ? zip(insert[1]!.split(', '), insert[2]!.split(', '))
    : [.../\bset (.*) where/.exec(text)![1]!.matchAll(/(\w+) = (\$\d+)/g)].map(
        ([, name = '', place = '']) => [name, place] as const,
      )
  return new Map(pairs.map(([name, place]) => [name.trim(), Number(place.slice(1)) - 1]))
}

function zip(names: string[], places: string[]): (readonly [string, string])[] {
  return names.map((name, at) => [name, places[at] ?? ''] as const)
}

/** A statement with other values in some of its columns. */
export function altered(
  statement: Statement,
  change: (row: Record<string, unknown>) => object,
): Statement {
  const columns = columnsOf(statement)
  const row = Object.fromEntries([...columns].map(([name, at]) => [name, statement.values[at]]))
  const values = [...statement.values]
  for (const [name, value] of Object.entries(change(row))) values[columns.get(name)!] = value
  return { ...statement, values }
}

/** Alters the statements that begin with a text. */
export function where(
  start: string,
  change: (row: Record<string, unknown>) => object,
): Pick<Fault, 'alterStatement'> {
  return {
    alterStatement: (statement) =>
      statement.text.startsWith(start) ? altered(statement, change) : undefined,
  }
}

/** Drops matching statements that begin with a text. */
export function drop(
  start: string,
  is: (row: Record<string, unknown>) => boolean = () => true,
): Pick<Fault, 'alterStatement'> {
  const rowOf = (statement: Statement) => {
    const row = [...columnsOf(statement)].map(([name, at]) => [name, statement.values[at]])
    return Object.fromEntries(row) as Record<string, unknown>
  }
  return {
    alterStatement: (statement) =>
      statement.text.startsWith(start) && is(rowOf(statement)) ? null : undefined,
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
