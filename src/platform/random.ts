import { randomBytes } from 'node:crypto'

/** Where randomness comes from. Passed like the clock, so that a seed can replay a run. */
export interface Random {
  bytes(count: number): Buffer
}

/** The operating system's cryptographic generator; the only place that reads it. */
export const systemRandom: Random = pooled(16 * 1024, randomBytes)

/** Draws many bytes at once: each call of the generator costs far more than the bytes do. */
function pooled(size: number, draw: (count: number) => Buffer): Random {
  let pool: Buffer = Buffer.alloc(0)
  let begin = 0
  return {
    bytes(count) {
      if (count > size) return draw(count)
      if (pool.length - begin < count) {
        pool = draw(size)
        begin = 0
      }
      const end = begin + count
      const taken = Buffer.allocUnsafe(count)
      pool.copy(taken, 0, begin, end)
      // Bytes that were returned must not stay in the pool.
      pool.fill(0, begin, end)
      begin = end
      return taken
    },
  }
}
