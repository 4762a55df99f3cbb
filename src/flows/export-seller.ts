/**
 * Everything that a seller has, in one archive of open formats (decision 143).
 */
export { archiveOf, EXPORT_FORMAT } from './export-seller/archive.ts'
export { EXPORT_TABLES } from './export-seller/tables.ts'
