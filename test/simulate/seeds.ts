import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SEEDS } from '../support/budget.ts'
import { type Harness, openHarness } from './harness.ts'
import { reportOf, runSeed } from './run.ts'

const PARTS = 4
const CHUNK = 25
const FROM = Number(process.env.SIMULATE_FROM ?? 1)

/** Declares tests for every fourth seed, so that files can run in parallel. */
export function simulate(part: number): void {
  let harness: Harness
  before(async () => {
    harness = await openHarness()
  })
  after(() => harness?.close())
  const own = Array.from({ length: SEEDS }, (_, index) => FROM + index).filter(
    (seed) => seed % PARTS === part,
  )
  // A test for a few seeds at a time, so that none exceeds the timeout.
  for (let first = 0; first < own.length; first += CHUNK) {
    const seeds = own.slice(first, first + CHUNK)
    test(`months of trade with crashes and lost answers keep every rule: seeds ${seeds[0]} to ${seeds.at(-1)}`, async () => {
      for (const seed of seeds) {
        const run = await runSeed(harness, seed)
        assert.equal(run.broken, undefined, reportOf(run))
      }
    })
  }
}
