import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ROWS_AT_ONCE, readInPages } from '#platform/read-in-pages'

async function sizesOf(count: number): Promise<{ sizes: number[]; seen: number }> {
  const sizes: number[] = []
  let seen = 0
  const pages = readInPages<number, number>(
    async ({ after = 0, limit }) =>
      Array.from({ length: Math.min(limit, count - after) }, (_, index) => after + index + 1),
    (last) => last,
  )
  for await (const rows of pages) {
    sizes.push(rows.length)
    seen = rows.at(-1)!
  }
  return { sizes, seen }
}

describe('a long list that is read in pages', () => {
  test('has every row once, and no empty page', async () => {
    assert.deepEqual(await sizesOf(0), { sizes: [], seen: 0 })
    assert.deepEqual(await sizesOf(3), { sizes: [3], seen: 3 })
    assert.deepEqual((await sizesOf(ROWS_AT_ONCE)).sizes, [ROWS_AT_ONCE])
    const long = await sizesOf(2 * ROWS_AT_ONCE + 1)
    assert.deepEqual(long, { sizes: [ROWS_AT_ONCE, ROWS_AT_ONCE, 1], seen: 2 * ROWS_AT_ONCE + 1 })
  })
})
