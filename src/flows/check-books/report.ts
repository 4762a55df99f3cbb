import { formatMoney } from '#design/money'
import type { LedgerEvent, Posting } from '#domain/ledger'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'

/** A difference between the books and the recorded facts. */
export interface Difference {
  /** The broken rule, in a few words. */
  rule: string
  /** The id of the row that it concerns. */
  subject: string
  detail: string
}

/** How many rows were checked, and what differs. */
export interface Checked {
  counts: Record<string, number>
  differences: Difference[]
}

/** Where a check writes its findings. */
export interface Report {
  count(what: string, number?: number): void
  differ(rule: string, subject: string, detail: string): void
}

/** Lines of a transaction as the database returns them; null if there is no transaction. */
export type Lines = [account: string, owner: string, amount: number][] | null

/** A column with the lines of an event's posting, found by its subject. */
export function linesOf(event: LedgerEvent, subject: Sql): Sql {
  return sql`(select json_agg(json_build_array(e.account, e.owner, e.amount) order by e.position)
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
    where t.event = ${event} and t.subject = ${subject})`
}

/** Compares the lines of a posting with the expected ones; undefined means no posting. */
export function comparePosting(
  report: Report,
  event: LedgerEvent,
  subject: string,
  expected: Posting | undefined,
  lines: Lines,
): void {
  const booked = (lines ?? []).map(([account, owner, amount]) => ({
    account,
    owner,
    amount: amount as Cents,
  }))
  const due = expected?.lines ?? []
  if (keyOf(due) === keyOf(booked)) return
  const wanted = due.map(wordsOf)
  const found = booked.map(wordsOf)
  if (found.length === 0) {
    report.differ(`${event} is posted`, subject, `it has no posting; expected ${wanted.join(', ')}`)
  } else if (wanted.length === 0) {
    report.differ(
      `${event} is posted`,
      subject,
      `nothing is expected, but found ${found.join(', ')}`,
    )
  } else {
    const detail = `expected ${wanted.join(', ')}; found ${found.join(', ')}`
    report.differ(`${event} is posted`, subject, detail)
  }
}

type BookedLine = { account: string; owner: string; amount: Cents }

/** The lines as one text to compare, as every posting is: amounts in words take longer. */
function keyOf(lines: readonly BookedLine[]): string {
  return lines.map(({ account, owner, amount }) => `${account} ${owner} ${amount}`).join()
}

function wordsOf({ account, owner, amount }: BookedLine): string {
  return `${account}${owner === '' ? '' : ` of ${owner}`} ${formatMoney(amount)}`
}

/** An amount in the detail of a difference; nothing was recorded if it is null. */
export function amountOrNothing(amount: Cents | null): string {
  return amount === null ? 'nothing' : formatMoney(amount)
}

/** Which rows a page has: those of `only`, or the next ones by id. */
export interface IdPage {
  after: string
  limit: number
  only: string[] | undefined
}

/** The rows of a page, as the last condition of a statement. */
export function ofPage(id: Sql, { after, limit, only }: IdPage): Sql {
  return only ? sql`${id} = any(${only})` : sql`${id} > ${after} order by ${id} limit ${limit}`
}

/**
 * Reads rows in pages by their ids, so that a large table needs little memory: all of them, or
 * those with the given ids.
 */
export async function inPages<Row extends { id: string }>(
  read: (page: IdPage) => Promise<Row[]>,
  each: (row: Row) => void,
  ids?: string[],
): Promise<void> {
  let after = ''
  for (let position = 0; ids === undefined || position < ids.length; position += PAGE) {
    const only = ids?.slice(position, position + PAGE)
    const rows = await read({ after, limit: PAGE, only })
    rows.forEach(each)
    if (only) continue
    if (rows.length < PAGE) return
    after = rows.at(-1)!.id
  }
}

// Small, as the rows of a page are checked in one go while requests wait.
const PAGE = 1000
