import { z } from 'zod'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import type { LicenseId } from '#platform/ids'
import type { Locale, MessageId } from '#platform/language/locale'
import { ownValue } from '#platform/record'
import { readToken, signToken, type TokenKind } from '#platform/signed-token'
import { durationText } from '#platform/text'

/** A message about what was just done. */
export interface Note {
  tone: 'success' | 'info' | 'error'
  title?: string
  text: string
  /** Set if the card was declined, so that the main action is to use another one. */
  needs_other_card?: boolean
}

interface NoteMessage {
  tone: Note['tone']
  title?: MessageId
  text: MessageId
}

const success = (text: MessageId, title?: MessageId): NoteMessage => ({
  tone: 'success',
  text,
  ...(title && { title }),
})
const info = (text: MessageId): NoteMessage => ({ tone: 'info', text })
const error = (text: MessageId, title: MessageId): NoteMessage => ({ tone: 'error', text, title })

/** Messages by the code in the address. */
const NOTES = {
  paid: success('portal.done_paid'),
  resumed: success('portal.done_resumed'),
  plan_changed: success('portal.done_plan_changed'),
  scheduled: success('portal.done_planned'),
  kept: success('portal.done_kept'),
  kept_too_late: info('portal.done_kept_too_late'),
  cannot_change_plan: info('portal.done_cannot_change_plan'),
  changed: error('portal.done_changed', 'portal.done_changed_title'),
  not_done: error('portal.done_not_done', 'portal.done_not_done_title'),
  not_charged: error('portal.done_not_charged', 'portal.done_not_charged_title'),
  card_changed: success('portal.done_card_changed'),
  moved_address: success('portal.done_moved_address'),
  card_same: info('portal.done_card_same'),
  card_abroad: error('portal.done_card_abroad', 'portal.done_card_refused_title'),
  card_unknown_zip: error('portal.done_card_unknown_zip', 'portal.done_card_refused_title'),
  auto_renew_off: success('portal.done_auto_renew_off', 'portal.done_auto_renew_off_title'),
  auto_renew_off_paying: success(
    'portal.done_auto_renew_off_paying',
    'portal.done_auto_renew_off_title',
  ),
  auto_renew_on: success('portal.done_auto_renew_on'),
  pause_on: success('portal.done_pause_on'),
  pause_off: success('portal.done_pause_off'),
  key_replaced: success('portal.done_key_replaced', 'portal.done_key_replaced_title'),
  receipt_sent: success('portal.done_receipt_sent'),
}

/** The code of what was done: one of the messages, a declined charge, or a wait in seconds. */
export type LicenseDone = keyof typeof NOTES | 'declined' | `receipt_wait_${number}`

const WAIT = /^receipt_wait_(\d+)$/

/** The code for a receipt that was resent too often, with the seconds to wait. */
export function receiptWait(seconds: number): LicenseDone {
  return `receipt_wait_${seconds}`
}

/** What has just happened to a license. */
const DONE: TokenKind<string> = { purpose: 'done', seconds: 300, facts: z.string() }

/** A signed code for what was just done, so that links cannot fake it. */
export function signDone(world: World, license_id: LicenseId, done: LicenseDone): string {
  return signToken(world, DONE, done, { about: license_id })
}

/** The message about what was just done; undefined if nothing was. */
export async function noteOf(
  world: World,
  license_id: LicenseId,
  token: string | undefined,
  locale: Locale,
): Promise<Note | undefined> {
  const { t } = locale
  const done = readToken(world, DONE, token, { about: license_id })
  if (done === undefined) return undefined
  const wait = WAIT.exec(done)
  if (wait) {
    const text = t('portal.done_receipt_wait', { wait: durationText(Number(wait[1]), locale) })
    return { tone: 'info', text }
  }
  if (done !== 'declined') {
    const message = ownValue<NoteMessage>(NOTES, done)
    if (!message) return undefined
    const { tone, text, title } = message
    return { tone, text: t(text), ...(title && { title: t(title) }) }
  }
  const attempt = await payments.latestOfLicense(world.db, license_id)
  if (attempt?.status !== 'declined') return undefined
  const code = attempt.decline_code!
  return {
    tone: 'error',
    title: payments.declineTitle(code, locale),
    text: `${payments.declineSentence(code, locale)} ${t('portal.done_nothing')}`,
    needs_other_card: payments.needsOtherCard(code),
  }
}
