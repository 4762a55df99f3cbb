import { addDays } from '#platform/calendar'
import { type LicenseId, type OrderId, readId } from '#platform/ids'
import type { KeyRing } from '#platform/secrets'

const PURPOSE = 'order-reference'
const VERSION = 1
const LIFE_DAYS = 1
const ID_LENGTH = 'ord_'.length + 22
const HEAD_LENGTH = 1 + 6 + ID_LENGTH
const MAC_LENGTH = 32

/**
 * Signs a reference to an order for one client: opaque, URL-safe, valid for 24 hours (spec:
 * Resources, order reference). It names the order, or the license of a preview, which has no order;
 * it contains no secret.
 */
export function signReference(
  keys: KeyRing,
  now: Date,
  facts: { client_id: string; order_id: OrderId | LicenseId },
): string {
  const head = Buffer.alloc(HEAD_LENGTH)
  head.writeUInt8(VERSION, 0)
  head.writeUIntBE(Math.floor(addDays(now, LIFE_DAYS).getTime() / 1000), 1, 6)
  head.write(facts.order_id, 7, ID_LENGTH, 'ascii')
  const signature = keys.hmac(PURPOSE, signedText(facts.client_id, head))
  return Buffer.concat([head, signature]).toString('base64url')
}

/**
 * The order that a reference names; undefined if it is forged, another client's, malformed or
 * expired.
 */
export function readReference(
  keys: KeyRing,
  now: Date,
  facts: { client_id: string; reference: string },
): OrderId | LicenseId | undefined {
  if (!/^[\w-]{1,200}$/.test(facts.reference)) return undefined
  const bytes = Buffer.from(facts.reference, 'base64url')
  // The same bytes have several spellings in base64; only the one that was issued is valid.
  if (bytes.toString('base64url') !== facts.reference) return undefined
  if (bytes.length !== HEAD_LENGTH + MAC_LENGTH || bytes[0] !== VERSION) return undefined
  const head = bytes.subarray(0, HEAD_LENGTH)
  const given = bytes.subarray(HEAD_LENGTH)
  if (!keys.verify(PURPOSE, signedText(facts.client_id, head), given)) return undefined
  if (head.readUIntBE(1, 6) * 1000 <= now.getTime()) return undefined
  const text = head.toString('ascii', 7)
  return readId('ord', text) ?? readId('lic', text)
}

function signedText(client_id: string, head: Buffer): string {
  return `${client_id} ${head.toString('base64url')}`
}
