/** What `page_number` has in place of the number of a page, and of how many there are. */
export const PAGE = '{page}'
export const PAGE_COUNT = '{count}'

/** The content of a PDF: the parties, its facts, and a table. */
export interface PdfContent {
  /** A mark on every page, such as for test mode. */
  mark?: string
  /** How test mode marks it; `TEST MODE` by default. */
  test_mark?: string
  /** The language of its texts, as a tag; American English by default. */
  language?: string
  /** The number of a page in words, with `PAGE` and `PAGE_COUNT`; in English by default. */
  page_number?: string
  /** The issuer, at the top of the first page. */
  issuer?: string
  /** The title, "Payout statement 12". */
  title: string
  /** When it is created; the same content at the same time gives the same bytes. */
  now: Date
  /** Lines under the title, such as the payee and the period. */
  lines: string[]
  /** The parties, side by side. */
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
