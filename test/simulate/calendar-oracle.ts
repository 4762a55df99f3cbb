import { addDays } from '#platform/calendar'
import type { Database } from '#platform/db'
import type { LicenseId, PriceId } from '#platform/ids'
import { sql } from '#platform/sql'

/** A broken rule, with the facts that break it. */
export interface Broken {
  rule: string
  facts: unknown
}

interface PaidInvoice {
  license_id: LicenseId
  number: number
  kind: 'purchase' | 'renewal' | 'upgrade'
  price_id: PriceId
  price_amount: number
  frequency: 'day' | 'week' | 'month' | 'year' | null
  period_start: Date
  period_end: Date | null
  paid_at: Date
  /** The end of the trial before the first invoice; undefined if there was none. */
  trial_end?: Date | undefined
  was_paused: boolean
  /** Whether it continues an imported license: its period was paid elsewhere. */
  is_prepaid: boolean
  license_end: Date | null
  status: string
}

/** A trial that was promised, and what changed its end, in order. */
interface Trial {
  license_id: LicenseId
  began_at: Date
  trial_days: number
  changes: ({ extended: number } | { trial_days: number })[]
  status: string
  period_end: Date | null
  next_charge_at: Date | null
}

const TRIALS = sql`select l.id as license_id, o.created_at as began_at, b.trial_days, l.status,
    l.period_end, s.period_end as next_charge_at,
    (select coalesce(json_agg(case g.action when 'license.trial_extended'
        then json_build_object('extended', (g.detail->>'days')::int)
        else json_build_object('trial_days', p.trial_days) end order by g.id), '[]')
      from audit_log g left join prices r on r.id = g.detail->>'to'
        left join products p on p.id = r.product_id
      where g.subject = l.id and (g.action = 'license.trial_extended'
        or (g.action = 'license.plan_change' and g.detail->>'when' = 'in_trial'))) as changes
  from licenses l join orders o on o.license_id = l.id join invoices b on b.id = o.invoice_id
    left join subscriptions s on s.license_id = l.id
  where b.trial_days > 0 order by l.created_at, l.id`

const PAID_INVOICES = sql`select i.license_id, i.number, i.kind, i.price_id, r.frequency,
    (select sum(amount)::bigint from invoice_lines
      where invoice_id = i.id and kind = 'price') as price_amount,
    i.period_start, i.period_end, i.paid_at, l.status, l.period_end as license_end,
    exists (select 1 from license_history h where h.license_id = i.license_id
      and h.trigger = 'buyer_paused' and h.at <= i.paid_at) as was_paused,
    exists (select 1 from carts c where c.id = i.cart_id
      and c.continues_license_id is not null) as is_prepaid
  from invoices i join prices r on r.id = i.price_id join licenses l on l.id = i.license_id
    join orders o on o.id = i.order_id join invoices b on b.id = o.invoice_id
  where i.status = 'paid' and i.number is not null order by i.license_id, i.paid_at, i.number`

/** A number of months later: the same day, or the last one of a shorter month. */
function monthsLater(from: Date, months: number): Date {
  const month = from.getUTCMonth() + months
  const last = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const day = Math.min(from.getUTCDate(), last)
  const midnight = Date.UTC(from.getUTCFullYear(), month, day)
  return new Date(midnight + (from.getTime() % 86_400_000))
}

function later(from: Date, frequency: NonNullable<PaidInvoice['frequency']>, count: number): Date {
  if (frequency === 'month') return monthsLater(from, count)
  if (frequency === 'year') return monthsLater(from, 12 * count)
  const days = frequency === 'week' ? 7 : 1
  return new Date(from.getTime() + days * count * 86_400_000)
}

/** When a trial ends: another plan may shorten it, and its seller may extend it. */
function endOfTrial({ began_at, trial_days, changes }: Trial): Date {
  return changes.reduce(
    (end, change) => {
      if ('extended' in change) return addDays(end, change.extended)
      const other = addDays(began_at, change.trial_days)
      return other < end ? other : end
    },
    addDays(began_at, trial_days),
  )
}

/** Where periods are counted from, and how many there were. */
interface Count {
  anchor: Date
  count: number
}

/**
 * Compares every paid period with a second implementation of the calendar: periods are counted from
 * the purchase, the end of a trial, which its seller may extend, a plan change, the end of a pause, or a payment after more than
 * half of its period was over. Each begins where the previous one ended, none is paid before it
 * begins, and the agreed price of a period applies until a plan change.
 */
