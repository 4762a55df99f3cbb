import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import type { Random } from '#platform/random'

/**
 * The service's key ring. `SECRET_KEY` contains one or more keys, the current one first; older ones
 * still open and verify what they sealed or signed. Each purpose has its own key.
 */
export interface KeyRing {
  /** A keyed hash under the current key. */
  hmac(purpose: string, text: string): Buffer
  /** The keyed hashes of a text under every key of the ring, the current one first. */
  hmacs(purpose: string, text: string): Buffer[]
  /** Whether a keyed hash is of this text, under any key of the ring; in constant time. */
  verify(purpose: string, text: string, given: Buffer): boolean
  /** Encrypts a text (AES-256-GCM); `bound` must be the same to open it. */
  seal(random: Random, purpose: string, bound: string, text: string): Buffer
  /** Decrypts what `seal` returned; throws if it was altered or bound to something else. */
  open(purpose: string, bound: string, sealed: Buffer): string
}

const NONCE_LENGTH = 12
const TAG_LENGTH = 16
const CIPHER = 'aes-256-gcm'

/** A purpose's key, in the form that is cheapest to use, and the tag of what it sealed. */
interface Key {
  secret: KeyObject
  fingerprint: Buffer
}

/** Builds the ring from master keys of at least 32 bytes, the current one first. */
export function keyRing(masters: Buffer[]): KeyRing {
  if (masters.length === 0 || masters.some((master) => master.length < 32)) {
    throw new RangeError('a key ring needs keys of at least 32 bytes')
  }
  const derived = new Map<string, Key[]>()
  const keys = (purpose: string): Key[] => {
    const known = derived.get(purpose)
    if (known) return known
    const made = masters.map((master) => {
      const bytes = Buffer.from(hkdfSync('sha256', master, '', purpose, 32))
      return { secret: createSecretKey(bytes), fingerprint: sha256(bytes).subarray(0, 4) }
    })
    derived.set(purpose, made)
    return made
  }
  return {
    hmac: (purpose, text) => keyedHash(keys(purpose)[0]!.secret, text),
    hmacs: (purpose, text) => keys(purpose).map(({ secret }) => keyedHash(secret, text)),
    verify: (purpose, text, given) =>
      keys(purpose).some(({ secret }) => sameDigest(keyedHash(secret, text), given)),
    seal(random, purpose, bound, text) {
      const { secret, fingerprint } = keys(purpose)[0]!
      const nonce = random.bytes(NONCE_LENGTH)
      const cipher = createCipheriv(CIPHER, secret, nonce).setAAD(Buffer.from(bound))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([fingerprint, nonce, cipher.getAuthTag(), body])
    },
    open(purpose, bound, sealed) {
      const key = keys(purpose).find(({ fingerprint }) => fingerprint.equals(sealed.subarray(0, 4)))
      if (!key) throw new Error('sealed under a key that is no longer on the ring')
      const nonce = sealed.subarray(4, 4 + NONCE_LENGTH)
      const tag = sealed.subarray(4 + NONCE_LENGTH, 4 + NONCE_LENGTH + TAG_LENGTH)
      const lengths = { authTagLength: TAG_LENGTH }
      const decipher = createDecipheriv(CIPHER, key.secret, nonce, lengths).setAAD(
        Buffer.from(bound),
      )
      decipher.setAuthTag(tag)
      const body = sealed.subarray(4 + NONCE_LENGTH + TAG_LENGTH)
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
    },
  }
}

/** Another master key, which reveals nothing of the one that it is derived from. */
export function deriveMaster(master: Buffer, name: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, 'derived master key', name, 32))
}

function keyedHash(key: KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** SHA-256, for secrets that are random enough to need no salt or stretching. */
export function sha256(data: string | Buffer): Buffer {
  return hash('sha256', data, 'buffer')
}

/** Compares two digests in constant time. */
export function sameDigest(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

/** A new URL-safe secret of `bits` random bits. */
export function mintSecret(random: Random, bits = 256): string {
  return random.bytes(bits / 8).toString('base64url')
}
