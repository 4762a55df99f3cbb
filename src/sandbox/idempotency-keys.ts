import { KeyConflict } from '#domain/payments'
import { sha256 } from '#platform/secrets'

/** A digest of a request's content, for comparison. */
export function hashOf(fields: unknown[]): string {
  return sha256(JSON.stringify(fields)).toString('hex')
}

/** The request with this key; throws KeyConflict if its content differed. */
export function requireSameRequest<Known extends { request_hash: string | null }>(
  known: Known | undefined,
  request_hash: string,
): Known {
  if (!known) throw new Error('no request has this key')
  if (known.request_hash !== null && known.request_hash !== request_hash) {
    throw new KeyConflict('this idempotency key was used for a different request')
  }
  return known
}
