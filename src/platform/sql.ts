import { createHash } from 'node:crypto'

/** A statement with its values apart from its text, to be sent as a prepared statement. */
export class Sql {
  readonly text: string
  readonly values: unknown[]

  constructor(text: string, values: unknown[]) {
    this.text = text
    this.values = values
  }

  /** The prepared statement's name: the same text has the same name. */
  get name(): string {
    return nameOf(this.text)
  }
}

/**
 * A statement that writes rows: by default each of its values is an array with an element for each
 * row. One such statement can also write the rows of others with the same text.
 */
export class RowsSql extends Sql {
  readonly rows: number
  readonly #join: (values: unknown[][]) => unknown[]

  /** `join` makes the values of one statement from those of several. */
  constructor(text: string, values: unknown[], rows: number, join = joinArrays) {
    super(text, values)
    this.rows = rows
    this.#join = join
  }

  /** The statement that also writes the rows of others, which have the same text. */
  and(others: readonly Sql[]): RowsSql {
    if (others.length === 0) return this
    const all = [this, ...(others as RowsSql[])]
    const rows = all.reduce((sum, each) => sum + each.rows, 0)
    return new RowsSql(this.text, this.#join(all.map(({ values }) => values)), rows, this.#join)
  }
}

function joinArrays(values: unknown[][]): unknown[] {
  return values[0]!.map((_, column) => values.flatMap((each) => each[column] as unknown[]))
}

/** The columns of rows, each with its type in the database. */
export type ColumnTypes = Readonly<Record<string, string>>

/** Rows as part of a statement that writes them, named `row`. An absent field is null. */
export function rowsOf<const Types extends ColumnTypes>(
  rows: readonly { readonly [Column in keyof NoInfer<Types>]?: unknown }[],
  types: Types,
): RowsSql {
  const columns = Object.keys(types) as (keyof Types & string)[]
  const arrays = columns.map((column, index) => `$${index + 1}::${types[column]}[]`)
  const values = columns.map((column) => rows.map((row) => row[column] ?? null))
  const text = `unnest(${arrays.join(', ')}) as row (${columns.join(', ')})`
  return new RowsSql(text, values, rows.length)
}

/** The names of columns, as part of an insert of `rowsOf`. */
export function columnsOf<const Types extends ColumnTypes>(types: Types): Sql {
  return new Sql(Object.keys(types).join(', '), [])
}

/** Those columns of the rows, as part of an insert that joins `rowsOf` with other tables. */
export function rowColumnsOf<const Types extends ColumnTypes>(types: Types): Sql {
  const columns = Object.keys(types).map((column) => `row.${column}`)
  return new Sql(columns.join(', '), [])
}

/** What an update sets to the fields of `rowsOf`, as part of the statement. */
export function fieldsOf<const Types extends ColumnTypes>(types: Types): Sql {
  const fields = Object.keys(types).map((column) => `${column} = row.${column}`)
  return new Sql(fields.join(', '), [])
}

const names = new Map<string, string>()
const plainTexts = new WeakMap<TemplateStringsArray, string>()

function nameOf(text: string): string {
  let name = names.get(text)
  if (!name) {
    name = `q_${createHash('sha256').update(text).digest('base64url')}`
    names.set(text, name)
  }
  return name
}

/** Builds a statement: values become parameters, and other statements are inserted verbatim. */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  if (!values.some((value) => value instanceof Sql)) {
    let text = plainTexts.get(strings)
    if (text === undefined) {
      text = strings.reduce((left, right, index) => `${left}$${index}${right}`)
      plainTexts.set(strings, text)
    }
    return new Sql(text, values)
  }
  let text = strings[0]!
  let rows: number | undefined
  let isOnlyRows = true
  const flat: unknown[] = []
  values.forEach((value, index) => {
    if (value instanceof Sql) {
      const offset = flat.length
      text += offset === 0 ? value.text : movedBy(offset, value.text)
      flat.push(...value.values)
      if (value instanceof RowsSql) rows = value.rows
      else isOnlyRows &&= value.values.length === 0
    } else {
      isOnlyRows = false
      flat.push(value)
      text += `$${flat.length}`
    }
    text += strings[index + 1]!
  })
  return rows !== undefined && isOnlyRows ? new RowsSql(text, flat, rows) : new Sql(text, flat)
}

/** The text with its parameters after as many others. */
export function movedBy(offset: number, text: string): string {
  return text.replace(/\$(\d+)/g, (_, place) => `$${Number(place) + offset}`)
}
