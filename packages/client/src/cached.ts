/**
 * Validation with a cache: the service sends no events, so validate again when an entry expires
 * (spec: Events).
 */
import type { Client } from './client.ts'
import { isPurserError, PurserError, RateLimitedError, UnreachableError } from './errors.ts'
import { createFlights, within } from './flight.ts'
import { trimKey } from './key.ts'
import { sha256 } from './signed.ts'
import { late, requireNumber } from './transport.ts'
import type { Entitlement, LicenseState } from './types.ts'

/**
 * A cached state, and the times (milliseconds since 1970) until which it is fresh, and then usable
 * while the service does not answer. `state` is null for a key that the service does not know.
 */
export type CacheEntry<State = LicenseState> = {
  state: State | null
  fresh_until: number
  usable_until: number
}

/** Stores entries by a hash of the license key or token: a Map, or a shared cache. */
export type CacheStore<State = LicenseState> = {
  get(hash: string): CacheEntry<State> | undefined | Promise<CacheEntry<State> | undefined>
  set(hash: string, entry: CacheEntry<State>): unknown
  delete(hash: string): unknown
}

export type CacheOptions<State = LicenseState> = {
  /** How long a response is fresh. */
  max_age_seconds: number
  /** How much longer it is used while the service does not answer. Default 3,600. */
  grace_seconds?: number | undefined
  /** How long `canceled` and `unknown_key` are cached. Default 30, at most `max_age_seconds`. */
  refusal_seconds?: number | undefined
  /**
   * The part of an age, 0 to 1, that chance takes off, so that entries which were stored at once do
   * not expire at once. Default 0.1.
   */
  jitter?: number | undefined
  /** How many entries the memory has; the least recently used are dropped. Default 10,000. */
  max_entries?: number | undefined
  /**
   * Replaces the memory, so that processes share a cache. If it fails or takes longer than a
   * second, the service is asked as without a cached state.
   */
  store?: CacheStore<State> | undefined
  /** Receives the errors of `store` that `forget` does not throw. Default: `console.error`. */
  on_store_error?: ((error: unknown) => void) | undefined
}

export type Validator = {
  /** Like the client's `validate`, with the same errors. */
  validate(key: string): Promise<LicenseState>
  /** Drops a key, so that the next validation calls the service. Throws the error of `store`. */
  forget(key: string): Promise<void>
}

export type EntitlementCache = {
  /** Like the client's `entitlement`, with the same errors. */
  entitlement(access_token: string): Promise<Entitlement>
  /**
   * Drops a token, so that the next call asks the service. Call it when the person signs out.
   * Throws the error of `store`.
   */
  forget(access_token: string): Promise<void>
}

/** The app that entries belong to, so that apps can share a store. */
type App = Partial<Pick<Client, 'base_url' | 'client_id'>>

const OUTAGE_PAUSE_MS = 5_000
const SLOW_MS = 2_000
const STORE_MS = 1_000

/**
 * Caches an entitled license until its `period_end`, and never longer than `max_age_seconds`. A
 * license that can become active at any moment (`past_due`, `unpaid`, `paused`) is never cached, so
 * that a buyer who updates a card gets access at once; `canceled` and an unknown key are cached for
 * `refusal_seconds`. While the service is unreachable or limits you, the last valid state is used
 * for `grace_seconds` more, but not past the day on which a canceled license ends. Other errors
 * drop it. Errors of `store` fail no validation. Throws TypeError for an option outside of its
 * limits.
 */
export function cachedValidator(
  client: Pick<Client, 'validate'> & App,
  options: CacheOptions,
): Validator {
  const cache = createCache<LicenseState>(client, options, {
    ask: (key, retries) => client.validate(key, { retries }),
    isFinal: ({ status }) => status === 'canceled',
    endsAt: ({ canceled_at }) => startOf(canceled_at),
    unknown: () =>
      new PurserError('No license of this app has this key.', {
        status: 404,
        code: 'unknown_key',
      }),
  })
  return { validate: cache.read, forget: cache.forget }
}

/**
 * Caches the entitlement of access tokens like `cachedValidator`. A sign-out at the service is
 * noticed after `max_age_seconds`, so keep it short.
 */
export function cachedEntitlements(
  client: Pick<Client, 'entitlement'> & App,
  options: CacheOptions<Entitlement>,
): EntitlementCache {
  const cache = createCache<Entitlement>(client, options, {
    ask: (token, retries) => client.entitlement(token, { retries }),
    isFinal: () => false,
    // Whether the period renews is not known, so no entry outlasts it.
    endsAt: ({ period_end }) => startOf(period_end),
  })
  return { entitlement: cache.read, forget: cache.forget }
}

/** What licenses and entitlements have in common. */
type Gate = { entitled: boolean; period_end: string | null }

type Rules<State> = {
  ask(secret: string, retries: number | undefined): Promise<State>
  /** True for a refusal that does not change. */
  isFinal(state: State): boolean
  /** When access ends for certain, in milliseconds since 1970. */
  endsAt(state: State): number
  /** The error of an entry without a state. */
  unknown?: () => PurserError
}

