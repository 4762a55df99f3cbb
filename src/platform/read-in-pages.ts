/** Rows per query: few enough not to block other requests. */
export const ROWS_AT_ONCE = 1000

/**
 * The rows of a long list in pages, none of them empty. `read` returns the rows after the last one
 * of the page before, which `cursorOf` names; without a cursor, the first ones.
 */
export async function* readInPages<Row, Cursor>(
  read: (page: { after: Cursor | undefined; limit: number }) => Promise<Row[]>,
  cursorOf: (last: Row) => Cursor,
): AsyncGenerator<Row[], void> {
  let after: Cursor | undefined
  let rows: Row[]
  do {
    rows = await read({ after, limit: ROWS_AT_ONCE })
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = cursorOf(last)
  } while (rows.length === ROWS_AT_ONCE)
}

/** The rows of a long list one by one, read as `readInPages` does. */
export async function* eachInPages<Row, Cursor>(
  ...reading: Parameters<typeof readInPages<Row, Cursor>>
): AsyncGenerator<Row, void> {
  for await (const page of readInPages(...reading)) yield* page
}
