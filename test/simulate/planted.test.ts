import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { PLANTED_FAULTS } from '../support/budget.ts'
import { openEmbeddedTestDatabase } from '../support/database.ts'
import { PLANTED, type Planted } from './planted.ts'
import { play } from './play.ts'
import { openStage, type Stage } from './world.ts'

const MOST_SEEDS = 30

let stage: Stage
before(async () => {
  stage = await openStage(openEmbeddedTestDatabase)
})
after(() => stage?.close())

/** All seeds, from the one that showed the fault when it was planted. */
function seedsFor({ seed: first = 1 }: Planted): number[] {
  const all = Array.from({ length: MOST_SEEDS }, (_, at) => at + 1)
  return [first, ...all.filter((seed) => seed !== first)]
}

describe(`within ${MOST_SEEDS} seeds it shows that`, () => {
  for (const fault of PLANTED.slice(0, PLANTED_FAULTS)) {
    test(fault.name, async (context) => {
      for (const seed of seedsFor(fault)) {
        const { broken } = await play(stage, seed, fault)
        if (!broken) continue
        assert.ok(fault.caught_by.includes(broken.rule), `${broken.rule}: ${broken.facts}`)
        context.diagnostic(`seed ${seed}: ${broken.rule}`)
        return
      }
      assert.fail('no rule was broken')
    })
  }
})
