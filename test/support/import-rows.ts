import {
  cleanCell,
  type ImportSource,
  matchColumns,
  type RowReading,
  SOURCE_READERS,
} from '#domain/imports'
import { readCsv } from '#platform/csv-read'

const NOW = new Date('2026-11-23T12:00:00Z')

/** Reads a file as an import does, on November 23, 2026. */
export async function readImport(
  source: ImportSource,
  text: string | Buffer,
): Promise<RowReading[]> {
  const readings: RowReading[] = []
  let matched: ReturnType<typeof matchColumns> | undefined
  for await (const row of readCsv([Buffer.from(text)])) {
    if ('fault' in row) continue
    if (!matched) {
      matched = matchColumns(source, row.cells)
      continue
    }
    const at = matched
    readings.push(
      SOURCE_READERS[source].read((field) => cleanCell(row.cells[at[field] ?? -1] ?? ''), NOW),
    )
  }
  return readings
}

/** The columns of records that tests compare, one line each. */
export function recordLines(readings: RowReading[]): string[] {
  return readings.map((reading) => {
    if (reading === 'ignored') return reading
    if ('fault' in reading) return `${reading.fault.column}: ${reading.fault.message}`
    const { external_id, email, plan, former_key, ends_at, over, amount, frequency } =
      reading.record
    const end = ends_at?.toISOString().slice(0, 10) ?? 'for good'
    return [external_id, email, plan, former_key, end, over, amount, frequency].join('|')
  })
}
