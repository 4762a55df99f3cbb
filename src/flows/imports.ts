/**
 * Imports: a file of another service is read, checked, and turned into licenses (decision 143).
 */
export { checkImport } from './imports/check.ts'
export { deleteImport } from './imports/delete.ts'
export { readImport } from './imports/read.ts'
export { runImport, startImport } from './imports/run.ts'
export { choosePlans, LARGEST_IMPORT, matchImport, uploadImport } from './imports/upload.ts'
