import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import { taxOwed } from '#flows/remit-tax'
import type { World } from '#flows/world'
import { openAlarms } from '#platform/alarms'
import { addSeconds } from '#platform/calendar'
import { listEmails } from '#platform/email-log'
import { COUNTED_JOBS, countJobs } from '#platform/job-log'
import { type Cents, sum } from '#platform/money'
import { counted } from '#platform/text'
import { stuckAttempts } from './attempts.ts'
import type { AttentionItem } from './home-page.tsx'

/** More items than this are not counted one by one. */
const COUNTED = 200
/** An event that fails for less is retried within seconds or minutes. */
const FAILING_SECONDS = 3600
const FIRST_ITEMS = { limit: COUNTED + 1, offset: 0 }

/** A kind of item that needs attention: who handles it, and the open items. */
interface AttentionKind {
  needs: identity.StaffPermission
  read(world: World): Promise<AttentionItem | undefined>
}

/** What needs attention, the most urgent kind first. A new kind is a row here. */
const KINDS: AttentionKind[] = [
  { needs: 'cases', read: alarms },
  { needs: 'disputes', read: disputes },
  { needs: 'payments', read: attempts },
  { needs: 'approvals', read: approvals },
  { needs: 'refunds', read: failedRefunds },
  { needs: 'taxes', read: filings },
  { needs: 'emails', read: failedEmails },
  { needs: 'jobs', read: failedJobs },
  { needs: 'checks', read: failedEvents },
  { needs: 'accounts', read: locked },
  { needs: 'payments', read: owed },
  { needs: 'payments', read: excess },
  { needs: 'payments', read: debts },
  { needs: 'payments', read: unexplained },
]

/** Everything that a role handles and that needs attention now. */
export async function attentionFor(
  world: World,
  role: identity.StaffRole,
): Promise<AttentionItem[]> {
  const items: AttentionItem[] = []
  for (const { needs, read } of KINDS) {
    const item = identity.isPermitted(role, needs) ? await read(world) : undefined
    if (item) items.push(item)
  }
  return items
}

/** "3 debts", or "Over 200 debts". */
function countedUpTo(count: number, noun: string): string {
  return count > COUNTED ? `Over ${counted(COUNTED, noun)}` : counted(count, noun)
}

/** The total of the items that were counted, and what precedes it. */
function totalOf(detail: string, items: { amount: Cents }[]) {
  const isMore = items.length > COUNTED
  return { detail: isMore ? `${detail} over` : detail, amount: sum(...items.map((i) => i.amount)) }
}

async function alarms({ db }: World): Promise<AttentionItem | undefined> {
  const open = await openAlarms(db, FIRST_ITEMS)
  const [latest] = open
  if (!latest) return undefined
  const title = countedUpTo(open.length, 'open alarm')
  return { title, detail: latest.message, href: '/admin/cases/#alarms' }
}

async function disputes({ db }: World): Promise<AttentionItem | undefined> {
  const open = await payments.listUnclosed(db, { needs_evidence: true, ...FIRST_ITEMS })
  const [nearest] = open
  if (!nearest) return undefined
  return {
    title: `${countedUpTo(open.length, 'dispute')} without evidence`,
    detail: `The next is due`,
    due_at: nearest.due_at,
    href: open.length === 1 ? `/admin/disputes/${nearest.id}/` : '/admin/cases/#disputes',
  }
}

async function attempts(world: World): Promise<AttentionItem | undefined> {
  const { length } = await stuckAttempts(world, FIRST_ITEMS)
  if (length === 0) return undefined
  return {
    title: countedUpTo(length, 'stuck payment attempt'),
    detail: 'Open for over an hour. No other payment of these buyers can be charged.',
    href: '/admin/cases/#attempts',
  }
}

async function approvals({ db }: World): Promise<AttentionItem | undefined> {
  const count = await apps.countOpenApprovals(db)
  if (count === 0) return undefined
  return {
    title: `${counted(count, 'app')} to approve`,
    detail: 'Their sellers are waiting for external sales.',
    href: '/admin/approvals/',
  }
}

