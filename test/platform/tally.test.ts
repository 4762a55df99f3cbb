import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTally } from '#platform/tally'

const at = (second: number) => new Date(second * 1000)

// R16
test('counts that could not be written are kept and written with later ones', async () => {
  const tally = openTally<string>((name) => name)
  tally.add('shell', at(1))
  tally.add('shell', at(2))
  await assert.rejects(
    tally.drain(async () => {
      tally.add('shell', at(3))
      throw new Error('the database is away')
    }),
    /away/,
  )
  const written: unknown[] = []
  await tally.drain(async (counted) => void written.push(...counted))
  assert.deepEqual(written, [{ thing: 'shell', count: 3, first_at: at(1), last_at: at(3) }])
  await tally.drain(async (counted) => assert.deepEqual(counted, []))
})

test('many counts are written in parts, and those of a part that failed are kept', async () => {
  const tally = openTally<number>((thing) => String(thing))
  for (let thing = 0; thing < 2_500; thing++) tally.add(thing, at(1))
  const parts: number[] = []
  await assert.rejects(
    tally.drain(async (counted) => {
      if (parts.length === 1) throw new Error('the database is away')
      parts.push(counted.length)
    }),
    /away/,
  )
  await tally.drain(async (counted) => void parts.push(counted.length))
  assert.deepEqual(parts, [1_000, 1_000, 500])
})
