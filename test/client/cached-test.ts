/** Caches over a client whose answers a test decides. */
import {
  type CacheOptions,
  type Client,
  cachedValidator,
  type LicenseState,
  PurserError,
  UnreachableError,
} from '@purser/client'

export const start = Date.parse('2026-03-01T00:00:00Z')
export const nowhere = { status: null, code: 'unreachable', request_id: null }
export const unreachable = new UnreachableError('down', nowhere)
export const unknown = new PurserError('unknown', { ...nowhere, status: 404, code: 'unknown_key' })

/** A cache whose ages are exact. */
export function steady(client: Pick<Client, 'validate'>, options: CacheOptions) {
  return cachedValidator(client, { jitter: 0, ...options })
}

/** A client whose next answer can be set, and which counts how often it was asked. */
export function scripted(first: object | Error) {
  const client = {
    answer: first as LicenseState | Error,
    requests: 0,
    async validate() {
      client.requests++
      if (client.answer instanceof Error) throw client.answer
      return client.answer
    },
  }
  return client
}
