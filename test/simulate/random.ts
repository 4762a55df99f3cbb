import type { Random } from '#platform/random'

/** A seeded random generator: the same seed gives the same numbers in the same order. */
export class SeededRandom implements Random {
  #state: [number, number, number, number]

  /** The generator is xoshiro128**; its state is derived from the seed by splitmix32. */
  constructor(seed: number) {
    let at = seed | 0
    const next = () => {
      at = (at + 0x9e3779b9) | 0
      let mixed = Math.imul(at ^ (at >>> 16), 0x21f0aaad)
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
      return (mixed ^ (mixed >>> 15)) >>> 0
    }
    this.#state = [next(), next(), next(), next()]
  }

  /** Any 32 bits. */
  word(): number {
    const s = this.#state
    const turn = (value: number, by: number) => (value << by) | (value >>> (32 - by))
    const result = Math.imul(turn(Math.imul(s[1], 5), 7), 9) >>> 0
    const shifted = s[1] << 9
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= shifted
    s[3] = turn(s[3], 11)
    return result
  }

  /** A whole number from zero to below the bound. */
  below(bound: number): number {
    return Math.floor((this.word() / 2 ** 32) * bound)
  }

  /** A whole number in a range, both ends included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  /** True with a probability in percent. */
  odds(percent: number): boolean {
    return this.below(100) < percent
  }

  /** A random item of a list that is not empty. */
  pick<Item>(list: readonly Item[]): Item {
    return list[this.below(list.length)]!
  }

  /** A random item of a list, by weight. */
  weigh<Item extends { weight: number }>(list: readonly Item[]): Item {
    let left = this.below(list.reduce((total, { weight }) => total + weight, 0))
    for (const item of list) {
      if (left < item.weight) return item
      left -= item.weight
    }
    throw new Error('there is nothing to weigh')
  }

  /** A separate generator for a person who acts concurrently. */
  fork(): SeededRandom {
    return new SeededRandom(this.word())
  }

  bytes(count: number): Buffer {
    const bytes = Buffer.alloc(Math.ceil(count / 4) * 4)
    for (let at = 0; at < count; at += 4) bytes.writeUInt32LE(this.word(), at)
    return bytes.subarray(0, count)
  }
}
