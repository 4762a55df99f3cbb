import type { FastifyReply } from 'fastify'
import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as payouts from '#domain/payouts'
import type { World } from '#flows/world'
import { refuse } from '#surfaces/refusals'
import { forAccount, type Handler, type Visit } from '#surfaces/visits'

/** The two kinds of payees, and where their pages are. */
export const KINDS = {
  seller: { home: '/dashboard/payouts/', base: '/dashboard/payouts/', place: 'payouts' },
  affiliate: { home: '/affiliate/', base: '/affiliate/payouts/', place: 'referrals' },
} as const

export type Kind = keyof typeof KINDS

/** A payee at work on his own pages. */
export interface PayeeVisit extends Visit {
  kind: Kind
  payee: payouts.Payee
}

/** A page for a payee of a kind; whoever is none finds nothing. */
export function forPayee(
  world: World,
  kind: Kind,
  page: (visit: PayeeVisit) => Promise<FastifyReply>,
): Handler {
  return forAccount(world, KINDS[kind].home, async (visit) => {
    const owner = await ownerOf(world, kind, visit.session.user_id)
    if (owner === undefined) throw refuse('not_found')
    return await page({ ...visit, kind, payee: { owner, account: payouts.accountOf(owner) } })
  })
}

/** A page of one payout that is the visitor's own. */
export function forPayout(
  world: World,
  kind: Kind,
  page: (visit: PayeeVisit, payout: payouts.Payout) => Promise<FastifyReply>,
): Handler {
  return forPayee(world, kind, async (visit) => {
    const { id } = visit.request.params as { id: string }
    const payout = await payouts.findPayout(world.db, id)
    if (payout?.owner !== visit.payee.owner) throw refuse('not_found')
    return await page(visit, payout)
  })
}

async function ownerOf({ db }: World, kind: Kind, user_id: string): Promise<string | undefined> {
  if (kind === 'seller') return await apps.sellerOf(db, user_id)
  return (await affiliates.affiliateOf(db, user_id))?.id
}
