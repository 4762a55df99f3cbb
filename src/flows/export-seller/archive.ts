import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import * as apps from '#domain/apps'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { isoSeconds } from '#platform/calendar'
import { csvHeading, csvRows } from '#platform/csv'
import { readId, type SellerId } from '#platform/ids'
import { readInPages } from '#platform/read-in-pages'
import { imagesOf, listingsOf } from './listings.ts'
import { csvColumnsOf, type ExportedRow, type ExportTable, meaningOf } from './table.ts'
import { EXPORT_TABLES } from './tables.ts'

/** The version of the archive's format: it changes when a file or a column does. */
export const EXPORT_FORMAT = 1

/** What is exported, and for whom. */
export interface ExportScope {
  seller_id: SellerId
  /** Whether the license keys are included. */
  with_keys: boolean
}

/** A file of the archive, as its manifest describes it. */
interface ManifestFile {
  name: string
  about: string
  rows: number
  sha256: string
  columns?: Record<string, string>
}

/** Reports how many files of the archive are complete; throws if the work should stop. */
type ReportFiles = (done: number, total: number, rows: number) => Promise<void>

/**
 * Everything that a seller has as a ZIP archive: CSV and JSON files, the pictures, and a manifest
 * at the end. It is read from the database page by page while it is written, so no file is in
 * memory.
 */
export async function* archiveOf(
  world: World,
  scope: ExportScope,
  report: ReportFiles,
): AsyncGenerator<Buffer> {
  const { db, clock, storage } = world
  const now = clock.now()
  const files: ManifestFile[] = []
  const zip = new ZipFile()
  const images = await imagesOf(db, scope.seller_id)
  const total = EXPORT_TABLES.length + images.length + 2
  let rows = 0
  const add = (name: string, about: Omit<ManifestFile, 'name' | 'rows' | 'sha256'>, read: Source) =>
    zip.addReadStreamLazy(name, { mtime: now }, (give) => {
      const content = digested(read, async ({ sha256, count }) => {
        files.push({ name, ...about, rows: count, sha256 })
        rows += count
        await report(files.length, total, rows)
      })
      give(null, Readable.from(content, { objectMode: false }))
    })
  for (const table of EXPORT_TABLES) {
    const columns = Object.entries(table.columns).map(([name, each]) => [name, meaningOf(each)])
    const about = { about: table.about, columns: Object.fromEntries(columns) }
    add(`${table.name}.csv`, about, () => csvParts(world, table, scope))
  }
  add('listings.json', { about: 'The listing texts of the apps.' }, async function* () {
    const listings = await listingsOf(db, scope.seller_id)
    const texts = listings.map(({ listing }) => listing)
    yield { content: `${JSON.stringify(texts, null, 2)}\n`, rows: listings.length }
  })
  for (const { id, slug, kind, width, alt } of images) {
    const widest = Math.max(...apps.widthsOf({ kind, width }))
    add(
      `images/${slug}/${kind}-${id}.webp`,
      { about: alt || `The ${kind} of ${slug}.` },
      async function* () {
        yield { content: (await storage.get(apps.fileOf(id, widest))) ?? '', rows: 1 }
      },
    )
  }
  zip.addReadStreamLazy('manifest.json', { mtime: now }, (give) => {
    const mode = world.processor.is_test_mode ? 'test' : 'live'
    const created_at = isoSeconds(now)
    const manifest = { format: EXPORT_FORMAT, mode, created_at, ...scope, files }
    give(null, Readable.from([`${JSON.stringify(manifest, null, 2)}\n`], { objectMode: false }))
  })
  zip.end()
  const output = zip.outputStream as Readable
  // The library emits what goes wrong, and its output would never end.
  zip.on('error', (error: Error) => output.destroy(error))
  yield* output as AsyncIterable<Buffer>
}

interface ArchivePart {
  content: string | Buffer
  rows: number
}
type Source = () => AsyncGenerator<ArchivePart>

/** The content of a file, and at its end its digest and its number of rows. */
async function* digested(
  read: Source,
  end: (result: { sha256: string; count: number }) => Promise<void>,
): AsyncGenerator<string | Buffer> {
  const hash = createHash('sha256')
  let count = 0
  for await (const { content, rows } of read()) {
    hash.update(content)
    count += rows
    if (content.length > 0) yield content
  }
  await end({ sha256: hash.digest('hex'), count })
}

/** A table as CSV (RFC 4180), a thousand rows at a time. */
async function* csvParts(
  world: World,
  table: ExportTable,
  scope: ExportScope,
): AsyncGenerator<ArchivePart> {
  const columns = csvColumnsOf(table)
  yield { content: csvHeading(columns), rows: 0 }
  const { seller_id } = scope
  const pages = readInPages<ExportedRow, string>(
    ({ after = '', limit }) => table.page(world.db, { seller_id, after, limit }),
    ({ cursor }) => cursor,
  )
  for await (const page of pages) {
    const rows = page.map(({ row }) => shown(world, table, scope, row))
    yield { content: csvRows(columns, rows), rows: rows.length }
  }
}

/** A row with its license key opened, or without it. */
function shown(
  { keys }: World,
  { name }: ExportTable,
  { with_keys }: ExportScope,
  row: ExportedRow['row'],
): ExportedRow['row'] {
  if (name !== 'licenses') return row
  const license_id = readId('lic', String(row.license_id))
  if (!with_keys || !license_id) return { ...row, license_key: null }
  const key_sealed = Buffer.from(String(row.license_key), 'base64')
  return { ...row, license_key: licensing.showKey(keys, { license_id, key_sealed }) }
}
