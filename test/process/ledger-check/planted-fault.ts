import type { ProcessorRecord, ProcessorRecords } from '#domain/payments'
import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** What the check reads, besides the transaction in which a fault is planted. */
export interface Readings {
  now: Date
  /** The processor's records. */
  outside: Outside
}

/** The processor's records, by kind. */
export type Outside = Record<keyof ProcessorRecords, ProcessorRecord[]>

/** A fault: the rule that it breaks, and how it is planted. */
export interface PlantedFault {
  rule: string
  /** Plants the fault. Returns the id that the check must name. */
  plant(tx: Db, readings: Readings): Promise<string>
}

/** The id that a statement returns. */
export const idOf = async (tx: Db, statement: ReturnType<typeof sql>) =>
  (await tx.one<{ id: string }>(statement)).id

/** Selects the id of an invoice of the first sale. */
export const aSale = sql`select subject as id from ledger_transactions where event = 'sale'
  order by at, id limit 1`
