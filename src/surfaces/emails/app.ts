import * as apps from '#domain/apps'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import type { EmailTemplate, StoredEmail } from '#platform/email-queue'
import { parseId } from '#platform/ids'
import { approvalDecided, memberInvitation } from './app-templates.ts'
import type { EmailWriters, WrittenEmail } from './template.ts'

/** The emails to a seller's members about an app or the team. */
export const APP_EMAILS = {
  approval_decided: writeDecision,
  member_invitation: writeInvitation,
} satisfies Partial<EmailWriters<EmailTemplate>>

async function writeDecision(
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
  return { to: to.join(', '), content }
}

async function writeInvitation(
  { db, clock, config }: World,
  { subject_id }: StoredEmail,
): Promise<WrittenEmail | undefined> {
  const invitation = await sellers.findInvitation(db, clock.now(), parseId('mbi', subject_id))
  if (!invitation) return undefined
  const url = `${config.base_url}/dashboard/invitations/`
  return { to: invitation.email, content: memberInvitation(invitation, url) }
}
