import { crc32 } from 'node:zlib'
import { base62, type LicenseId, toBase62 } from '#platform/ids'
import type { Random } from '#platform/random'
import type { KeyRing } from '#platform/secrets'

const PREFIX = 'key_'
// 27 characters of base62 encode 160 bits; six more are a checksum for typing errors.
const BODY_LENGTH = 27
const CHECKSUM_LENGTH = 6
const LOOKUP = 'license-key-lookup'
const DISPLAY = 'license-key-display'

/** A new license key: `key_`, 160 random bits and a checksum, in base62. */
export function mintKey(random: Random): string {
  const body = base62(random, BODY_LENGTH)
  return `${PREFIX}${body}${checksum(body)}`
}

/** Whether a text is a key without typing errors; it may still be unknown. */
export function isWellFormedKey(text: string): boolean {
  const body = text.slice(PREFIX.length, PREFIX.length + BODY_LENGTH)
  return body.length === BODY_LENGTH && text === `${PREFIX}${body}${checksum(body)}`
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH)
}

/** The keyed hash under which a new key is stored. */
export function keyHash(keys: KeyRing, license_key: string): Buffer {
  return keys.hmac(LOOKUP, license_key)
}

/** The keyed hashes under which a key may be stored, one for each key of the ring. */
export function keyHashes(keys: KeyRing, license_key: string): Buffer[] {
  return keys.hmacs(LOOKUP, license_key)
}

// Long enough for the signed keys of other services.
const MAX_ALIAS_LENGTH = 512

/**
 * A key of another service as it is stored: trimmed, with its case kept. Undefined for a text that
 * is empty, longer than 512 characters or not printable: no key of another service looks like it.
 */
export function readAlias(text: string): string | undefined {
  const alias = text.trim()
  const isUsable = alias.length > 0 && alias.length <= MAX_ALIAS_LENGTH && !/\p{Cc}/u.test(alias)
  return isUsable && alias.isWellFormed() ? alias : undefined
}

/** What creates and seals keys. */
export interface KeyTools {
  keys: KeyRing
  random: Random
}

/** A new key for a license, with what is stored of it: only its own license can show it again. */
export function newKey(
  { keys, random }: KeyTools,
  license_id: LicenseId,
): { license_key: string; key_hash: Buffer; key_sealed: Buffer } {
  const license_key = mintKey(random)
  const key_hash = keyHash(keys, license_key)
  return { license_key, key_hash, key_sealed: keys.seal(random, DISPLAY, license_id, license_key) }
}

/** The key of a license, for its owner. */
export function showKey(
  keys: KeyRing,
  { license_id, key_sealed }: { license_id: LicenseId; key_sealed: Buffer },
): string {
  return keys.open(DISPLAY, license_id, key_sealed)
}

/** Names the current key of a license, for a form that is about it, without revealing it. */
export function keyName({ rotated_at }: { rotated_at: Date | null }): string {
  return rotated_at?.toISOString() ?? 'the first'
}
