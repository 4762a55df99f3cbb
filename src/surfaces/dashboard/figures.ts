import type { FastifyRequest } from 'fastify'
import * as billing from '#domain/billing'
import * as metrics from '#domain/metrics'
import * as payouts from '#domain/payouts'
import * as sellers from '#domain/sellers'
import { readPayeeBalance } from '#flows/pay-out'
import { forReports, payeeTime, type World } from '#flows/world'
import { addDays } from '#platform/calendar'
import type { AppId, InvoiceId, SellerId } from '#platform/ids'
import { type Cents, sum } from '#platform/money'
import { type ChosenRange, rangeOf } from './figure-range.ts'

/** How many sales, disputes and renewals the lists have. One more is read. */
export const LISTED = 5

/** What the next weekly payout would be as of now. */
export interface NextPayout {
  amount: Cents
  at: Date
  /** Why it does not happen then; undefined if it does. */
  obstacle: 'debt' | 'paused' | 'too_little' | 'returned' | 'no_bank' | undefined
}

/** The figures of one app, or of all apps of a seller. */
export interface FiguresFacts {
  /** The address of the page, without a range. */
  base: string
  chosen: ChosenRange
  figures: metrics.OverviewFigures
  sales: metrics.LatestSale[]
  /** The statuses of those sales. */
  statuses: ReadonlyMap<InvoiceId, billing.SellerInvoiceStatus>
  disputes: metrics.OpenDispute[]
  /** Whether the member may open a dispute; others open its sale. */
  opens_disputes: boolean
  renewals: metrics.FailedRenewal[]
  /** Undefined for a member who may not view payouts. */
  payout: NextPayout | undefined
  /** Whether the figures are of several apps, so that lists name them. */
  names_apps: boolean
}

/** Reads the figures that an address asks for. */
export async function readFigures(
  world: World,
  request: FastifyRequest,
  facts: {
    base: string
    app_ids: AppId[]
    now: Date
    member: { seller_id: SellerId; role: sellers.MemberRole }
    names_apps: boolean
  },
): Promise<FiguresFacts> {
  const reporting = forReports(world)
  const { db } = reporting
  const { base, app_ids, now, member, names_apps } = facts
  const chosen = rangeOf(request, now)
  const query = { app_ids, limit: LISTED + 1 }
  const sales = await metrics.latestSales(db, query)
  const ids = sales.map(({ id }) => id)
  return {
    base,
    chosen,
    names_apps,
    figures: await metrics.readOverview(db, { app_ids, range: chosen.range }),
    sales,
    statuses: await billing.invoiceStatuses(db, ids),
    disputes: await metrics.openDisputes(db, query),
    opens_disputes: sellers.isAllowed(member.role, 'support'),
    renewals: await metrics.failedRenewals(db, query),
    payout: sellers.isAllowed(member.role, 'payouts')
      ? await nextPayout(reporting, member.seller_id)
      : undefined,
  }
}

async function nextPayout(world: World, owner: SellerId): Promise<NextPayout> {
  const payee = { owner, account: payouts.accountOf(owner) }
  const at = addDays(payouts.mondayOf(await payeeTime(world, owner)), 7)
  const { total, pending } = await readPayeeBalance(world, payee)
  const due = pending.filter((part) => part.at <= at).map(({ amount }) => amount)
  const amount = sum(total, ...due)
  return { amount, at, obstacle: await obstacleTo(world, owner, amount) }
}

/** In the order in which the page of payouts names them. */
async function obstacleTo(
  { db }: World,
  owner: SellerId,
  amount: Cents,
): Promise<NextPayout['obstacle']> {
  if (amount < 0) return 'debt'
  if (await payouts.arePaused(db, owner)) return 'paused'
  if (!payouts.isPayable(amount)) return 'too_little'
  const account = await payouts.findAccount(db, owner)
  if (account?.is_ready) return undefined
  return account?.returned_at ? 'returned' : 'no_bank'
}
