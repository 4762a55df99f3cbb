import type { Db } from '#platform/db'
import type { QuoteId } from '#platform/ids'
import { fromJson, type JsonRow } from '#platform/json-row'
import type { Cents } from '#platform/money'
import { columnsOf, rowsOf, type Sql, sql } from '#platform/sql'
import type { Writes } from '#platform/write-together'
import type { Figures, TaxedSale } from './provider.ts'

/** A tax quote: the sale charges exactly this, or gets a new one. */
export interface Quote {
  id: QuoteId
  country: string
  state: string
  zip: string
  amount: Cents
  tax: Cents
  rule: string
  rate_ppm: number
  taxable_ppm: number
  created_at: Date
}

const COLUMNS = sql`id, country, state, zip, amount, tax, rule, rate_ppm, taxable_ppm, created_at`

/** The quote of a sale by a provider's figures, with the rule that made it. */
export function newQuote(now: Date, facts: TaxedSale & Figures & { id: QuoteId }): Quote {
  const { id, state, zip, amount, tax, rule, rate_ppm, taxable_ppm } = facts
  const rates = { rule, rate_ppm, taxable_ppm }
  return { id, country: 'US', state, zip, amount, tax, ...rates, created_at: now }
}

/** Stores a quote. */
export async function addQuote(db: Writes, quote: Quote): Promise<void> {
  await db.run(sql`insert into tax_quotes (${columnsOf(TYPES)})
    select * from ${rowsOf([quote], TYPES)}`)
}

const TYPES = {
  id: 'text',
  country: 'text',
  state: 'text',
  zip: 'text',
  amount: 'bigint',
  tax: 'bigint',
  rule: 'text',
  rate_ppm: 'int',
  taxable_ppm: 'int',
  created_at: 'timestamptz',
} as const

/** The quote with this ID, as JSON within another statement; `quoteOf` reads it. */
export const quoteAsJson = (id: Sql) => sql`(select to_jsonb(quote)
  from (select ${COLUMNS} from tax_quotes where id = ${id}) quote)`

/** The quote of `quoteAsJson`. */
export function quoteOf(json: JsonRow<Quote>): Quote {
  return fromJson<Quote>(json, { created_at: true })
}

/** A stored quote. */
export async function getQuote(db: Db, id: QuoteId): Promise<Quote> {
  return await db.one<Quote>(sql`select ${COLUMNS} from tax_quotes where id = ${id}`)
}
