import * as apps from '#domain/apps'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { pageOfSeller } from '#http/guards/named-seller'
import type { EmailTemplate, StoredEmail } from '#platform/email-queue'
import { parseId } from '#platform/ids'
import { approvalDecided, memberInvitation } from './app-templates.ts'
import { appDecided, sellerDecided } from './decision-templates.ts'
import type { EmailWriters, WrittenEmail } from './template.ts'
import { transferDecided, transferOffered } from './transfer-templates.ts'

/** The emails to a seller's members about an app or the team. */
export const APP_EMAILS = {
  app_decision: writeAppDecision,
  app_transfer_decided: writeTransferDecided,
  app_transfer_offered: writeTransferOffered,
  approval_decided: writeApprovalDecided,
  member_invitation: writeMemberInvitation,
  seller_decision: writeSellerDecision,
} satisfies Partial<EmailWriters<EmailTemplate>>

async function writeApprovalDecided(
  { db, config }: World,
  { subject_id }: StoredEmail,
): Promise<WrittenEmail | undefined> {
  const request = await apps.findApproval(db, parseId('apr', subject_id))
  const app = request && (await apps.find(db, request.app_id))
  if (!app || request.is_approved === null) return undefined
  const to = await sellers.recipientsOf(db, app.seller_id, { permission: 'edit_apps' })
  const content = approvalDecided({
    app_name: app.name,
    is_approved: request.is_approved,
    is_published: app.is_published,
    reason: request.reason,
    url: `${config.base_url}/dashboard/apps/${app.slug}/`,
  })
  return { to, content }
}

async function writeAppDecision(
  { db, config }: World,
  { subject_id, facts }: StoredEmail<'app_decision'>,
): Promise<WrittenEmail | undefined> {
  const app = await apps.find(db, parseId('app', subject_id))
  if (!app) return undefined
  const to = await sellers.recipientsOf(db, app.seller_id, { permission: 'edit_apps' })
  const { base_url } = config
  const url = `${base_url}/dashboard/apps/${app.slug}/`
  const content = appDecided({
    ...facts,
    app_name: app.name,
    is_seller_suspended: apps.isSuspendedWithSeller(app),
    url,
    help_url: `${base_url}/help/`,
  })
  return { to, content }
}

async function writeSellerDecision(
  { db, config }: World,
  { subject_id, facts }: StoredEmail<'seller_decision'>,
): Promise<WrittenEmail | undefined> {
  const seller = await sellers.findSeller(db, parseId('sel', subject_id))
  if (!seller) return undefined
  const isAboutPayouts = facts.what === 'payouts_paused' || facts.what === 'payouts_resumed'
  const permission = isAboutPayouts ? 'payouts' : 'account'
  const to = await sellers.recipientsOf(db, seller.id, { permission })
  const { base_url } = config
  const content = sellerDecided({
    ...facts,
    legal_name: seller.legal_name,
    url: `${base_url}${pageOfSeller('/dashboard/', seller.id)}`,
    help_url: `${base_url}/help/`,
  })
  return { to, content }
}

async function writeMemberInvitation(
  { db, clock, config }: World,
  { subject_id }: StoredEmail,
): Promise<WrittenEmail | undefined> {
  const invitation = await sellers.findInvitation(db, clock.now(), parseId('mbi', subject_id))
  if (!invitation) return undefined
  const url = `${config.base_url}/dashboard/invitations/`
  return { to: [invitation.email], content: memberInvitation(invitation, url) }
}

async function writeTransferOffered(
  { db, config }: World,
  { subject_id }: StoredEmail,
): Promise<WrittenEmail | undefined> {
  const transfer = await apps.findTransfer(db, parseId('trf', subject_id))
  const app = transfer && (await apps.find(db, transfer.app_id))
  const seller = transfer && (await sellers.findSeller(db, transfer.from_seller))
  if (!app || !seller || !transfer.email) return undefined
  const content = transferOffered({
    app_name: app.name,
    legal_name: seller.legal_name,
    reason: transfer.reason,
    email: transfer.email,
    expires_at: transfer.expires_at,
    url: `${config.base_url}/dashboard/transfers/`,
  })
  return { to: [transfer.email], content }
}

async function writeTransferDecided(
  { db, config }: World,
  { subject_id, facts }: StoredEmail<'app_transfer_decided'>,
): Promise<WrittenEmail | undefined> {
  const transfer = await apps.findTransfer(db, parseId('trf', subject_id))
  const app = transfer && (await apps.find(db, transfer.app_id))
  const to_seller = transfer?.to_seller && (await sellers.findSeller(db, transfer.to_seller))
  const seller_id = facts.to === 'new' ? transfer?.to_seller : transfer?.from_seller
  if (!app || !seller_id) return undefined
  const owners = { permission: 'transfer_apps' } as const
  const to = await sellers.recipientsOf(db, seller_id, owners)
  const page =
    facts.to === 'new' ? `/dashboard/apps/${app.slug}/` : pageOfSeller('/dashboard/', seller_id)
  const content = transferDecided({
    app_name: app.name,
    to: facts.to,
    legal_name: to_seller ? to_seller.legal_name : undefined,
    url: `${config.base_url}${page}`,
  })
  return { to, content }
}
