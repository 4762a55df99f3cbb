import { Redis } from 'iovalkey'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import type { Log } from '#platform/log'

/** A limit: how many points a key may take in a window of `seconds`. */
export interface Limit {
  name: string
  points: number
  seconds: number
}

/** What a caller has left, for the answer's headers. */
export interface Allowance {
  allowed: boolean
  remaining: number
  /** Whole seconds until the window starts anew, at least 1. */
  reset_seconds: number
}

export interface Limits {
  /** Takes one point (or `points`) of a limit for a key. */
  take(limit: Limit, key: string, points?: number): Promise<Allowance>
  /** Gives one point back, where what took it turned out to be none of what is limited. */
  giveBack(limit: Limit, key: string): Promise<void>
  close(): Promise<void>
}

/** Limits in this process or, where a Valkey server is named, shared between processes. */
export async function openLimits(valkeyUrl: string | undefined, log: Log): Promise<Limits> {
  const valkey = valkeyUrl ? await openValkey(valkeyUrl, log) : undefined
  const limiters = new Map<string, RateLimiterAbstract>()
  const limiterOf = ({ name, points, seconds }: Limit) => {
    let limiter = limiters.get(name)
    if (!limiter) {
      const options = { keyPrefix: name, points, duration: seconds }
      limiter = valkey
        ? // Named for Redis: its scripts run on both, those named for Valkey on the newest alone.
          new RateLimiterRedis({
            ...options,
            storeClient: valkey,
            rejectIfRedisNotReady: true,
            // A lost store must not take the shop down: each process limits by itself meanwhile.
            insuranceLimiter: new RateLimiterMemory(options),
          })
        : new RateLimiterMemory(options)
      limiters.set(name, limiter)
    }
    return limiter
  }
  return {
    async take(limit, key, points = 1) {
      try {
        return allowance(true, await limiterOf(limit).consume(key, points))
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return allowance(false, refused)
        throw refused
      }
    },
    async giveBack(limit, key) {
      await limiterOf(limit).reward(key, 1)
    },
    async close() {
      valkey?.disconnect()
    },
  }
}

/** Throws when the server cannot be reached at the start; later it may come and go. */
async function openValkey(url: string, log: Log): Promise<Redis> {
  // A command is refused at once while the server is away, and never kept for later.
  const options = { lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 }
  const valkey = new Redis(url, options)
  valkey.on('error', (error) => log.warn({ error }, 'Valkey is away: limits count in each process'))
  await valkey.connect()
  return valkey
}

function allowance(allowed: boolean, result: RateLimiterRes): Allowance {
  return {
    allowed,
    remaining: result.remainingPoints,
    reset_seconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
  }
}