function createCache<State extends Gate>(
  app: App,
  options: CacheOptions<State>,
  rules: Rules<State>,
) {
  requireLimits(options)
  const most = options.max_entries ?? 10_000
  const store = options.store ?? createMemory<CacheEntry<State>>(most)
  const share = createFlights<State>(30_000)
  /** When keys were refused: an older entry, which the store did not drop, gives no grace. */
  const refused_at = createMemory<number>(most)
  /** Until then, keys that can be served from the cache cause no request. */
  let ask_again_at = 0
  /** Counts what was dropped: a request from before that does not fill the cache. */
  let dropped = 0
  const hashOf = (secret: string) =>
    sha256([app.base_url, app.client_id, trimKey(secret)].join('\n'))

  async function ask(hash: string, secret: string, retries: number | undefined): Promise<State> {
    const dropped_before = dropped
    try {
      const state = await rules.ask(secret, retries)
      if (dropped === dropped_before) await keep(hash, state)
      return state
    } catch (error) {
      if (isOutage(error)) ask_again_at = endOf(error, options)
      else await keep(hash, isPurserError(error, 'unknown_key') ? null : undefined)
      throw error
    }
  }

  async function refresh(hash: string, secret: string, kept: CacheEntry<State> | undefined) {
    const isNewer = kept && kept.fresh_until > (refused_at.get(hash) ?? 0)
    const fallback = isNewer && Date.now() < kept.usable_until && kept.state
    if (!fallback) return await ask(hash, secret, undefined)
    if (Date.now() < ask_again_at) return fallback
    try {
      // A visitor who can be served from the cache waits neither for retries nor for a timeout.
      return await within(ask(hash, secret, 0), SLOW_MS, () => Promise.reject(late()))
    } catch (error) {
      if (!isOutage(error)) throw error
      if (Date.now() >= ask_again_at) ask_again_at = endOf(error, options)
      return fallback
    }
  }

  /** Stores a response: null for an unknown key, undefined for another refusal. */
  async function keep(hash: string, state: State | null | undefined): Promise<void> {
    const entry = entryOf(state, options, rules)
    if (!state?.entitled) refused_at.set(hash, Date.now())
    await spare(() => (entry ? store.set(hash, entry) : store.delete(hash)), options)
  }

  return {
    async read(secret: string): Promise<State> {
      const hash = await hashOf(secret)
      const kept = await spare(() => store.get(hash), options)
      if (kept && Date.now() < kept.fresh_until) {
        if (kept.state) return { ...kept.state }
        if (rules.unknown) throw rules.unknown()
      }
      return { ...(await share(`${dropped} ${hash}`, () => refresh(hash, secret, kept))) }
    },
    async forget(secret: string): Promise<void> {
      dropped++
      await bounded(async () => store.delete(await hashOf(secret)))
    },
  }
}

/** The result of a call of the store. Throws its error, and one after a second without a result. */
async function bounded<Value>(call: () => Value): Promise<Awaited<Value>> {
  const late = () => Promise.reject(new Error('no answer in time'))
  return await within(Promise.resolve(call()), STORE_MS, late)
}

/** The same, or nothing for a store that fails: the service has the answer. */
function spare<Value>(
  call: () => Value,
  { on_store_error = console.error }: Pick<CacheOptions, 'on_store_error'>,
) {
  return bounded(call).catch((error: unknown) => void on_store_error(error))
}

function requireLimits<State>(options: CacheOptions<State>): void {
  requireNumber('max_age_seconds', options.max_age_seconds, 0)
  requireNumber('grace_seconds', options.grace_seconds ?? 0, 0)
  requireNumber('refusal_seconds', options.refusal_seconds ?? 0, 0)
  requireNumber('jitter', options.jitter ?? 0, 0, 1)
  requireNumber('max_entries', options.max_entries ?? 1, 1)
}

/** True for an error after which the last state is still the best that is known. */
function isOutage(error: unknown): error is RateLimitedError | UnreachableError {
  return error instanceof RateLimitedError || error instanceof UnreachableError
}

/** When to ask again after an outage, in milliseconds since 1970. */
function endOf<State>(error: RateLimitedError | UnreachableError, options: CacheOptions<State>) {
  const limited = error instanceof RateLimitedError
  return Date.now() + (limited ? error.retry_after * 1000 : shortened(OUTAGE_PAUSE_MS, options))
}

/** What to cache of a response: nothing, if it can change at any moment. */
function entryOf<State extends Gate>(
  state: State | null | undefined,
  options: CacheOptions<State>,
  rules: Rules<State>,
): CacheEntry<State> | null {
  const { max_age_seconds, grace_seconds = 3600 } = options
  const { refusal_seconds = Math.min(30, max_age_seconds) } = options
  const now = Date.now()
  if (state?.entitled) {
    const aged_at = now + shortened(max_age_seconds * 1000, options)
    const outlived_at = now + (max_age_seconds + grace_seconds) * 1000
    const fresh_until = Math.min(aged_at, startOf(state.period_end))
    return { state, fresh_until, usable_until: Math.min(outlived_at, rules.endsAt(state)) }
  }
  if (refusal_seconds === 0 || state === undefined || (state && !rules.isFinal(state))) return null
  const fresh_until = now + shortened(refusal_seconds * 1000, options)
  return { state, fresh_until, usable_until: fresh_until }
}

/** A duration without the part that chance takes off. */
function shortened(milliseconds: number, { jitter = 0.1 }: { jitter?: number | undefined }) {
  return milliseconds * (1 - jitter * Math.random())
}

/** The first instant of a UTC day; infinity without a day. */
function startOf(day: string | null): number {
  return day === null ? Number.POSITIVE_INFINITY : Date.parse(day)
}

/** A Map that drops its least recently used entry when it is full. */
function createMemory<Entry>(most: number) {
  const entries = new Map<string, Entry>()
  const set = (hash: string, entry: Entry) => {
    entries.delete(hash)
    entries.set(hash, entry)
    const [oldest = hash] = entries.keys()
    if (entries.size > most) entries.delete(oldest)
  }
  return {
    get(hash: string) {
      const entry = entries.get(hash)
      if (entry) set(hash, entry)
      return entry
    },
    set,
    delete: (hash: string) => entries.delete(hash),
  }
}
