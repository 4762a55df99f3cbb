import type { UserId } from '#platform/ids'
import type { Random } from '#platform/random'
import type { KeyRing } from '#platform/secrets'

/** The number of codes that an account gets at once. */
const RECOVERY_CODES = 10
const GROUPS = 3
const GROUP_LENGTH = 4
// Without i, l, o and u, which are misread or form words.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** New recovery codes such as `7k2m-9x4q-h3tz`, of 60 random bits each. */
export function mintRecoveryCodes(random: Random): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    Array.from({ length: GROUPS }, () =>
      [...random.bytes(GROUP_LENGTH)].map((byte) => ALPHABET[byte & 31]).join(''),
    ).join('-'),
  )
}

/**
 * The keyed hashes of a code, however it is typed; under every key of the ring, the current first.
 */
export function recoveryCodeHashes(keys: KeyRing, user_id: UserId, text: string): Buffer[] {
  const code = text
    .toLowerCase()
    .replaceAll(/[^0-9a-z]/g, '')
    .replaceAll('o', '0')
    .replaceAll(/[il]/g, '1')
  return keys.hmacs('recovery-code', `${user_id} ${code}`)
}
