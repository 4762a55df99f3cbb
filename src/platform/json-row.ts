/** A row as JSON has it: its dates are texts. */
export type JsonRow<Row> = {
  [Field in keyof Row]: Date extends Row[Field] ? string | Exclude<Row[Field], Date> : Row[Field]
}

type DateField<Row> = {
  [Field in keyof Row]: Date extends Row[Field] ? Field : never
}[keyof Row]

/** The row that a statement returned as JSON; `dates` names all its fields that are dates. */
export function fromJson<Row extends object>(
  json: JsonRow<Row>,
  dates: Record<DateField<Row>, true>,
): Row {
  const row: Record<string, unknown> = { ...json }
  for (const field of Object.keys(dates)) {
    if (row[field] !== null) row[field] = new Date(String(row[field]))
  }
  return row as Row
}
