/** A document to be drawn: who says what to whom, its figures, and a table. */
export interface PdfContent {
  /** Whose paper it is, at the head of the first page. */
  issuer?: string
  /** What it is, "Payout statement 12". */
  title: string
  /** When it is made; the same facts at the same time are the same bytes. */
  now: Date
  /** Under the title: whose it is and what for, a line each. */
  lines: string[]
  /** Who deals with whom, beside each other. */
  parties?: { label: string; lines: string[] }[]
  /** Facts with their names. */
  facts: { term: string; detail: string }[]
  table?: PdfTable
  /** Figures under the table, one below the other. */
  totals?: { label: string; amount: string; strong?: boolean }[]
  /** Sentences below the table. */
  notes?: string[]
  /** At the foot of every page, beside its number. */
  foot: string
}

/** A table; its widths are shares of the page's. */
export interface PdfTable {
  columns: { label: string; width: number; numeric?: boolean }[]
  rows: string[][]
  /** The last row, set apart. */
  total?: string[]
}
