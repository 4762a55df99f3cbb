/**
 * Imports: what sellers bring from other services.
 *
 * Knows the files' formats, their rows, what is wrong with them, what is done with each row, and
 * which license it became. Owns `imports`, `import_rows`, `import_faults` and `imported_records`.
 * Guarantees: no text makes a reader throw; the same row is always the same license; nothing that
 * is already up to date changes.
 */
export { cleanCell, shortened } from './cell.ts'
export {
  CREATING,
  decideRow,
  endsOrder,
  type ImportRowFacts,
  isDecisive,
  type KnownLicense,
  ROW_OUTCOMES,
  type RowOutcome,
  revokesKey,
  UPDATING,
} from './decide.ts'
export * from './faults.ts'
export * from './imports.ts'
export { orderRows } from './order.ts'
export {
  type Cells,
  IMPORT_SOURCES,
  type ImportField,
  type ImportRecord,
  type ImportSource,
  type OverReason,
  type RowFault,
  type RowReading,
  readSource,
} from './record.ts'
export * from './records.ts'
export { IMPORT_SWEEPS, isExpired } from './retention.ts'
export * from './rows.ts'
export {
  fieldsOf,
  type MatchedColumns,
  matchColumns,
  missingFields,
  SOURCE_READERS,
  unusedColumns,
} from './source.ts'
export * from './stored.ts'
