import { z } from 'zod'
import type { Random } from '#platform/random'

/** The prefix of each kind of id of the service. */
type OwnPrefix =
  | (
      | 'aff'
      | 'agt'
      | 'alm'
      | 'app'
      | 'apr'
      | 'att'
      | 'bpy'
      | 'card'
      | 'cart'
      | 'ch'
      | 'chg'
      | 'disc'
      | 'dsp'
      | 'ech'
    )
  | (
      | 'email'
      | 'exr'
      | 'img'
      | 'imp'
      | 'inv'
      | 'lic'
      | 'mbi'
      | 'ord'
      | 'po'
      | 'prc'
      | 'prod'
      | 'psk'
      | 'quote'
      | 'ref'
      | 'rei'
      | 'rem'
    )
  | (
      | 'req'
      | 'sbk'
      | 'sel'
      | 'ses'
      | 'sub'
      | 'sti'
      | 'sup'
      | 'task'
      | 'trf'
      | 'txn'
      | 'usr'
      | 'wof'
      | 'wor'
    )

/** The prefix of each kind of id of the sandbox, some of them Stripe's. */
type SandboxPrefix = 'acct' | 'bt' | 'ce' | 'chl' | 'dp' | 'evt' | 'obd' | 'ptl' | 're'

/** The prefixes of idempotency keys that belong to no row. */
type KeyPrefix = 'evidence' | 'onboarding' | 'portal' | 'reversal' | 'tax'

/** Every prefix that an id is minted with. */
export type IdPrefix = OwnPrefix | SandboxPrefix | KeyPrefix

declare const prefixOf: unique symbol

/**
 * A text that is an id with this prefix: no other text, and no id with another prefix, is
 * assignable to it (decision 96).
 */
export type Id<Prefix extends IdPrefix> = string & { readonly [prefixOf]: Prefix }

export type AffiliateId = Id<'aff'>
export type AgentId = Id<'agt'>
export type AlarmId = Id<'alm'>
export type AppId = Id<'app'>
export type ApprovalId = Id<'apr'>
export type AttemptId = Id<'att'>
export type BuyerPaymentId = Id<'bpy'>
export type CardId = Id<'card'>
export type CartId = Id<'cart'>
export type ChangeId = Id<'chg'>
export type ChargeId = Id<'ch'>
export type DiscountId = Id<'disc'>
export type DisputeId = Id<'dsp'>
export type EmailChangeId = Id<'ech'>
export type EmailId = Id<'email'>
export type ExcessRepaymentId = Id<'exr'>
export type ImageId = Id<'img'>
export type ImportId = Id<'imp'>
export type InvoiceId = Id<'inv'>
export type LicenseId = Id<'lic'>
export type MemberInvitationId = Id<'mbi'>
export type OrderId = Id<'ord'>
export type PasskeyId = Id<'psk'>
export type PayoutId = Id<'po'>
export type PriceId = Id<'prc'>
export type ProductId = Id<'prod'>
export type QuoteId = Id<'quote'>
export type RefundId = Id<'ref'>
export type ReissueId = Id<'rei'>
export type RemittanceId = Id<'rem'>
export type SellerId = Id<'sel'>
export type SessionId = Id<'ses'>
export type SignUpId = Id<'sup'>
export type StaffInvitationId = Id<'sti'>
export type SubscriptionId = Id<'sub'>
export type SuspenseBookingId = Id<'sbk'>
export type TaskId = Id<'task'>
export type TransactionId = Id<'txn'>
export type TransferId = Id<'trf'>
export type UserId = Id<'usr'>
export type WriteOffId = Id<'wof'>
export type WriteOffReversalId = Id<'wor'>

/** A text by which a processor names something of its own; no id of the service is assignable. */
export type ProcessorId = string & { readonly [prefixOf]?: never }

/** Who is paid out: a seller or an affiliate. */
export type PayeeId = SellerId | AffiliateId

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CODES = Buffer.from(ALPHABET, 'latin1')
const ID_LENGTH = 22

/** `length` characters of base62, each drawn without bias. */
export function base62(random: Random, length: number): string {
  const text = Buffer.allocUnsafe(length)
  let written = 0
  while (written < length) {
    for (const byte of random.bytes(length + 4)) {
      // Six bits of a byte; the two values beyond the alphabet are drawn again, to avoid bias.
      const index = byte & 63
      if (index < 62 && written < length) text[written++] = CODES[index]!
    }
  }
  return text.toString('latin1')
}

/** The base62 spelling of an unsigned number, padded to `length`. */
export function toBase62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) {
    text = ALPHABET[rest % 62] + text
  }
  return text
}

/** A new random id such as `lic_5hJ…`: the prefix and 22 base62 characters (131 bits). */
export function mintId<Prefix extends IdPrefix>(random: Random, prefix: Prefix): Id<Prefix> {
  return `${prefix}_${base62(random, ID_LENGTH)}` as Id<Prefix>
}

/** Ids drawn at once by `idSource`. */
const DRAWN_AT_ONCE = 64

/** Mints ids of one kind like `mintId`, for a third of the time: it draws many of them at once. */
export function idSource<Prefix extends IdPrefix>(
  random: Random,
  prefix: Prefix,
): () => Id<Prefix> {
  let drawn = ''
  let next = DRAWN_AT_ONCE
  return () => {
    if (next === DRAWN_AT_ONCE) {
      drawn = base62(random, DRAWN_AT_ONCE * ID_LENGTH)
      next = 0
    }
    const from = next++ * ID_LENGTH
    return `${prefix}_${drawn.slice(from, from + ID_LENGTH)}` as Id<Prefix>
  }
}

/** Whether a text has the shape of an id with this prefix. */
export function isId<Prefix extends IdPrefix>(prefix: Prefix, text: string): text is Id<Prefix> {
  const body = text.startsWith(`${prefix}_`) ? text.slice(prefix.length + 1) : ''
  return body.length === ID_LENGTH && /^[0-9A-Za-z]+$/.test(body)
}

/** A text from outside as an id; undefined if it is not an id with this prefix. */
export function readId<Prefix extends IdPrefix>(
  prefix: Prefix,
  text: string | undefined,
): Id<Prefix> | undefined {
  return text !== undefined && isId(prefix, text) ? text : undefined
}

/** The id of a seller or an affiliate in a text from outside; undefined for any other. */
export function readPayeeId(text: string | undefined): PayeeId | undefined {
  return readId('sel', text) ?? readId('aff', text)
}

/** The schema of an id with this prefix, for JSON that returns from outside. */
export function idSchema<Prefix extends IdPrefix>(prefix: Prefix): z.ZodType<Id<Prefix>> {
  return z.custom<Id<Prefix>>((value) => typeof value === 'string' && isId(prefix, value))
}

/** A text that the service wrote itself as an id; throws if it is not an id with this prefix. */
export function parseId<Prefix extends IdPrefix>(prefix: Prefix, text: string): Id<Prefix> {
  if (!isId(prefix, text)) throw new TypeError(`not an id with the prefix ${prefix}: ${text}`)
  return text
}

/** A text that the service wrote itself as a payee's id; throws if it is none. */
export function parsePayeeId(text: string): PayeeId {
  return readId('aff', text) ?? parseId('sel', text)
}
