import * as tax from '#domain/tax'
import type { World } from '#flows/world'

/**
 * Records sales that the tax service quoted, their refunds, and what an appeal reversed, at the tax
 * service, which makes its reports from them. What cannot be sent is left to the next run. What
 * happened before `since` is left out. Returns the number of records.
 */
export async function recordTaxes(
  { db, clock, taxes, log }: World,
  since = new Date(0),
): Promise<number> {
  const { records, name } = taxes
  if (!records) return 0
  let count = 0
  try {
    for (const { invoice_id, rule } of await tax.unrecordedSales(db, since, `${name}:`)) {
      const transaction_id = await records.sale({ rule, reference: invoice_id })
      await tax.addRecord(db, clock.now(), { subject: invoice_id, invoice_id, transaction_id })
      count++
    }
    for (const { subject, invoice_id, ...back } of await tax.unrecordedReversals(db, since)) {
      const transaction_id = await records.reversal({ ...back, reference: subject })
      await tax.addRecord(db, clock.now(), { subject, invoice_id, transaction_id })
      count++
    }
    for (const { subject, invoice_id, ...back } of await tax.unrecordedAppeals(db)) {
      const transaction_id = await records.undoing({ ...back, reference: subject })
      await tax.addRecord(db, clock.now(), { subject, invoice_id, transaction_id })
      count++
    }
  } catch (error) {
    if (!(error instanceof tax.TaxUnreachable)) throw error
    log.warn({ error }, 'taxes not recorded; will retry')
  }
  return count
}