export async function calendarFaults(db: Database): Promise<Broken[]> {
  const trials = await db.rows<Trial>(TRIALS)
  const running = trials.filter((trial) => !isAsPromised(trial))
  const ends = new Map(trials.map((trial) => [trial.license_id, endOfTrial(trial)]))
  const rows = await db.rows<PaidInvoice>(PAID_INVOICES)
  const invoices = rows.map((row) => ({ ...row, trial_end: ends.get(row.license_id) }))
  return [
    ...running.map((facts) => ({ rule: 'a trial lasts as long as it was promised', facts })),
    ...periodFaults(invoices),
  ]
}

/** A license on trial, and what is charged after it, follow the end of the trial. */
function isAsPromised(trial: Trial): boolean {
  if (trial.status !== 'trialing') return true
  const end = endOfTrial(trial).getTime()
  return trial.period_end?.getTime() === end && trial.next_charge_at?.getTime() === end
}

function periodFaults(invoices: readonly PaidInvoice[]): Broken[] {
  let at: Count | undefined
  return invoices.flatMap((invoice, index) => {
    const earlier = invoices[index - 1]
    const before = earlier?.license_id === invoice.license_id ? earlier : undefined
    const isLast = invoices[index + 1]?.license_id !== invoice.license_id
    if (invoice.is_prepaid) {
      // The periods are counted from its end, which is that of the import.
      at = undefined
      return []
    }
    const next = counted(invoice, before, before && at)
    at = next.is_restarted ? { anchor: invoice.paid_at, count: 1 } : next
    const [start, end] = periodAt(at, invoice)
    const isSame =
      start.getTime() === invoice.period_start.getTime() &&
      end?.getTime() === invoice.period_end?.getTime()
    const wrong = isSame ? undefined : 'a period is counted from its anchor'
    const fault = wrong ?? faultOf(invoice, before) ?? (isLast ? endFault(invoice) : undefined)
    return fault ? [{ rule: fault, facts: { invoice, before } }] : []
  })
}

function periodAt(
  { anchor, count }: Count,
  { frequency }: PaidInvoice,
): [start: Date, end: Date | null] {
  if (frequency === null) return [anchor, null]
  return [later(anchor, frequency, count - 1), later(anchor, frequency, count)]
}

/** The position of an invoice in the calendar, and whether its payment starts a new one. */
function counted(
  invoice: PaidInvoice,
  before: PaidInvoice | undefined,
  at: Count | undefined,
): Count & { is_restarted: boolean } {
  if (invoice.kind !== 'renewal') {
    return { anchor: invoice.period_start, count: 1, is_restarted: false }
  }
  const isMove = before !== undefined && before.price_id !== invoice.price_id
  const first = before ? before.period_end! : invoice.trial_end!
  const here = isMove || !at ? { anchor: first, count: 1 } : { ...at, count: at.count + 1 }
  const isResumed =
    invoice.was_paused && invoice.period_start.getTime() === invoice.paid_at.getTime()
  const [start, end] = periodAt(here, invoice)
  const half = end && (start.getTime() + end.getTime()) / 2
  const isLate = half !== null && invoice.paid_at.getTime() > half
  return { ...here, is_restarted: isResumed || isLate }
}

function faultOf(invoice: PaidInvoice, before: PaidInvoice | undefined): string | undefined {
  if (invoice.period_start > invoice.paid_at) return 'no period is paid before it begins'
  // A plan change to a plan with a shorter trial is paid at once, and ends the trial.
  const isInTrial = invoice.trial_end && !before && invoice.period_start < invoice.trial_end
  if (isInTrial && invoice.kind === 'renewal') {
    return 'nothing is paid within a trial'
  }
  if (!before || invoice.kind === 'upgrade') return undefined
  if (before.period_end && invoice.period_start < before.period_end)
    return 'no day is paid for twice'
  if (before.period_end === null) return 'what is paid once does not renew'
  if (invoice.price_id === before.price_id && invoice.price_amount !== before.price_amount) {
    return 'a renewal costs what was agreed'
  }
  return undefined
}

/** An active license is paid up to the end of its last invoice. */
function endFault({ status, license_end, period_end }: PaidInvoice): string | undefined {
  if (status === 'canceled') return undefined
  return license_end?.getTime() === period_end?.getTime()
    ? undefined
    : 'a license lasts as long as it is paid for'
}
