import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Link } from '#design/layout'
import { formatMoney } from '#design/money'
import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import { type DeletionBlock, deleteAccount, deletionBlocks } from '#flows/account'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { type OwnerContext, requireOwner } from '#http/guards/owner'
import { formOf } from '#http/input'
import { sendPage } from '#http/pages'
import { dropSession } from '#http/session'
import { PROFILE } from './profile.ts'
import { DeletedPage, DeletionPage } from './profile-pages.tsx'

const DELETION = `${PROFILE}delete`

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
  balance: 'Wait until its balance has been paid out.',
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
    case 'affiliate':
      return {
        text: 'Your affiliate balance has not been paid out.',
        link: { label: 'See referrals', href: '/affiliate/' },
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

/** The names of the apps whose licenses would end. */
async function endingApps({ db }: World, user_id: identity.Session['user_id']): Promise<string[]> {
  const licenses = await licensing.liveLicensesOf(db, user_id)
  const found = await Promise.all(licenses.map(({ app_id }) => apps.find(db, app_id)))
  return [...new Set(found.map((app) => app!.name))].sort()
}
