import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SEEDS } from '../support/budget.ts'
import { play, story } from './play.ts'
import { openStage, type Stage } from './world.ts'

const PARTS = 4
const CHUNK = 25
const FROM = Number(process.env.SIMULATE_FROM ?? 1)

/** Declares a test of every fourth seed: a part of the run, so that files can run side by side. */
export function simulate(part: number): void {
  let stage: Stage
  before(async () => {
    stage = await openStage()
  })
  after(() => stage?.close())
  const own = Array.from({ length: SEEDS }, (_, index) => FROM + index).filter(
    (seed) => seed % PARTS === part,
  )
  // A test for some seeds at a time, so that none of them runs into the limit of a test.
  for (let first = 0; first < own.length; first += CHUNK) {
    const seeds = own.slice(first, first + CHUNK)
    test(`months of trade with crashes and lost answers keep every rule: seeds ${seeds[0]} to ${seeds.at(-1)}`, async () => {
      for (const seed of seeds) {
        const played = await play(stage, seed)
        assert.equal(played.broken, undefined, story(played))
      }
    })
  }
}
