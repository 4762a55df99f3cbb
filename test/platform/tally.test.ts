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
