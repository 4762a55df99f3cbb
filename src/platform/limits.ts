import { Redis } from 'iovalkey'
import { type RateLimiterLike, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import {
  type ConsumeOptions,
  LocalLimiter,
  type LocalLimiterOptions,
} from '#platform/local-limiter'
import type { Log } from '#platform/log'
import type { Network } from '#platform/networks'

/** A limit: how many points a key may take in a window of `seconds`. */
export interface Limit {
  name: string
  points: number
  seconds: number
}

/** A growing delay between attempts: after the free ones, each wait is twice the last. */
export interface Delay {
  name: string
  free: number
  /** The longest wait; the first one is two seconds. */
  most_seconds: number
  /** For how long an attempt is remembered. */
  memory_seconds: number
}

/** What a limit counts by: a name, or the networks that an address belongs to. */
export type LimitKey = string | readonly Network[]

/** What a caller has left, for the response's headers. */
export interface Allowance {
  allowed: boolean
  remaining: number
  /** Whole seconds until a new window starts, at least 1. */
  reset_seconds: number
}

export interface Limits {
  /**
   * Consumes one point (or `points`) of a limit for a key. Networks are counted from the narrowest;
   * once one refuses, the wider ones are not charged. Without a Valkey server, there is nothing to
   * wait for.
   */
  consume(limit: Limit, key: LimitKey, points?: number): Allowance | Promise<Allowance>
  /** Returns one point, if the request turned out not to count against the limit. */
  restore(limit: Limit, key: LimitKey): Promise<void>
  /** Counts an attempt of a key; returns the seconds to wait, or 0 if it may proceed. */
  delay(delay: Delay, key: string): Promise<number>
  /** Reverts the last counted attempt and the wait that it caused. */
  clearDelay(delay: Delay, key: string): Promise<void>
  close(): Promise<void>
}

// A counter that never refuses.
const UNBOUNDED = 1_000_000_000

/**
 * Limits in this process or, with a reachable Valkey server, shared between processes that use the
 * same prefix. `onFallback` is called where a limit is counted in this process because the server
 * does not answer.
 */
export function openLimits(
  valkeyUrl: string | undefined,
  log: Log,
  { prefix = '', onFallback }: { prefix?: string; onFallback?: (() => void) | undefined } = {},
): Limits {
  const valkey = valkeyUrl ? connectValkey(valkeyUrl, log) : undefined
  const localOf = limitersBy(prefix, (options) => new LocalLimiter(options))
  const limiterOf: (limit: Limit, share: number) => RateLimiterLike = valkey
    ? limitersBy(prefix, (options) => shared(valkey, options, onFallback))
    : localOf
  const consumeHere = (limit: Limit, key: LimitKey, points: number): Allowance => {
    let left: Allowance | undefined
    for (const network of networksIn(key)) {
      const { allowed, result } = localOf(limit, network.share).tryConsume(network.key, points)
      left = stricter(left, allowance(allowed, result))
      if (!allowed) break
    }
    return left!
  }
  const consumeShared = async (limit: Limit, key: LimitKey, points: number): Promise<Allowance> => {
    let left: Allowance | undefined
    for (const network of networksIn(key)) {
      left = stricter(left, await consume(limiterOf(limit, network.share), network.key, points))
      if (!left.allowed) break
    }
    return left!
  }
  const limitersOf = ({ name, most_seconds, memory_seconds }: Delay) => ({
    tries: limiterOf({ name, points: UNBOUNDED, seconds: memory_seconds }, 1),
    gate: limiterOf({ name: `${name}-gate`, points: 1, seconds: most_seconds }, 1),
  })
  return {
    consume: (limit, key, points = 1) =>
      valkey ? consumeShared(limit, key, points) : consumeHere(limit, key, points),
    async restore(limit, key) {
      for (const network of networksIn(key)) {
        await limiterOf(limit, network.share).reward(network.key, 1)
      }
    },
    async delay(delay, key) {
      const { tries, gate } = limitersOf(delay)
      const closed = await gate.get(key)
      if (closed && closed.remainingPoints <= 0 && closed.msBeforeNext > 0) {
        return Math.ceil(closed.msBeforeNext / 1000)
      }
      const { consumedPoints } = await tries.consume(key)
      const over = consumedPoints - delay.free
      if (over <= 0) return 0
      const customDuration = Math.min(2 ** over, delay.most_seconds)
      // Attempts at the same time all found the gate open, and one of them closes it.
      const { allowed, reset_seconds } = await consume(gate, key, 1, { customDuration })
      if (allowed) return 0
      await tries.reward(key, 1)
      return reset_seconds
    },
    async clearDelay(delay, key) {
      const { tries, gate } = limitersOf(delay)
      await tries.reward(key, 1)
      await gate.delete(key)
    },
    async close() {
      valkey?.disconnect()
    },
  }
}

/** One limiter for each limit and share, opened when it is first needed. */
function limitersBy<Limiter>(prefix: string, open: (options: LimiterOptions) => Limiter) {
  // By share, and then by name: building a key of both for each request takes longer than this.
  const limiters = new Map<number, Map<string, Limiter>>()
  return ({ name, points, seconds }: Limit, share: number): Limiter => {
    const ofShare = limiters.get(share) ?? new Map<string, Limiter>()
    let limiter = ofShare.get(name)
    if (!limiter) {
      const keyPrefix = prefix + (share === 1 ? name : `${name}*${share}`)
      limiter = open({ keyPrefix, points: points * share, duration: seconds })
      limiters.set(share, ofShare.set(name, limiter))
    }
    return limiter
  }
}

/** The allowance that leaves less, or refuses. */
function stricter(left: Allowance | undefined, one: Allowance): Allowance {
  return !left || one.remaining < left.remaining || !one.allowed ? one : left
}

async function consume(
  limiter: RateLimiterLike,
  key: string,
  points: number,
  options: ConsumeOptions = {},
): Promise<Allowance> {
  try {
    return allowance(true, await limiter.consume(key, points, options))
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return allowance(false, refused)
    throw refused
  }
}

/** A limiter that processes share, and that counts in this process while the server is away. */
function shared(
  storeClient: Redis,
  options: LimiterOptions,
  onFallback: (() => void) | undefined,
): RateLimiterLike {
  // Named for Redis: its scripts run on both, those named for Valkey only on the newest.
  return new RateLimiterRedis({
    ...options,
    storeClient,
    rejectIfRedisNotReady: true,
    // Without the store, requests still succeed: each process applies the limits alone.
    insuranceLimiter: new Insurance(options, onFallback),
  })
}

/** Counts in this process, and reports it. */
class Insurance extends LocalLimiter {
  #onUse: (() => void) | undefined

  constructor(options: LocalLimiterOptions, onUse: (() => void) | undefined) {
    super(options)
    this.#onUse = onUse
  }

  override consume(...facts: Parameters<LocalLimiter['consume']>): Promise<RateLimiterRes> {
    this.#onUse?.()
    return super.consume(...facts)
  }
}

function networksIn(key: LimitKey): readonly Network[] {
  return typeof key === 'string' ? [{ key, share: 1 }] : key
}

/** How long a command may take; after that, the limit is counted in this process. */
const COMMAND_MS = 50
const RECONNECT_MS = 1_000

/**
 * Connects in the background for as long as the service runs: startup does not wait for it. If the
 * server hangs, the connection is closed, so that only the first request waits.
 */
function connectValkey(url: string, log: Log): Redis {
  const valkey = new Redis(url, {
    // A command fails at once while the server is unavailable, and is never queued.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    commandTimeout: COMMAND_MS,
    socketTimeout: 2 * COMMAND_MS,
    connectTimeout: 2_000,
    retryStrategy: () => RECONNECT_MS,
  })
  let isAway = false
  valkey.on('ready', () => {
    if (isAway) log.info('Valkey available again: limits are shared')
    isAway = false
  })
  valkey.on('error', (error) => {
    if (!isAway) log.warn({ error }, 'Valkey unavailable: limits count in each process')
    isAway = true
  })
  return valkey
}

type LimiterOptions = LocalLimiterOptions & { keyPrefix: string }

function allowance(allowed: boolean, result: RateLimiterRes): Allowance {
  return {
    allowed,
    remaining: result.remainingPoints,
    reset_seconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
  }
}
