import { KeyConflict } from '#domain/payments'
import { sha256 } from '#platform/secrets'

/** What a request says, as a text of fixed length to compare another with. */
export function hashOf(said: unknown[]): string {
  return sha256(JSON.stringify(said)).toString('hex')
}

/** The request of a key; KeyConflict where it said something else. */
export function sameRequest<Known extends { request_hash: string | null }>(
  known: Known | undefined,
  request_hash: string,
): Known {
  if (!known) throw new Error('a key is taken by no request')
  if (known.request_hash !== null && known.request_hash !== request_hash) {
    throw new KeyConflict('this key was used for a request that said something else')
  }
  return known
}
