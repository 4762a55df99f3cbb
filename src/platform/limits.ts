import { Redis } from 'iovalkey'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import type { Log } from '#platform/log'
import type { Network } from '#platform/networks'

/** A limit: how many points a key may take in a window of `seconds`. */
export interface Limit {
  name: string
  points: number
  seconds: number
}

/** Tries that make each other wait: after the free ones each wait is twice as long as the last. */
export interface Delay {
  name: string
  free: number
  /** The longest wait; the first one is two seconds. */
  most_seconds: number
  /** For how long a try is remembered. */
  memory_seconds: number
}

/** Whom a limit counts: a name, or the networks that an address belongs to. */
export type LimitKey = string | readonly Network[]

/** What a caller has left, for the answer's headers. */
export interface Allowance {
  allowed: boolean
  remaining: number
  /** Whole seconds until the window restarts, at least 1. */
  reset_seconds: number
}

export interface Limits {
  /**
   * Takes one point (or `points`) of a limit for a key. Of networks each is asked, the narrowest
   * first; once one refuses, the wider ones lose nothing.
   */
  take(limit: Limit, key: LimitKey, points?: number): Promise<Allowance>
  /** Gives one point back, where what took it turned out to be none of what is limited. */
  giveBack(limit: Limit, key: LimitKey): Promise<void>
  /** Counts a try of a key; how many seconds it has to wait, or 0 where it may go ahead. */
  slow(delay: Delay, key: string): Promise<number>
  /** Takes back the try that went ahead last, and the wait that it caused. */
  unslow(delay: Delay, key: string): Promise<void>
  close(): Promise<void>
}

// A count that never refuses.
const UNBOUNDED = 1_000_000_000

/** Limits in this process or, where a Valkey server is named and answers, shared between processes. */
export function openLimits(valkeyUrl: string | undefined, log: Log): Limits {
  const valkey = valkeyUrl ? connectValkey(valkeyUrl, log) : undefined
  const limiters = new Map<string, RateLimiterAbstract>()
  const limiterOf = ({ name, points, seconds }: Limit, share: number) => {
    const keyPrefix = share === 1 ? name : `${name}*${share}`
    let limiter = limiters.get(keyPrefix)
    if (!limiter) {
      const options = { keyPrefix, points: points * share, duration: seconds }
      limiter = valkey
        ? // Named for Redis: its scripts run on both, those named for Valkey on the newest alone.
          new RateLimiterRedis({
            ...options,
            storeClient: valkey,
            rejectIfRedisNotReady: true,
            // A lost store must not stop the service: meanwhile each process counts separately.
            insuranceLimiter: new RateLimiterMemory(options),
          })
        : new RateLimiterMemory(options)
      limiters.set(keyPrefix, limiter)
    }
    return limiter
  }
  const limitersOf = ({ name, most_seconds, memory_seconds }: Delay) => ({
    tries: limiterOf({ name, points: UNBOUNDED, seconds: memory_seconds }, 1),
    gate: limiterOf({ name: `${name}-gate`, points: 1, seconds: most_seconds }, 1),
  })
  const takeOne = async (limiter: RateLimiterAbstract, key: string, points: number) => {
    try {
      return allowance(true, await limiter.consume(key, points))
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return allowance(false, refused)
      throw refused
    }
  }
  return {
    async take(limit, key, points = 1) {
      let left: Allowance | undefined
      for (const network of networksIn(key)) {
        const one = await takeOne(limiterOf(limit, network.share), network.key, points)
        if (!left || one.remaining < left.remaining || !one.allowed) left = one
        if (!one.allowed) break
      }
      return left!
    },
    async giveBack(limit, key) {
      for (const network of networksIn(key)) {
        await limiterOf(limit, network.share).reward(network.key, 1)
      }
    },
    async slow(delay, key) {
      const { tries, gate } = limitersOf(delay)
      const closed = await gate.get(key)
      if (closed && closed.remainingPoints <= 0 && closed.msBeforeNext > 0) {
        return Math.ceil(closed.msBeforeNext / 1000)
      }
      const { consumedPoints } = await tries.consume(key)
      const over = consumedPoints - delay.free
      if (over > 0) await gate.block(key, Math.min(2 ** over, delay.most_seconds))
      return 0
    },
    async unslow(delay, key) {
      const { tries, gate } = limitersOf(delay)
      await tries.reward(key, 1)
      await gate.delete(key)
    },
    async close() {
      valkey?.disconnect()
    },
  }
}

function networksIn(key: LimitKey): readonly Network[] {
  return typeof key === 'string' ? [{ key, share: 1 }] : key
}

/** How long a command may take; after that the limit is counted in this process. */
const COMMAND_MS = 50
const RECONNECT_MS = 1_000

/**
 * Connects in the background and for as long as the service runs: limits are no reason not to
 * start. Where the server hangs the connection is given up, so that only the first to notice waits.
 */
function connectValkey(url: string, log: Log): Redis {
  const valkey = new Redis(url, {
    // A command is refused at once while the server is away, and never kept for later.
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
    if (isAway) log.info('Valkey is back: limits are shared again')
    isAway = false
  })
  valkey.on('error', (error) => {
    if (!isAway) log.warn({ error }, 'Valkey is away: limits count in each process')
    isAway = true
  })
  return valkey
}

function allowance(allowed: boolean, result: RateLimiterRes): Allowance {
  return {
    allowed,
    remaining: result.remainingPoints,
    reset_seconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
  }
}
