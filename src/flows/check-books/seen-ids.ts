import { hash } from 'node:crypto'

const DIGEST_BYTES = 6

/**
 * A set of ids that takes eight bytes for each. The chance that one of a million ids hides a
 * missing one is about one in some hundreds of millions.
 */
export class SeenIds {
  #digests = new Float64Array(1024)
  #count = 0
  #isSorted = true

  add(id: string): void {
    if (this.#count === this.#digests.length) {
      const larger = new Float64Array(this.#count * 2)
      larger.set(this.#digests)
      this.#digests = larger
    }
    this.#digests[this.#count++] = digestOf(id)
    this.#isSorted = false
  }

  has(id: string): boolean {
    if (!this.#isSorted) {
      this.#digests.subarray(0, this.#count).sort()
      this.#isSorted = true
    }
    const wanted = digestOf(id)
    let from = 0
    let before = this.#count
    while (from < before) {
      const middle = (from + before) >>> 1
      if (this.#digests[middle]! < wanted) from = middle + 1
      else before = middle
    }
    return from < this.#count && this.#digests[from] === wanted
  }
}

function digestOf(id: string): number {
  return hash('sha256', id, 'buffer').readUIntBE(0, DIGEST_BYTES)
}
