import { z } from 'zod'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import type { LicenseId } from '#platform/ids'
import { readToken, signToken, type TokenKind } from '#platform/signed-token'
import { durationText } from '#platform/text'
import type { Note } from './layout.tsx'

const NOTHING = 'Nothing was charged, and your plan is unchanged.'

/** Messages by the code in the address. */
const NOTES: Record<string, Note> = {
  paid: { tone: 'success', text: 'The payment went through, and your license is active.' },
  plan_changed: { tone: 'success', text: 'Plan changed. Your key stays the same.' },
  planned: {
    tone: 'success',
    text: 'Plan change scheduled. You keep your current plan until then.',
  },
  kept: { tone: 'success', text: 'Plan change canceled. You keep your plan.' },
  cannot_change_plan: {
    tone: 'info',
    text: 'Turn on auto-renew first. This plan change happens on your renewal date.',
  },
  changed: {
    tone: 'error',
    title: 'Your order has changed',
    text: 'The figures changed since the last page. Nothing was charged. Review them again.',
  },
  not_charged: {
    tone: 'error',
    title: 'Nothing was charged',
    text: 'We could not reach your bank. The payment was canceled. Try again.',
  },
  card_changed: { tone: 'success', text: 'Card updated. Future charges use this card.' },
  moved_address: {
    tone: 'success',
    text: 'Card updated. Future charges use this card and are taxed at your new address.',
  },
  card_same: { tone: 'info', text: 'The card on file was not changed.' },
  card_abroad: {
    tone: 'error',
    title: 'This card cannot be used here',
    text: 'The card’s billing address is outside the United States. The card on file was not changed. Try another card.',
  },
  card_unknown_zip: {
    tone: 'error',
    title: 'This card cannot be used here',
    text: 'The card’s billing ZIP code is not a US ZIP code. The card on file was not changed. Check the ZIP code and try again.',
  },
  auto_renew_off: {
    tone: 'success',
    title: 'Your subscription is canceled',
    text: 'Auto-renew is off. Nothing more is charged. We emailed you a confirmation.',
  },
  auto_renew_on: {
    tone: 'success',
    text: 'You keep your subscription. Auto-renew is on again.',
  },
  pause_on: { tone: 'success', text: 'Pause scheduled.' },
  pause_off: { tone: 'success', text: 'Pause canceled.' },
  key_replaced: {
    tone: 'success',
    title: 'This is your new key',
    text: 'The old key no longer works. Enter the new key wherever you used it.',
  },
  receipt_sent: { tone: 'success', text: 'We sent the receipt again.' },
}

const WAIT = /^receipt_wait_(\d+)$/

/** The code for a receipt that was resent too often, with the seconds to wait. */
export function receiptWait(seconds: number): string {
  return `receipt_wait_${seconds}`
}

function waitNote(seconds: number): Note {
  const text = `The receipt was already sent several times. Try again in ${durationText(seconds)}.`
  return { tone: 'info', text }
}

/** What has just happened to a license. */
const DONE: TokenKind<string> = { purpose: 'done', seconds: 300, facts: z.string() }

/** A signed code of what was just done, so that links cannot fake it. */
export function signDone(world: World, license_id: LicenseId, done: string): string {
  return signToken(world, DONE, done, { about: license_id })
}

/** The message about what was just done; undefined if nothing was. */
export async function noteOf(
  world: World,
  license_id: LicenseId,
  token: string | undefined,
): Promise<Note | undefined> {
  const done = readToken(world, DONE, token, { about: license_id })
  if (done === undefined) return undefined
  const wait = WAIT.exec(done)
  if (wait) return waitNote(Number(wait[1]))
  if (done !== 'declined') return NOTES[done]
  const attempt = await payments.latestOfLicense(world.db, license_id)
  if (attempt?.status !== 'declined') return undefined
  const text = `${payments.declineSentence(attempt.decline_code!)} ${NOTHING}`
  return { tone: 'error', title: 'Your card was declined', text }
}
