import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Link } from '#design/layout'
import { formatMoney } from '#design/money'
import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payouts from '#domain/payouts'
import {
  type DeletionBlock,
  deleteAccount,
  deletionBlocks,
  type PayeeRest,
  smallRests,
} from '#flows/account'
import { type PayoutOutcome, payOut } from '#flows/pay-out'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { type OwnerContext, requireOwner } from '#http/guards/owner'
import { PAYEE_PAGES } from '#http/guards/payee'
import { formOf } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { dropSession } from '#http/session'
import type { Limit } from '#platform/limits'
import { cents, sum, ZERO } from '#platform/money'
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
      return await sendForm(world, context, { fault: 'Enter the email of this account.' })
    }
    const { owner } = context
    const deleted = await deleteAccount(world, owner)
    if (deleted.outcome === 'blocked') return await sendForm(world, context, deleted)
    dropSession(request, reply)
    return sendPage(reply, DeletedPage({ email: owner.email }))
  })

  scope.post(`${DELETION}/payout`, async (request, reply) => {
    const { session } = await requireOwner(world, request, reply, needs)
    await limitPage(world, REQUESTS, session.user_id, reply)
    const unpaid = await payOutRests(world, session.user_id)
    const to = unpaid ? `${homeOf(unpaid.payee)}?done=${unpaid.outcome}` : DELETION
    return redirectTo(reply, to)
  })
}

/**
 * Pays out the balances below the minimum that block the deletion. Returns the payee whose payout
 * did not begin, if any, and why.
 */
async function payOutRests(
  world: World,
  user_id: identity.Session['user_id'],
): Promise<{ payee: payouts.Payee; outcome: PayoutOutcome['outcome'] } | undefined> {
  for (const { payee } of smallRests(await deletionBlocks(world, user_id))) {
    const request = { ...payee, cause: 'request', least: payouts.MINIMUM_AT_LEAVING } as const
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
  const page = DeletionPage({
    csrf_token: csrfToken(world, request, reply),
    email: session.email,
    blocks: blocks.map(blockText),
    payable: sum(ZERO, ...smallRests(blocks).map(({ total }) => total)),
    ending: await endingApps(world, user_id),
    is_affiliate: (await affiliates.affiliateOf(world.db, user_id)) !== undefined,
    fault: state.fault,
  })
  const status = state.fault !== undefined ? 422 : state.blocks ? 409 : 200
  return sendPage(reply, page, { status })
}

const SELLER_TEXTS = {
  apps: 'Unpublish its apps.',
  subscriptions:
    'Subscriptions to its apps renew. Transfer the apps to another seller, or cancel the subscriptions.',
  members: 'Remove its other members, or make one of them the owner.',
} as const

/** What the account's owner can do about a reason that blocks the deletion. */
function blockText(block: DeletionBlock): { text: string; link?: Link } {
  switch (block.kind) {
    case 'subscription': {
      const text = `Your subscription to ${block.app_name} renews, or a payment for it is due.`
      const link = { label: `Manage ${block.app_name}`, href: `/manage/${block.app_id}/` }
      return { text, link }
    }
    case 'seller':
      return { text: `You own the seller ${block.seller_name}. ${SELLER_TEXTS[block.has]}` }
    case 'balance': {
      const whose = block.seller_name ? `The balance of ${block.seller_name}` : 'Your commission'
      const link = { label: 'See the balance', href: homeOf(block.rest.payee) }
      return { text: `${whose} ${restText(block.rest)}`, link }
    }
    case 'refund':
      return {
        text: `Your bank returned a refund of ${formatMoney(block.owed)}. Contact support to receive it in another way.`,
        link: { label: 'Help and contact', href: '/help/' },
      }
    case 'dispute':
      return {
        text: 'A bank is deciding a dispute over one of your payments. Wait for its decision.',
      }
    case 'payment':
      return { text: 'A payment is being processed. Try again in a few minutes.' }
    case 'staff':
      return { text: 'You are staff. Another admin must remove your role first.' }
  }
}

/** What has to happen to the money of a payee, as the end of a sentence. */
function restText({ total, pending_total, is_paying }: PayeeRest): string {
  if (is_paying) return 'is on its way to the bank. Wait until it arrives.'
  if (total < 0) {
    const owed = formatMoney(cents(0 - total))
    return `is negative: ${owed} are owed to us. Contact support to settle this.`
  }
  if (pending_total > 0) {
    return `includes ${formatMoney(pending_total)} that is not available yet. Wait until it has been paid out.`
  }
  if (payouts.isPayable(total))
    return `is ${formatMoney(total)}. Request a payout, or wait for the next one.`
  return `is ${formatMoney(total)}, less than the minimum of a payout.`
}

/** The page of a payee's balance. */
function homeOf({ account }: payouts.Payee): string {
  return PAYEE_PAGES[account === 'affiliate_payable' ? 'affiliate' : 'seller'].home
}

/** The names of the apps whose licenses would end. */
async function endingApps({ db }: World, user_id: identity.Session['user_id']): Promise<string[]> {
  const licenses = await licensing.liveLicensesOf(db, user_id)
  const found = await Promise.all(licenses.map(({ app_id }) => apps.find(db, app_id)))
  return [...new Set(found.map((app) => app!.name))].sort()
}