async function failedRefunds({ db }: World): Promise<AttentionItem | undefined> {
  const { length } = await payments.listRefused(db, FIRST_ITEMS)
  if (length === 0) return undefined
  return {
    title: countedUpTo(length, 'failed refund'),
    detail: 'The processor refused them.',
    href: '/admin/cases/#failed-refunds',
  }
}

async function filings(world: World): Promise<AttentionItem | undefined> {
  const due = (await taxOwed(world)).filter(({ status }) => status === 'due')
  if (due.length === 0) return undefined
  return {
    title: `${counted(due.length, 'tax filing')} due`,
    detail: 'To pay',
    amount: sum(...due.map(({ amount }) => amount)),
    href: '/admin/tax/',
  }
}

async function failedEmails({ db, clock }: World): Promise<AttentionItem | undefined> {
  const query = { state: 'failed', limit: COUNTED + 1 } as const
  const { length } = await listEmails(db, clock.now(), query)
  if (length === 0) return undefined
  return {
    title: countedUpTo(length, 'failed email'),
    detail: 'The mail server refused every attempt.',
    href: '/admin/emails/?state=failed',
  }
}

async function failedJobs({ db }: World): Promise<AttentionItem | undefined> {
  const { failed } = await countJobs(db)
  if (failed === 0) return undefined
  return {
    title:
      failed > COUNTED_JOBS ? `Over ${COUNTED_JOBS} failed jobs` : counted(failed, 'failed job'),
    detail: 'Every attempt failed. Retry or discard them.',
    href: '/admin/jobs/?state=failed',
  }
}

async function failedEvents({ db, clock }: World): Promise<AttentionItem | undefined> {
  const received_before = addSeconds(clock.now(), -FAILING_SECONDS)
  const { length } = await payments.listFailed(db, { received_before, limit: COUNTED + 1 })
  if (length === 0) return undefined
  return {
    title: `${countedUpTo(length, 'processor event')} not handled`,
    detail: 'They have failed for over an hour. The books lack what they report.',
    href: '/admin/checks/',
  }
}

async function locked({ db }: World): Promise<AttentionItem | undefined> {
  const { length } = await identity.listLocked(db, FIRST_ITEMS)
  if (length === 0) return undefined
  return {
    title: countedUpTo(length, 'locked account'),
    detail: 'The account owner reported a sign-in or a purchase that was not theirs.',
    href: '/admin/cases/#locked',
  }
}

async function owed({ db }: World): Promise<AttentionItem | undefined> {
  const found = await ledger.listOwedBuyers(db, FIRST_ITEMS)
  if (found.length === 0) return undefined
  return {
    title: `${countedUpTo(found.length, 'buyer')} to repay`,
    ...totalOf('Returned refunds of', found),
    href: '/admin/cases/#owed',
  }
}

async function excess({ db }: World): Promise<AttentionItem | undefined> {
  const found = await ledger.listExcessBuyers(db, FIRST_ITEMS)
  if (found.length === 0) return undefined
  return {
    title: `${countedUpTo(found.length, 'buyer')} received too much`,
    ...totalOf('To be repaid:', found),
    href: '/admin/cases/#excess',
  }
}

async function debts({ db }: World): Promise<AttentionItem | undefined> {
  const found = await payouts.listDebts(db, FIRST_ITEMS)
  if (found.length === 0) return undefined
  return {
    title: countedUpTo(found.length, 'debt'),
    ...totalOf('Sellers and affiliates owe', found),
    href: '/admin/cases/#debts',
  }
}

async function unexplained({ db, processor }: World): Promise<AttentionItem | undefined> {
  const { length } = await ledger.listUnexplained(db, processor.name, FIRST_ITEMS)
  if (length === 0) return undefined
  return {
    title: countedUpTo(length, 'unexplained movement'),
    detail: 'Money moved at the processor, and no record says why.',
    href: '/admin/cases/#suspense',
  }
}
