import { Problem } from '#platform/problem'
import { untilKilled } from '../support/killable-database.ts'
import { ACCOUNT_ACTIONS } from './account-actions.ts'
import * as buying from './buyer-actions.ts'
import { CODE_ACTIONS } from './code-actions.ts'
import type { Fault } from './code-faults.ts'
import { COMP_ACTIONS } from './comp-actions.ts'
import { offerCode, switchCode } from './discount-actions.ts'
import { EXCESS_ACTIONS } from './excess-actions.ts'
import { FACTOR_ACTIONS } from './factor-actions.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { type Harness, isExpected } from './harness.ts'
import { IMPORT_ACTIONS } from './import-actions.ts'
import { rulesBroken } from './invariants.ts'
import { MAILBOX_ACTIONS } from './mailbox-actions.ts'
import { MEMBER_ACTIONS } from './member-actions.ts'
import { OWNERSHIP_ACTIONS } from './ownership-actions.ts'
import { PASSKEY_ACTIONS } from './passkey-actions.ts'
import { PASSWORD_ACTIONS } from './password-actions.ts'
import { buy } from './purchase-actions.ts'
import type { SeededRandom } from './random.ts'
import { SALE_ACTIONS } from './sale-actions.ts'
import * as selling from './seller-actions.ts'
import { SESSION_ACTIONS } from './session-actions.ts'
import { SUPPORT_ACTIONS } from './support-actions.ts'
import { SUSPENSION_ACTIONS } from './suspension-actions.ts'
import { pass, rest, workOnce } from './test-clock.ts'
import { TRANSFER_ACTIONS } from './transfer-actions.ts'

/** An action of a person: its outcome in a few words; undefined if it was not possible. */
interface Action {
  name: string
  weight: number
  act(fixture: Fixture, rng: SeededRandom): Promise<string | undefined>
}

const HOUR = 3600
const DAY = 24 * HOUR

/** All possible actions, with their relative frequency. */
const ACTIONS: readonly Action[] = [
  { name: 'buy', weight: 14, act: buy },
  { name: 'hours pass', weight: 4, act: (fixture, rng) => pass(fixture, rng, rng.below(DAY)) },
  {
    name: 'days pass',
    weight: 12,
    act: (fixture, rng) => pass(fixture, rng, DAY + rng.below(7 * DAY)),
  },
  {
    name: 'weeks pass',
    weight: 12,
    act: (fixture, rng) => pass(fixture, rng, 7 * DAY + rng.below(28 * DAY)),
  },
  { name: 'auto-renew', weight: 5, act: buying.switchAutoRenew },
  { name: 'change plan', weight: 9, act: buying.switchPlan },
  { name: 'cancel a plan change', weight: 1, act: buying.withdrawPlanChange },
  { name: 'pause', weight: 3, act: buying.pause },
  { name: 'pay now', weight: 4, act: buying.payNow },
  { name: 'another card', weight: 4, act: buying.replaceCard },
  { name: 'replace a key', weight: 2, act: buying.replaceKey },
  { name: 'the bank of a card', weight: 5, act: buying.changeBankAnswer },
  { name: 'refund', weight: 8, act: selling.refund },
  { name: 'object', weight: 3, act: selling.disputeCharge },
  { name: 'settle a dispute', weight: 9, act: selling.settleDispute },
  { name: 'enter a bank account', weight: 5, act: selling.enterBankAccount },
  { name: 'ask for a payout', weight: 4, act: selling.requestSomePayout },
  { name: 'file taxes', weight: 2, act: selling.fileTaxes },
  { name: 'replace plans', weight: 3, act: selling.replacePlans },
  { name: 'offer a discount code', weight: 3, act: offerCode },
  { name: 'switch a discount code', weight: 1, act: switchCode },
  { name: 'the add-on', weight: 1, act: selling.changeAddOn },
  { name: 'suspend', weight: 1, act: selling.suspend },
  { name: 'reinstate', weight: 4, act: selling.reinstate },
  { name: 'pay a buyer', weight: 4, act: selling.payBuyer },
  { name: 'write off', weight: 1, act: selling.forgive },
]

