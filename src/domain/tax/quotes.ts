import { isoDate } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
import { taxOn } from './quote.ts'
import { ruleFor } from './rates.ts'

/** A promise of tax: the sale charges exactly this, or asks again. */
export interface Quote {
  id: string
  country: string
  state: string
  zip: string
  amount: Cents
  tax: Cents
  rule: string
  rate_ppm: number
  taxable_ppm: number
}

/** Works out the tax for a US address and keeps it with the rule that made it. */
export async function quote(
  db: Db,
  now: Date,
  facts: { id: string; state: string; zip: string; amount: Cents },
): Promise<Quote> {
  const rule = ruleFor(facts.state, isoDate(now))
  const tax = taxOn(facts.amount, rule)
  return await db.one<Quote>(sql`insert into tax_quotes
    (id, country, state, zip, amount, tax, rule, rate_ppm, taxable_ppm, created_at)
    values (${facts.id}, 'US', ${facts.state}, ${facts.zip}, ${facts.amount}, ${tax},
      ${rule.rule}, ${rule.rate_ppm}, ${rule.taxable_ppm}, ${now})
    returning id, country, state, zip, amount, tax, rule, rate_ppm, taxable_ppm`)
}

/** A quote that was given before. */
export async function findQuote(db: Db, id: string): Promise<Quote> {
  return await db.one<Quote>(sql`
    select id, country, state, zip, amount, tax, rule, rate_ppm, taxable_ppm
    from tax_quotes where id = ${id}`)
}
