import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as others } from 'node:timers/promises'
import { type CsvError, parse } from 'csv-parse'

/** A row of a CSV file; the heading is line 1. */
export interface CsvRow {
  line: number
  cells: string[]
}

/** A part of a CSV file that is no row, with what is wrong with it. */
export interface CsvFault {
  line: number
  fault: string
}

const CHUNK = 64 * 1024
const MAX_ROW_LENGTH = 100_000
const DELIMITERS = [',', ';', '\t'] as const

/** Whether a file is text that `readCsv` can read: UTF-8, or UTF-16 with its byte order mark. */
export function isReadableCsv(content: Buffer): boolean {
  return hasUtf16Mark(content) || (isUtf8(content) && !content.includes(0))
}

/**
 * The rows of a CSV file (RFC 4180), one after the other: separated by commas, semicolons or tabs,
 * with or without a byte order mark. A row that cannot be read is a fault, and the next one is
 * read.
 */
export async function* readCsv(
  parts: Iterable<Buffer> | AsyncIterable<Buffer>,
): AsyncGenerator<CsvRow | CsvFault> {
  const faults: CsvFault[] = []
  const { first, chunks } = await opened(parts)
  const parser = parse({
    bom: true,
    ...(hasUtf16Mark(first) ? { encoding: 'utf16le' as const } : {}),
    delimiter: delimiterOf(first),
    info: true,
    max_record_size: MAX_ROW_LENGTH,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (error) => void faults.push(faultOf(error)),
  })
  const reading = pipeline(Readable.from(chunks), parser)
  // The parser fails with it, and so does the loop.
  reading.catch(() => {})
  for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
    // The parser is ahead of its rows: faults are yielded in the order of the lines.
    while (faults[0] && faults[0].line <= info.lines) yield faults.shift()!
    yield { line: info.lines, cells: record }
  }
  yield* faults
}

/** What the parser yields with its option `info`. */
interface ParsedRow {
  record: string[]
  info: { lines: number }
}

/** The first chunk of a file, which says how it is encoded, and all chunks. */
async function opened(parts: Iterable<Buffer> | AsyncIterable<Buffer>) {
  const all = chunksOf(parts)
  const { value: first = Buffer.alloc(0) } = await all.next()
  async function* chunks() {
    yield first
    // A stream takes chunk after chunk without a turn of the event loop in between.
    for await (const chunk of all) {
      await others()
      yield chunk
    }
  }
  return { first, chunks: chunks() }
}

async function* chunksOf(
  parts: Iterable<Buffer> | AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, undefined> {
  for await (const part of parts) {
    for (let at = 0; at < part.length; at += CHUNK) yield part.subarray(at, at + CHUNK)
  }
}

function hasUtf16Mark(content: Buffer): boolean {
  return content[0] === 0xff && content[1] === 0xfe
}

/** The delimiter that occurs most often in the heading, outside of quotes. */
function delimiterOf(content: Buffer): string {
  const start = content.subarray(0, CHUNK).toString(hasUtf16Mark(content) ? 'utf16le' : 'utf8')
  const heading = (/^(?:"(?:[^"]|"")*"|[^\r\n"])*/.exec(start)?.[0] ?? '').replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((delimiter) => heading.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!
}

function faultOf(error: CsvError | undefined): CsvFault {
  const line = Number(error?.lines ?? 0)
  if (error?.code === 'CSV_MAX_RECORD_SIZE') {
    return { line, fault: `A row has at most ${MAX_ROW_LENGTH} characters. Check its quotes.` }
  }
  return { line, fault: 'The row cannot be read. Check that its quotes are closed.' }
}
