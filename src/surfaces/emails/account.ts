import * as identity from '#domain/identity'
import { recipientOfDeletion } from '#flows/account'
import { INVITATION_HOURS } from '#flows/staff-actions'
import type { World } from '#flows/world'
import type { EmailTemplate, StoredEmail } from '#platform/email-queue'
import { parseId, type UserId } from '#platform/ids'
import type { Locale } from '#platform/language/locale'
import {
  accountDeleted,
  accountExists,
  confirmNewEmail,
  emailChange,
  newEmailTaken,
  securityChanged,
  setPassword,
  signInLink,
  signUpLink,
  staffInvitation,
} from './account-templates.ts'
import { link, signUpUrl, staffUrl } from './link.ts'
import type { EmailWriters, WrittenEmail } from './template.ts'

/** Emails to the owner of an account, about signing in and its safety. */
export const ACCOUNT_EMAILS = {
  account_deleted: writeDeleted,
  sign_in: writeEntry,
  set_password: writeEntry,
  sign_up: writeSignUp,
  security: writeSecurity,
  change_email: writeToNewEmail,
  email_change_requested: writeToOldEmail,
  email_changed: writeToOldEmail,
  staff_invitation: writeStaffInvitation,
} satisfies Partial<EmailWriters<EmailTemplate>>

async function writeDeleted(
  world: World,
  email: StoredEmail<'account_deleted'>,
): Promise<WrittenEmail> {
  const { subject_id, facts } = email
  const to = recipientOfDeletion(world, subject_id, facts.sealed_to)
  const locale = await localeOfUser(world, parseId('usr', subject_id))
  return { to: [to], locale, content: accountDeleted(locale, world.config.operator.support_email) }
}

/** The language of an account's emails. */
async function localeOfUser({ db, languages }: World, user_id: UserId): Promise<Locale> {
  return languages.named((await identity.findUser(db, user_id))?.language)
}

/** The account with this email, unless it is locked or deleted. */
async function openAccount({ db }: World, email_normalized: string) {
  const user = await identity.findByEmail(db, email_normalized)
  return user?.locked_at === null ? user : undefined
}

async function writeEntry(
  world: World,
  email: StoredEmail<'sign_in' | 'set_password'>,
): Promise<WrittenEmail | undefined> {
  const user = await openAccount(world, email.subject_id)
  if (!user) return undefined
  const facts = { user_id: user.id, sent_to: user.email, return_to: email.facts.return_to }
  const reset = { ...facts, life_seconds: identity.RESET_SECONDS }
  const locale = world.languages.named(email.facts.language ?? user.language)
  const content =
    email.kind === 'sign_in'
      ? signInLink(locale, await link(world, 'sign_in', facts))
      : setPassword(locale, await link(world, 'set_password', reset))
  return { to: [user.email], locale, content }
}

async function writeSignUp(
  world: World,
  email: StoredEmail<'sign_up'>,
): Promise<WrittenEmail | undefined> {
  const typed = await identity.findSignUp(world.db, parseId('sup', email.subject_id))
  if (!typed) return undefined
  const user = await identity.findByEmail(world.db, typed.email_normalized)
  if (user?.locked_at) return undefined
  const locale = world.languages.named(typed.language)
  if (!user) {
    const content = signUpLink(locale, await signUpUrl(world, typed.id))
    return { to: [typed.email], locale, content }
  }
  const return_to = typed.return_to ?? undefined
  const facts = { user_id: user.id, sent_to: user.email, return_to }
  const content = accountExists(locale, await link(world, 'sign_in', facts))
  return { to: [user.email], locale, content }
}

async function writeSecurity(world: World, email: StoredEmail<'security'>): Promise<WrittenEmail> {
  const user = await identity.getUser(world.db, parseId('usr', email.subject_id))
  const { base_url } = world.config
  const urls = { security: `${base_url}/account/security/`, sign_in: `${base_url}/signin/` }
  const locale = world.languages.named(user.language)
  return { to: [user.email], locale, content: securityChanged(locale, email.facts, urls) }
}

async function writeToNewEmail(
  world: World,
  email: StoredEmail<'change_email'>,
): Promise<WrittenEmail | undefined> {
  const change = await identity.findEmailChange(world.db, parseId('ech', email.subject_id))
  if (!change || change.done_at || change.ended_at) return undefined
  const taken = await identity.findByEmail(world.db, change.new_email_normalized)
  if (taken) {
    const locale = world.languages.named(taken.language)
    return { to: [taken.email], locale, content: newEmailTaken(locale) }
  }
  const { user_id, old_email, id } = change
  const url = await link(world, 'change_email', { user_id, about: id })
  const locale = await localeOfUser(world, user_id)
  const content = confirmNewEmail(locale, old_email, url)
  return { to: [change.new_email], locale, content }
}

async function writeToOldEmail(
  world: World,
  email: StoredEmail<'email_change_requested' | 'email_changed'>,
): Promise<WrittenEmail | undefined> {
  const change = await identity.findEmailChange(world.db, parseId('ech', email.subject_id))
  if (!change || change.ended_at) return undefined
  const { user_id, old_email, id } = change
  const url = await link(world, 'undo_email', { user_id, about: id })
  const locale = await localeOfUser(world, user_id)
  return { to: [old_email], locale, content: emailChange(locale, change, url) }
}

async function writeStaffInvitation(
  world: World,
  email: StoredEmail<'staff_invitation'>,
): Promise<WrittenEmail | undefined> {
  const { db, clock, config } = world
  const id = parseId('sti', email.subject_id)
  const invitation = await identity.findStaffInvitation(db, clock.now(), id)
  if (!invitation) return undefined
  const { invited_by, role } = invitation
  const inviter = invited_by && (await identity.findUser(db, invited_by))
  const facts = {
    operator: config.operator.legal_name,
    inviter: inviter?.email ?? '',
    role,
    hours: INVITATION_HOURS,
  }
  const url = await staffUrl(world, invitation)
  return { to: [invitation.email], content: staffInvitation(facts, url) }
}
