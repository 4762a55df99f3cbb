import { untilKilled } from '../support/mortal.ts'
import { buy } from './buying.ts'
import type { Chance } from './chance.ts'
import type { Fault } from './fault.ts'
import * as owning from './owning.ts'
import { pass, rest, workOnce } from './pastime.ts'
import { rulesBroken } from './rules.ts'
import * as selling from './selling.ts'
import { openTown, type Town } from './town.ts'
import { isMeant, type Stage } from './world.ts'

/** Something that somebody can do: what came of it, in a few words; undefined: nobody could. */
interface Deed {
  name: string
  weight: number
  act(town: Town, chance: Chance): Promise<string | undefined>
}

const HOUR = 3600
const DAY = 24 * HOUR

/** All that can happen in a month, and how often against the rest. */
const DEEDS: readonly Deed[] = [
  { name: 'buy', weight: 14, act: buy },
  { name: 'hours pass', weight: 4, act: (town, chance) => pass(town, chance, chance.below(DAY)) },
  {
    name: 'days pass',
    weight: 12,
    act: (town, chance) => pass(town, chance, DAY + chance.below(7 * DAY)),
  },
  {
    name: 'weeks pass',
    weight: 12,
    act: (town, chance) => pass(town, chance, 7 * DAY + chance.below(28 * DAY)),
  },
  { name: 'auto-renew', weight: 5, act: owning.switchAutoRenew },
  { name: 'move', weight: 9, act: owning.move },
  { name: 'take a move back', weight: 1, act: owning.takeMoveBack },
  { name: 'pause', weight: 3, act: owning.pause },
  { name: 'pay now', weight: 4, act: owning.payNow },
  { name: 'another card', weight: 4, act: owning.giveOtherCard },
  { name: 'replace a key', weight: 2, act: owning.replaceKey },
  { name: 'the bank of a card', weight: 5, act: owning.changeBanksMind },
  { name: 'refund', weight: 8, act: selling.refund },
  { name: 'object', weight: 3, act: selling.object },
  { name: 'settle a dispute', weight: 9, act: selling.settleDispute },
  { name: 'name a bank', weight: 5, act: selling.nameBank },
  { name: 'ask for a payout', weight: 4, act: selling.askForPayout },
  { name: 'file taxes', weight: 2, act: selling.fileTaxes },
  { name: 'change plans', weight: 3, act: selling.changePlans },
  { name: 'the add-on', weight: 1, act: selling.changeAddOn },
  { name: 'hold', weight: 1, act: selling.hold },
  { name: 'release', weight: 4, act: selling.release },
  { name: 'pay a buyer', weight: 4, act: selling.payBuyer },
  { name: 'write off', weight: 1, act: selling.forgive },
]

const BUYING = DEEDS.filter(({ name }) => name === 'buy')

/** What can happen at one moment: no days pass while somebody waits for an answer. */
const AT_ONCE: readonly Deed[] = [
  ...DEEDS.filter(({ name }) => !name.endsWith(' pass')),
  {
    name: 'work',
    weight: 12,
    async act(town) {
      await workOnce(town)
      return 'a round'
    },
  },
]

/** What a play came to: nothing, or the rule that was broken, and how it came to that. */
export interface Played {
  seed: number
  deeds: number
  /** What broke first: the rule, and what breaks it. */
  broken: { rule: string; facts: string } | undefined
  trace: string[]
}

const NEWCOMERS = [4, 2]
const ACTS = NEWCOMERS.length
const LEAST_DEEDS = 7
const MOST_DEEDS = 12

/** Plays months of trade that a seed decides, and looks after each act whether all rules hold. */
export async function play(stage: Stage, seed: number, fault?: Fault): Promise<Played> {
  await stage.clear(seed)
  const town = await openTown(stage, seed)
  stage.fault = fault
  let deeds = 0
  const ended = (broken?: Played['broken']) => ({ seed, deeds, broken, trace: town.trace })
  try {
    for (let act = 0; act < ACTS; act++) {
      // The town fills first, or there is little that can happen to anybody.
      for (let index = 0; index < NEWCOMERS[act]!; index++) deeds += await happen(town, BUYING)
      stage.weather.storm = town.chance.pick([0, 0, 0, 10, 40])
      const count = town.chance.between(LEAST_DEEDS, MOST_DEEDS)
      for (let index = 0; index < count; index++) deeds += await happen(town)
      await rest(town)
      const broken = await rulesBroken(town)
      if (broken) return ended(broken)
    }
  } catch (error) {
    return ended({ rule: 'nothing fails that was not made to fail', facts: wordsOf(error) })
  } finally {
    stage.fault = undefined
  }
  return ended()
}

/** What a seed came to, as whoever must mend it wants to read it. */
export function story({ seed, trace, broken }: Played): string {
  if (!broken) return `seed ${seed}: all rules hold`
  return [
    `seed ${seed}`,
    ...trace.map((line) => `  ${line}`),
    `broken: ${broken.rule}`,
    broken.facts,
    `again: npm run simulate -- --from ${seed} --seeds 1`,
  ].join('\n')
}

/** One deed, or several at once; a process may die over it. Returns how many were done. */
async function happen(town: Town, wanted = DEEDS): Promise<number> {
  const { chance, stage } = town
  const count = chance.odds(12) ? chance.between(2, 3) : 1
  const deeds = wanted === DEEDS && count > 1 ? AT_ONCE : wanted
  const actors = Array.from({ length: count }, () => chance.fork())
  const last = chance.odds(15) ? chance.between(1, 90) : Number.POSITIVE_INFINITY
  const { killed } = await untilKilled(last, async () => {
    await Promise.all(actors.map((own) => act(town, own, { deeds, at_once: count > 1 })))
  })
  if (killed) {
    town.trace.push(`${timeOf(stage)} the process died at step ${last}, and another was started`)
    stage.clock.pass(chance.between(1, 30))
    await workOnce(town)
  }
  return count
}

/** Somebody does something that he can. */
async function act(
  town: Town,
  own: Chance,
  facts: { deeds: readonly Deed[]; at_once: boolean },
): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const { name, act } = own.weigh(facts.deeds)
    const line = `${timeOf(town.stage)} ${facts.at_once ? '& ' : ''}${name}`
    try {
      const said = await act(town, own)
      if (said === undefined) continue
      town.trace.push(`${line}: ${said}`)
    } catch (error) {
      town.trace.push(`${line}: (${(error as Error).message})`)
      if (!isMeant(error)) throw error
    }
    return
  }
}

function timeOf({ clock }: Stage): string {
  return clock.now().toISOString().slice(0, 16).replace('T', ' ')
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.stack ?? error.message}` : String(error)
}
