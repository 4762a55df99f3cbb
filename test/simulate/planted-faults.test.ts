import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { PLANTED_FAULTS } from '../support/budget.ts'
import { openEmbeddedTestDatabase } from '../support/database.ts'
import type { Fault, PlantedFault } from './code-faults.ts'
import { type Harness, openHarness } from './harness.ts'
import { EVERY_PLANTED_FAULT } from './planted-faults.ts'
import { runSeed } from './run.ts'

const MAX_SEEDS = 30

let harness: Harness
before(async () => {
  harness = await openHarness(openEmbeddedTestDatabase)
})
after(() => harness?.close())

/** All seeds, starting with the one that found the fault when it was planted. */
function seedsFor({ seed: first = 1 }: PlantedFault): number[] {
  const all = Array.from({ length: MAX_SEEDS }, (_, at) => at + 1)
  return [first, ...all.filter((seed) => seed !== first)]
}

describe(`within ${MAX_SEEDS} seeds it shows that`, () => {
  for (const fault of EVERY_PLANTED_FAULT.slice(0, PLANTED_FAULTS)) {
    test(fault.name, async (context) => {
      for (const seed of seedsFor(fault)) {
        const { broken } = await runSeed(harness, seed, fault)
        if (!broken) continue
        assert.ok(fault.caught_by.includes(broken.rule), `${broken.rule}: ${broken.facts}`)
        context.diagnostic(`seed ${seed}: ${broken.rule}`)
        return
      }
      assert.fail('no rule was broken')
    })
  }
})

/** Alters nothing, and notes which of these faults would have altered a statement or its rows. */
function noting(faults: readonly PlantedFault[], effective: Set<PlantedFault>): Fault {
  return {
    name: 'none',
    alterStatement(statement) {
      for (const fault of faults) {
        if (fault.alterStatement?.(statement) !== undefined) effective.add(fault)
      }
      return undefined
    },
    alterRows(statement, rows) {
      for (const fault of faults) {
        const instead = fault.alterRows?.(statement, rows) ?? rows
        if (!isDeepStrictEqual(instead, rows)) effective.add(fault)
      }
      return rows
    },
  }
}

test('every planted fault matches a statement that the service still sends', async (context) => {
  const faults = EVERY_PLANTED_FAULT.filter(({ processor }) => !processor)
  const effective = new Set<PlantedFault>()
  let seed = 0
  while (effective.size < faults.length && seed < MAX_SEEDS) {
    await runSeed(harness, ++seed, noting(faults, effective))
  }
  context.diagnostic(`${seed} seeds`)
  const ineffective = faults.filter((fault) => !effective.has(fault))
  assert.deepEqual(
    ineffective.map(({ name }) => name),
    [],
  )
})
