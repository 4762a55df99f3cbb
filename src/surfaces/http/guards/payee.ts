import type { FastifyReply, FastifyRequest } from 'fastify'
import * as affiliates from '#domain/affiliates'
import * as payouts from '#domain/payouts'
import type { World } from '#flows/world'
import { requireMember } from '#http/guards/seller'
import { requireSession, type SessionContext } from '#http/guards/session'
import { paramsOf, requireId } from '#http/input'
import { refuse } from '#http/refusals'
import type { PayeeId } from '#platform/ids'

/** The two kinds of payees, and their pages. */
export const PAYEE_PAGES = {
  seller: { home: '/dashboard/payouts/', base: '/dashboard/payouts/' },
  affiliate: { home: '/affiliate/', base: '/affiliate/payouts/' },
} as const

export type PayeeKind = keyof typeof PAYEE_PAGES

/** A request of a payee about their own payouts. */
export interface PayeeContext extends SessionContext {
  kind: PayeeKind
  payee: payouts.Payee
  /** Whether staff suspend the seller; never true of affiliates. */
  is_suspended: boolean
}

/**
 * The payee of the account: the seller of a member who may see its payouts, or the affiliate. An
 * account without this kind of payee gets 404.
 */
export async function requirePayee(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: PayeeKind,
): Promise<PayeeContext> {
  if (kind === 'seller') {
    const { member, ...context } = await requireMember(world, request, reply, 'payouts')
    const { seller_id, is_suspended } = member
    return { ...context, kind, payee: payeeOf(seller_id), is_suspended }
  }
  const context = await requireSession(world, request, reply, PAYEE_PAGES[kind].home)
  const affiliate = await affiliates.affiliateOf(world.db, context.session.user_id)
  if (!affiliate) throw refuse('not_found')
  return asAffiliate(context, affiliate)
}

/** The request of an affiliate about their own payouts. */
export function asAffiliate(
  context: SessionContext,
  { id }: Pick<affiliates.Affiliate, 'id'>,
): PayeeContext {
  return { ...context, kind: 'affiliate', payee: payeeOf(id), is_suspended: false }
}

/** A payee, and their payout in the path. */
export async function requirePayout(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: PayeeKind,
): Promise<PayeeContext & { payout: payouts.Payout }> {
  const context = await requirePayee(world, request, reply, kind)
  const id = requireId('po', paramsOf('/:id', request).id)
  const payout = await payouts.findPayout(world.db, id)
  if (payout?.owner !== context.payee.owner) throw refuse('not_found')
  return { ...context, payout }
}

function payeeOf(owner: PayeeId): payouts.Payee {
  return { owner, account: payouts.accountOf(owner) }
}
