import { Secret, TOTP } from 'otpauth'
import type { UserId } from '#platform/ids'
import type { Random } from '#platform/random'
import type { KeyRing } from '#platform/secrets'

const ISSUER = 'Purser'
const STEP_SECONDS = 30
// Tolerates a clock that is half a minute off, or a slow typist.
const STEPS_OFF = 1
const PURPOSE = 'authenticator-app'
const SECRET_BYTES = 20

function codes(secret: string, label = ''): TOTP {
  return new TOTP({
    issuer: ISSUER,
    label,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: STEP_SECONDS,
  })
}

/** A new secret of 160 random bits, sealed for the account that it belongs to. */
export function mintAuthenticatorSecret(keys: KeyRing, random: Random, user_id: UserId): Buffer {
  const bytes = Uint8Array.from(random.bytes(SECRET_BYTES))
  return keys.seal(random, PURPOSE, user_id, new Secret({ buffer: bytes.buffer }).base32)
}

/** The secret in base32, as people type it. */
export function openAuthenticatorSecret(
  keys: KeyRing,
  app: { user_id: UserId; secret_sealed: Buffer },
): string {
  return keys.open(PURPOSE, app.user_id, app.secret_sealed)
}

/** The URI that an authenticator app reads from the QR code. */
export function authenticatorUri(secret: string, email: string): string {
  return codes(secret, email).toString()
}

/** The time step of a code: the current one, or an adjacent one. Undefined for any other code. */
export function stepOfCode(secret: string, now: Date, text: string): number | undefined {
  const token = text.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const totp = codes(secret)
  const timestamp = now.getTime()
  const off = totp.validate({ token, timestamp, window: STEPS_OFF })
  return off === null ? undefined : totp.counter({ timestamp }) + off
}