const BUYING = ACTIONS.filter(({ name }) => name === 'buy')

/** Actions that can be concurrent: no days pass while a person waits for an answer. */
const CONCURRENT_ACTIONS: readonly Action[] = [
  ...ACTIONS.filter(({ name }) => !name.endsWith(' pass')),
  {
    name: 'work',
    weight: 12,
    async act(fixture) {
      await workOnce(fixture)
      return 'a round'
    },
  },
]

/** The result of a simulation: the broken rule if there is one, and the trace. */
export interface SeedRun {
  seed: number
  actions: number
  /** The first broken rule, with its facts. */
  broken: { rule: string; facts: string } | undefined
  trace: string[]
}

/** The discount codes that the first buyers find. */
const CODES = 3
const NEWCOMERS = [4, 2]
const ROUNDS = NEWCOMERS.length
const LEAST_ACTIONS = 7
const MAX_ACTIONS = 12
/** Each of these also happens in as many steps of a hundred. */
const ACTIONS_APART = [
  { stream: 'comp', actions: COMP_ACTIONS, percent: 15 },
  { stream: 'impo', actions: IMPORT_ACTIONS, percent: 15 },
  // An excess takes several steps.
  { stream: 'exce', actions: EXCESS_ACTIONS, percent: 30 },
  { stream: 'tran', actions: TRANSFER_ACTIONS, percent: 10 },
  { stream: 'acco', actions: ACCOUNT_ACTIONS, percent: 18 },
  { stream: 'supp', actions: SUPPORT_ACTIONS, percent: 20 },
  { stream: 'sale', actions: SALE_ACTIONS, percent: 20 },
  { stream: 'mail', actions: MAILBOX_ACTIONS, percent: 25 },
  { stream: 'susp', actions: SUSPENSION_ACTIONS, percent: 14 },
  { stream: 'code', actions: CODE_ACTIONS, percent: 14 },
  { stream: 'team', actions: MEMBER_ACTIONS, percent: 20 },
  { stream: 'owne', actions: OWNERSHIP_ACTIONS, percent: 15 },
  { stream: 'fact', actions: FACTOR_ACTIONS, percent: 25 },
  { stream: 'pass', actions: PASSKEY_ACTIONS, percent: 18 },
  { stream: 'sess', actions: SESSION_ACTIONS, percent: 14 },
  // Hashing a password takes longer than most actions.
  { stream: 'word', actions: PASSWORD_ACTIONS, percent: 5 },
]
const STREAMS = ACTIONS_APART.map(({ stream }) => stream)
const CONCURRENT_PERCENT = 40

/** Simulates months of trade from a seed, and checks all rules after each round. */
export async function runSeed(harness: Harness, seed: number, fault?: Fault): Promise<SeedRun> {
  await harness.clear(seed)
  const fixture = await openFixture(harness, seed, STREAMS)
  for (let index = 0; index < CODES; index++) await offerCode(fixture, fixture.rng.fork())
  // A payout needs a bank and weeks of sales before it.
  for (const { seller_id } of fixture.sellers)
    await selling.enterBank(fixture, fixture.rng.fork(), seller_id)
  harness.fault = fault
  let actions = 0
  const ended = (broken?: SeedRun['broken']) => ({ seed, actions, broken, trace: fixture.trace })
  try {
    for (let round = 0; round < ROUNDS; round++) {
      // The first buyers come first, or little could happen.
      for (let index = 0; index < NEWCOMERS[round]!; index++)
        actions += await runActions(fixture, BUYING)
      harness.network.loss_percent = fixture.rng.pick([0, 0, 0, 10, 40])
      const count = fixture.rng.between(LEAST_ACTIONS, MAX_ACTIONS)
      for (let index = 0; index < count; index++) actions += await runActions(fixture)
      await rest(fixture)
      const broken = await rulesBroken(fixture)
      if (broken) return ended(broken)
    }
  } catch (error) {
    return ended({ rule: 'nothing fails that was not made to fail', facts: wordsOf(error) })
  } finally {
    harness.fault = undefined
  }
  return ended()
}

