import { RateLimiterCompatibleAbstract, RateLimiterRes } from 'rate-limiter-flexible'

/** What a key has consumed until its window ends, in milliseconds of the limiter's clock. */
interface Counter {
  consumed: number
  ends: number
}

export interface LocalLimiterOptions {
  /** How many points a key has in a window of `duration` seconds. */
  points: number
  duration: number
  /** Returns milliseconds; by default of a clock that is never set back. */
  clock?: () => number
}

/** The options of one call. */
export interface ConsumeOptions {
  /** The seconds of a window that it starts, at most as many as others have. */
  customDuration?: number
}

/**
 * Counts in the memory of this process. The library's own limiter for that keeps a timer for each
 * key, which takes four times the memory (decision 150). This one has two generations of keys: when
 * it is asked, it drops the older one if all windows in it have ended.
 */
export class LocalLimiter extends RateLimiterCompatibleAbstract {
  override readonly keyPrefix = ''
  override blockDuration = 0
  override execEvenly = false
  readonly #points: number
  readonly #window_ms: number
  readonly #clock: () => number
  #young = new Map<string, Counter>()
  #old = new Map<string, Counter>()
  #aged_at: number

  constructor({ points, duration, clock = () => performance.now() }: LocalLimiterOptions) {
    super()
    this.#points = points
    this.#window_ms = duration * 1000
    this.#clock = clock
    this.#aged_at = clock()
  }

  /** How many keys it has in memory, of windows that ended too. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  /**
   * Consumes points of a key at once, without a promise; says whether it had as many left. A window
   * that it starts is as long as others, or `ms`.
   */
  tryConsume(
    key: string,
    points: number,
    ms?: number,
  ): { allowed: boolean; result: RateLimiterRes } {
    const result = this.#add(key, points, ms)
    return { allowed: result.consumedPoints <= this.#points, result }
  }

  /** Rejects with the result, as the library's limiters do, if the key has too few points left. */
  override async consume(
    key: string,
    points = 1,
    { customDuration }: ConsumeOptions = {},
  ): Promise<RateLimiterRes> {
    const { allowed, result } = this.tryConsume(
      key,
      points,
      customDuration && customDuration * 1000,
    )
    if (!allowed) throw result
    return result
  }

  override async penalty(key: string, points = 1): Promise<RateLimiterRes> {
    return this.#add(key, points)
  }

  override async reward(key: string, points = 1): Promise<RateLimiterRes> {
    return this.#add(key, -points)
  }

  override async get(key: string): Promise<RateLimiterRes | null> {
    const now = this.#now()
    const counter = this.#counterOf(key, now)
    return counter ? this.#resultOf(counter, now) : null
  }

  /** The points are consumed for so many seconds, at most as many as a window has. */
  override async set(key: string, points: number, seconds: number): Promise<RateLimiterRes> {
    const now = this.#now()
    return this.#begin(key, points, now, seconds * 1000)
  }

  override async block(key: string, seconds: number): Promise<RateLimiterRes> {
    return await this.set(key, this.#points + 1, seconds)
  }

  override async delete(key: string): Promise<boolean> {
    const wasYoung = this.#young.delete(key)
    return this.#old.delete(key) || wasYoung
  }

  #add(key: string, points: number, ms = this.#window_ms): RateLimiterRes {
    const now = this.#now()
    const found = this.#counterOf(key, now)
    if (!found) return this.#begin(key, points, now, ms)
    found.consumed += points
    return this.#resultOf(found, now)
  }

  #begin(key: string, consumed: number, now: number, ms: number): RateLimiterRes {
    // Whole milliseconds, which take no object of their own, and never more than the window has.
    const counter = { consumed, ends: Math.floor(now + ms) }
    this.#old.delete(key)
    this.#young.set(copyOf(key), counter)
    return this.#resultOf(counter, now)
  }

  #counterOf(key: string, now: number): Counter | undefined {
    const counter = this.#young.get(key) ?? this.#old.get(key)
    return counter && counter.ends > now ? counter : undefined
  }

  #resultOf({ consumed, ends }: Counter, now: number): RateLimiterRes {
    return new RateLimiterRes(Math.max(this.#points - consumed, 0), ends - now, consumed)
  }

  /**
   * The time, after the young keys became the old ones if a window has passed since they last did.
   */
  #now(): number {
    const now = this.#clock()
    const since = now - this.#aged_at
    if (since >= this.#window_ms) {
      this.#old = since < 2 * this.#window_ms ? this.#young : new Map()
      this.#young = new Map()
      this.#aged_at = now
    }
    return now
  }
}

/**
 * Copies the characters: V8 would keep a whole request, password included, alive for a substring.
 */
function copyOf(key: string): string {
  return Buffer.from(key).toString()
}
