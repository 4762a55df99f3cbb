/**
 * Simulates seeded months of trade and checks all rules after each: `npm run simulate -- --seeds
 * 5000 --from 1`. Prints each seed that breaks a rule with everything that happened in it, or every
 * seed with `--trace`, and exits with 1 if there is any.
 */
import { countFlag } from '../../scripts/count-flag.ts'
import { readArguments } from '../../scripts/read-arguments.ts'
import { openHarness } from './harness.ts'
import { reportOf, runSeed } from './run.ts'

const USAGE = `Usage: npm run simulate -- --seeds 5000 --from 1

Simulates seeded months of trade and checks all rules after each. Ends with 1 where a seed breaks a
rule, and prints everything that happened in it.

  --seeds   how many seeds (500)
  --from    the first seed (1)
  --trace   prints what happened in every seed`

const { values } = readArguments(USAGE, {
  options: {
    seeds: { type: 'string', default: '500' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
  },
})
const [count, from] = [countFlag('seeds', values.seeds), countFlag('from', values.from)]
const harness = await openHarness()
let broken = 0
let actions = 0
for (let seed = from; seed < from + count; seed++) {
  const run = await runSeed(harness, seed)
  actions += run.actions
  const [deadlock] = harness.deadlocks
  if (run.broken || deadlock) broken++
  if (values.trace) for (const line of run.trace) console.log(line)
  if (run.broken) console.log(reportOf(run))
  if (deadlock) console.log(`seed ${seed}\nbroken: flows lock in one order\n${deadlock}`)
}
await harness.close()
console.log(`${count} seeds from ${from}, ${actions} actions: ${broken} break a rule`)
process.exitCode = broken > 0 ? 1 : 0
