import type { FastifyInstance, FastifyReply } from 'fastify'
import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payouts from '#domain/payouts'
import { type DeletionBlock, deleteAccount, deletionBlocks, smallBalances } from '#flows/account'
import { type PayoutOutcome, payOut } from '#flows/pay-out'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { type OwnerContext, requireOwner } from '#http/guards/owner'
import { formOf } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { clearSession } from '#http/session'
import type { UserId } from '#platform/ids'
import { localeOf } from '#platform/language/request'
import type { Limit } from '#platform/limits'
import { sum, ZERO } from '#platform/money'
import { blockText, homeOf } from './deletion-blocks.ts'
import { DeletedPage, DeletionPage } from './deletion-pages.tsx'
import { PROFILE } from './profile.ts'

const DELETION = `${PROFILE}delete`
const REQUESTS: Limit = { name: 'final-payouts', points: 10, seconds: 3600 }

/** The deletion of an account, which its owner confirms by typing its email. */
export function declareDeletion(scope: FastifyInstance, world: World): void {
  const needs = { recent: true, back: DELETION }
  scope.get(DELETION, async (request, reply) =>
    sendForm(world, await requireOwner(world, request, reply, needs)),
  )

  scope.post(DELETION, async (request, reply) => {
    const context = await requireOwner(world, request, reply, needs)
    const typed = identity.readEmail(formOf(request).email ?? '')
    if (typed?.email_normalized !== context.session.email_normalized) {
      const fault = localeOf(request).t('account.delete_fault')
      return await sendForm(world, context, { fault })
    }
    const { owner } = context
    const deleted = await deleteAccount(world, owner)
    if (deleted.outcome === 'blocked') return await sendForm(world, context, deleted)
    clearSession(request, reply)
    return sendPage(reply, DeletedPage({ email: owner.email, locale: localeOf(request) }))
  })

  scope.post(`${DELETION}/payout`, async (request, reply) => {
    const { session } = await requireOwner(world, request, reply, needs)
    await limitPage(world, REQUESTS, session.user_id, reply)
    const unpaid = await payOutSmallBalances(world, session.user_id)
    const to = unpaid ? `${homeOf(unpaid.payee)}?done=${unpaid.outcome}` : DELETION
    return redirectTo(reply, to)
  })
}

/**
 * Pays out the balances below the minimum that block the deletion. Returns the payee whose payout
 * did not begin, if any, and why.
 */
async function payOutSmallBalances(
  world: World,
  user_id: UserId,
): Promise<{ payee: payouts.Payee; outcome: PayoutOutcome['outcome'] } | undefined> {
  for (const { payee } of smallBalances(await deletionBlocks(world, user_id))) {
    const request = { ...payee, cause: 'request', minimum: payouts.MINIMUM_AT_LEAVING } as const
    const { outcome } = await payOut(world, request)
    if (outcome !== 'pending' && outcome !== 'paid') return { payee, outcome }
  }
  return undefined
}

async function sendForm(
  world: World,
  { request, reply, session }: OwnerContext,
  state: { fault?: string; blocks?: DeletionBlock[] } = {},
): Promise<FastifyReply> {
  const { user_id } = session
  const blocks = state.blocks ?? (await deletionBlocks(world, user_id))
  const locale = localeOf(request)
  const page = DeletionPage({
    locale,
    csrf_token: csrfToken(world, request, reply),
    email: session.email,
    blocks: blocks.map((block) => blockText(block, locale)),
    payable: sum(ZERO, ...smallBalances(blocks).map(({ total }) => total)),
    ending: await endingApps(world, user_id),
    is_affiliate: (await affiliates.affiliateOf(world.db, user_id)) !== undefined,
    fault: state.fault,
  })
  const status = state.fault !== undefined ? 422 : state.blocks ? 409 : 200
  return sendPage(reply, page, { status })
}

/** The names of the apps whose licenses would end. */
async function endingApps({ db }: World, user_id: UserId): Promise<string[]> {
  const licenses = await licensing.liveLicensesOf(db, user_id)
  const found = await Promise.all(licenses.map(({ app_id }) => apps.find(db, app_id)))
  return [...new Set(found.map((app) => app!.name))].sort()
}
