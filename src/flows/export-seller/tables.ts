import { APP_TABLES } from './app-tables.ts'
import { MONEY_TABLES } from './money-tables.ts'
import { SALE_TABLES } from './sale-tables.ts'
import type { ExportTable } from './table.ts'

/** Every table of an export. */
export const EXPORT_TABLES: readonly ExportTable[] = [
  ...APP_TABLES,
  ...SALE_TABLES,
  ...MONEY_TABLES,
]
