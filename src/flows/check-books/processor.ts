import type { Processor, ProcessorRecord } from '#domain/payments'
import { addDays } from '#platform/calendar'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { type Expected, KINDS, type Kind } from './processor-kinds.ts'
import { amountOrNothing, inPages, type Report } from './report.ts'
import { SeenIds } from './seen-ids.ts'

/** The books, and the processor with which they are compared. */
export interface BooksAndProcessor {
  db: Db
  processor: Processor
  clock: Clock
}

// The clocks of apps may be years ahead.
const ALL_TIME = [new Date(0), new Date('9999-01-01T00:00:00Z')] as const
// What the processor dates a little before us.
const MARGIN_DAYS = 2
const PAGE = 1000
// With more differences than this, a second reading would not explain them.
const MAX_REREAD = 50
const MAX_MISSING = 10_000
const RECENT_MS = 60 * 60 * 1000

/**
 * Compares the processor's charges, refunds, payouts and disputes with our rows and with what the
 * ledger moved. What is pending (an open attempt, an event that was not received yet) is on neither
 * side. Both sides keep changing while they are read, so a difference is reported only if a second
 * reading finds it again. With a time, records that were made since then are compared.
 */
export async function checkProcessor(
  sides: BooksAndProcessor,
  report: Report,
  since?: Date,
): Promise<void> {
  const from = since ? addDays(since, -MARGIN_DAYS) : ALL_TIME[0]
  for (const kind of KINDS) {
    const seen = new SeenIds()
    let page: ProcessorRecord[] = []
    const compare = async () => {
      await comparePage(sides, report, kind, page)
      page = []
    }
    for await (const each of sides.processor[kind.name](from, ALL_TIME[1])) {
      report.count(`${kind.name} at the processor`)
      if (each.id !== null) seen.add(each.id)
      page.push(each)
      if (page.length === PAGE) await compare()
    }
    if (page.length > 0) await compare()
    await findMissing(sides, report, kind, { seen, since })
  }
}

/** Compares a page of the processor's records with our books. */
async function comparePage(
  sides: BooksAndProcessor,
  report: Report,
  kind: Kind,
  page: ProcessorRecord[],
): Promise<void> {
  const first = await differencesOf(sides, kind, page)
  if (first.length === 0) return
  const hasMany = first.length > MAX_REREAD
  const confirmed = hasMany
    ? first
    : await differencesOf(sides, kind, await reread(sides, kind, first))
  for (const found of confirmed) {
    differ(report, found.rule, found.subject, found.ours, found.theirs)
  }
}

interface ProcessorDifference {
  of: ProcessorRecord
  rule: string
  subject: string
  ours: Cents | null
  theirs: Cents
}

async function differencesOf(
  { db, processor }: BooksAndProcessor,
  { differing, rules }: Kind,
  page: ProcessorRecord[],
): Promise<ProcessorDifference[]> {
  const rows = await differing(db, processor.name, page)
  return rows.flatMap(({ position, our_id, ours, booked, is_open }): ProcessorDifference[] => {
    const of = page[position]!
    if (our_id === null) {
      if (is_open || of.is_unconfirmed || of.moved === 0) return []
      const subject = of.id ?? of.key ?? ''
      return [{ of, rule: rules.known, subject, ours: null, theirs: of.amount }]
    }
    const subject = our_id
    if (ours !== of.amount) return [{ of, rule: rules.made, subject, ours, theirs: of.amount }]
    if (of.is_unconfirmed) return []
    return [{ of, rule: MOVED_AS_BOOKED, subject, ours: booked, theirs: of.moved }]
  })
}

const MOVED_AS_BOOKED = 'the processor moved what the books say'

/** The same records, as the processor has them now. */
async function reread(
  { processor }: BooksAndProcessor,
  { name }: Kind,
  some: ProcessorDifference[],
) {
  const again: ProcessorRecord[] = []
  for (const { id, key, at } of some.map(({ of }) => of)) {
    const before = new Date(at.getTime() + 1000)
    for await (const each of processor[name](at, before)) {
      if (each.id === id && each.key === key) again.push(each)
    }
  }
  return again
}

/** Finds records of our books that the processor does not have. */
async function findMissing(
  sides: BooksAndProcessor,
  report: Report,
  { name, rules, expected, madeSince }: Kind,
  { seen, since }: { seen: SeenIds; since: Date | undefined },
): Promise<void> {
  const { db, processor, clock } = sides
  const ids = since && (await madeSince(db, since)).map(({ id }) => id)
  const missing = new Map<string | null, Expected>()
  await inPages<Expected>(
    (page) => expected(db, processor.name, page),
    (row) => {
      const isSeen = row.listed_as !== null && seen.has(row.listed_as)
      if (isSeen) return
      // So many were not made while the listing was read.
      if (missing.size >= MAX_MISSING) differ(report, rules.made, row.id, row.amount, null)
      else missing.set(row.listed_as ?? row.id, row)
    },
    ids,
  )
  if (missing.size === 0) return
  // It may have been created after the listing had passed its time.
  const recent = new Date(clock.now().getTime() - RECENT_MS)
  for await (const { id } of processor[name](recent, ALL_TIME[1])) missing.delete(id)
  // An app whose clock is ahead dates its rows long after the processor does.
  if (since && missing.size > 0) {
    for await (const { id } of processor[name](...ALL_TIME)) missing.delete(id)
  }
  for (const { id, amount } of missing.values()) differ(report, rules.made, id, amount, null)
}

function differ(
  report: Report,
  rule: string,
  subject: string,
  ours: Cents | null,
  theirs: Cents | null,
): void {
  const detail = `on our books ${amountOrNothing(ours)}, at the processor ${amountOrNothing(theirs)}`
  report.differ(rule, subject, detail)
}
