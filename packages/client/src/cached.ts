/**
 * Validation with a cache: the service sends no events, so validate again when an entry expires
 * (spec: Events).
 */
import type { Client } from './client.ts'
import { RateLimitedError, UnreachableError } from './errors.ts'
import type { LicenseState } from './types.ts'

/**
 * A cached state, and the times (milliseconds since 1970) until which it is fresh, and then usable.
 */
export type CacheEntry = { state: LicenseState; fresh_until: number; usable_until: number }

/** Stores entries by license key: a Map, or a shared cache. */
export type CacheStore = {
  get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>
  set(key: string, entry: CacheEntry): unknown
  delete(key: string): unknown
}

export type Validator = {
  /** Like the client's `validate`, with the same errors. */
  validate(key: string): Promise<LicenseState>
  /** Drops a key, so that the next validation calls the service. */
  forget(key: string): Promise<void>
}

const OUTAGE_PAUSE_MS = 5_000

/**
 * Caches an entitled license until its `period_end`, and never longer than `max_age_seconds`.
 * Errors and licenses that are not entitled are never cached, so that a buyer who updates a card
 * gets access at once. While the service is unreachable or limits you, the last valid state is used
 * for `grace_seconds` more (default one hour), but not past the day on which a canceled license
 * ends.
 */
export function cachedValidator(
  client: Pick<Client, 'validate'>,
  options: {
    max_age_seconds: number
    grace_seconds?: number | undefined
    store?: CacheStore | undefined
  },
): Validator {
  const { max_age_seconds, grace_seconds = 3600, store = boundedMap(10_000) } = options
  let ask_again_at = 0

  async function ask(key: string, kept: CacheEntry | undefined): Promise<LicenseState> {
    const now = Date.now()
    const fallback = kept && now < kept.usable_until ? kept.state : undefined
    if (fallback && now < ask_again_at) return fallback
    try {
      const state = await client.validate(key)
      if (state.entitled) await store.set(key, entryOf(state, now))
      else await store.delete(key)
      return state
    } catch (error) {
      const limited = error instanceof RateLimitedError
      if (!limited && !(error instanceof UnreachableError)) {
        await store.delete(key)
        throw error
      }
      ask_again_at = Date.now() + (limited ? error.retry_after * 1000 : OUTAGE_PAUSE_MS)
      if (fallback) return fallback
      throw error
    }
  }

  function entryOf(state: LicenseState, now: number): CacheEntry {
    const aged_at = now + max_age_seconds * 1000
    return {
      state,
      fresh_until: Math.min(aged_at, startOf(state.period_end)),
      usable_until: Math.min(aged_at + grace_seconds * 1000, startOf(state.canceled_at)),
    }
  }

  return {
    async validate(key) {
      const kept = await store.get(key)
      return kept && Date.now() < kept.fresh_until ? kept.state : ask(key, kept)
    },
    async forget(key) {
      await store.delete(key)
    },
  }
}

/** The first instant of a UTC day; infinity without a day. */
function startOf(day: string | null): number {
  return day === null ? Number.POSITIVE_INFINITY : Date.parse(day)
}

/** A Map that drops its oldest entry when it is full. */
function boundedMap(limit: number): CacheStore {
  const entries = new Map<string, CacheEntry>()
  return {
    get: (key) => entries.get(key),
    set(key, entry) {
      entries.delete(key)
      entries.set(key, entry)
      for (const oldest of entries.keys()) {
        if (entries.size <= limit) break
        entries.delete(oldest)
      }
    },
    delete: (key) => entries.delete(key),
  }
}
