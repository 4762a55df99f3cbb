import { all, drop, where } from './altered-statements.ts'
import type { Fault, PlantedFault } from './code-faults.ts'

/** A renewal pays for the invoiced period, however late it is paid. */
function keepingPeriods(): Pick<Fault, 'alterStatement'> {
  const billed = new Map<unknown, { period_start: unknown; period_end: unknown }>()
  const instead = new Map<number, unknown>()
  const swap = (at: unknown) => (at instanceof Date ? (instead.get(at.getTime()) ?? at) : at)
  const remember = where('insert into invoices', ({ id, kind, period_start, period_end }) => {
    if (kind === 'renewal' && period_end) billed.set(id, { period_start, period_end })
    return {}
  })
  const pay = where("update invoices set status = 'paid'", ({ id, period_start, period_end }) => {
    const old = billed.get(id)
    if (!old) return {}
    instead.set((period_start as Date).getTime(), old.period_start)
    instead.set((period_end as Date).getTime(), old.period_end)
    return old
  })
  const row = where('update subscriptions set price_id', ({ anchor, period_end, next_at }) => ({
    anchor: swap(anchor),
    period_end: swap(period_end),
    next_at: swap(next_at),
  }))
  const license = where('update licenses set status', ({ period_end }) => ({
    period_end: swap(period_end),
  }))
  return all(remember, pay, row, license)
}

/** Renews a buyer brought by the service at the rate of one brought by the seller. */
function atTheSellersRate(row: Readonly<Record<string, unknown>>): object {
  const { kind, brought_by, amount, add_on_fee, affiliate_id } = row
  if (kind !== 'renewal' || brought_by !== 'service') return {}
  const price = amount as number
  const rate = (bps: number) => Math.min(price, Math.round((price * bps) / 10_000) + 50)
  const fee = (add_on_fee as number) > 0 ? rate(700) : rate(500)
  const commission = affiliate_id === null ? 0 : Math.floor(fee / 4)
  return { brought_by: 'seller', fee, add_on_fee: fee - rate(500), commission }
}

const FORESEEN = 'no flow fails with an unexpected error'

/** Planted faults about renewals. */
export const PLANTED_RENEWAL_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a renewal keeps 5 % though the service brought the buyer',
    caught_by: ['a fee is that of the link by which it was bought'],
    seed: 4,
    ...where('insert into invoices', atTheSellersRate),
  },
  {
    name: 'a payment that comes late keeps the old period',
    caught_by: ['a period is counted from its anchor', FORESEEN],
    seed: 10,
    ...keepingPeriods(),
  },
  {
    name: 'a renewal forgets the fixed part of the fee',
    caught_by: ['the books are what happened, recomputed: a fee follows its terms'],
    ...where('insert into invoices', ({ kind, fee }) =>
      // A smaller fee would be refused: it is never less than its fixed part.
      kind === 'renewal' && (fee as number) >= 100 ? { fee: (fee as number) - 50 } : {},
    ),
  },
  {
    name: 'a renewal that fails leaves no line in the history of the license',
    caught_by: ['a license went along the table of transitions, and is where its history ends'],
    seed: 4,
    ...drop('insert into license_history', ({ trigger }) => trigger === 'renewal_failed'),
  },
  {
    name: 'a period is counted from when it is paid instead of from its anchor',
    caught_by: ['a period is counted from its anchor', 'a license lasts as long as it is paid for'],
    seed: 4,
    ...where("update invoices set status = 'paid'", ({ paid_at, period_start, period_end }) => {
      if (period_end === null) return {}
      const late = (paid_at as Date).getTime() - (period_start as Date).getTime()
      return { period_start: paid_at, period_end: new Date((period_end as Date).getTime() + late) }
    }),
  },
  {
    name: 'the start of an unpaid renewal is lost',
    caught_by: [FORESEEN, 'an unpaid renewal is retried for three weeks and then no longer'],
    seed: 4,
    ...where('update subscriptions set price_id', () => ({ past_due_since: null })),
  },
  {
    name: 'auto-renew stays on whatever its owner wants',
    caught_by: ['auto-renew is as its owner set it', 'nothing renews while auto-renew is off'],
    ...where('update subscriptions set price_id', () => ({ auto_renew: true })),
  },
]