/** The result of a seed, with what a developer needs to fix the bug. */
export function reportOf({ seed, trace, broken }: SeedRun): string {
  if (!broken) return `seed ${seed}: no rule is broken`
  return [
    `seed ${seed}`,
    ...trace.map((line) => `  ${line}`),
    `broken: ${broken.rule}`,
    broken.facts,
    `again: npm run simulate -- --from ${seed} --seeds 1`,
  ].join('\n')
}

/**
 * One action, or several at once; the process may crash during it. Returns the number of actions.
 */
async function runActions(fixture: Fixture, wanted = ACTIONS): Promise<number> {
  const { rng, harness } = fixture
  const count = rng.odds(12) ? rng.between(2, 3) : 1
  const actions = wanted === ACTIONS && count > 1 ? CONCURRENT_ACTIONS : wanted
  const actors = Array.from({ length: count }, () => rng.fork())
  const last = rng.odds(15) ? rng.between(1, 90) : Number.POSITIVE_INFINITY
  const at_once = count > 1
  const own = fixture.apart_rngs.map((each) => each.fork())
  const others = async () =>
    await untilKilled(last, async () => {
      await Promise.all(actors.map((each) => act(fixture, each, { actions, at_once })))
    })
  const [{ killed }, apart] = at_once
    ? await Promise.all([others(), actApart(fixture, own, at_once)])
    : [await others(), 0]
  if (killed) {
    fixture.trace.push(
      `${timeOf(harness)} the process died at step ${last}, and another was started`,
    )
    harness.clock.pass(rng.between(1, 30))
    await workOnce(fixture)
  }
  return count + apart + (at_once ? 0 : await actApart(fixture, own, at_once))
}

/** Sometimes takes an action of each kind that is apart. Returns the number of actions. */
async function actApart(
  fixture: Fixture,
  streams: readonly SeededRandom[],
  at_once: boolean,
): Promise<number> {
  const acts = ACTIONS_APART.map(
    (apart, index) => () => actOn(fixture, streams[index]!, { ...apart, at_once }),
  )
  if (at_once) return sum(await Promise.all(acts.map((each) => each())))
  const counts: number[] = []
  for (const each of acts) counts.push(await each())
  return sum(counts)
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)

/**
 * Sometimes takes an action beside the others: as a process of its own that may crash, and with
 * random numbers of its own. Returns the number of actions.
 */
async function actOn(
  fixture: Fixture,
  own: SeededRandom,
  { actions, percent, at_once }: { actions: readonly Action[]; percent: number; at_once: boolean },
): Promise<number> {
  if (!own.odds(at_once ? CONCURRENT_PERCENT : percent)) return 0
  const last = own.odds(15) ? own.between(1, 30) : Number.POSITIVE_INFINITY
  const apart = { ...fixture, world: { ...fixture.world, random: own } }
  const { killed } = await untilKilled(last, async () => {
    await act(apart, own, { actions, at_once })
  })
  if (killed) {
    fixture.trace.push(
      `${timeOf(fixture.harness)} the process died at step ${last}, and another was started`,
    )
  }
  return 1
}

/** A person takes a possible action. */
async function act(
  fixture: Fixture,
  own: SeededRandom,
  facts: { actions: readonly Action[]; at_once: boolean },
): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const { name, act } = own.weigh(facts.actions)
    const line = `${timeOf(fixture.harness)} ${facts.at_once ? '& ' : ''}${name}`
    try {
      const outcome = await act(fixture, own)
      if (outcome === undefined) continue
      fixture.trace.push(`${line}: ${outcome}`)
    } catch (error) {
      fixture.trace.push(`${line}: (${(error as Error).message})`)
      if (!isExpected(error) && !(facts.at_once && isLate(error))) throw error
    }
    return
  }
}

/** Whether an action came after the app was transferred, or the account was signed out. */
function isLate(error: unknown): boolean {
  return error instanceof Problem && ['not_found', 'signed_out'].includes(error.code)
}

function timeOf({ clock }: Harness): string {
  return clock.now().toISOString().slice(0, 16).replace('T', ' ')
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.stack ?? error.message}` : String(error)
}
