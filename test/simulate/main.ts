/**
 * Plays seeded months of trade and looks after each whether all rules hold: `npm run simulate --
 * --seeds 5000 --from 1`. Tells each seed that breaks a rule with all that happened in it, or with
 * `--trace` of every seed, and ends with 1 where there is any.
 */
import { parseArgs } from 'node:util'
import { play, story } from './play.ts'
import { openStage } from './world.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
  },
})
const [count, from] = [Number(values.seeds), Number(values.from)]
const stage = await openStage()
let broken = 0
let deeds = 0
for (let seed = from; seed < from + count; seed++) {
  const played = await play(stage, seed)
  deeds += played.deeds
  if (played.broken) broken++
  if (values.trace) for (const line of played.trace) console.log(line)
  if (played.broken) console.log(story(played))
}
await stage.close()
console.log(`${count} seeds from ${from}, ${deeds} deeds: ${broken} break a rule`)
process.exitCode = broken > 0 ? 1 : 0
