import assert from 'node:assert/strict'
import { Agent } from '../support/agent.ts'
import { enterCard, TEXAS } from '../support/purchase.ts'
import type { Cluster, Node } from './cluster.ts'
import type { KilledWork, Subject } from './killed-work.ts'
import { PAY, pay } from './load.ts'
import { recorded } from './over-http.ts'
import { assertRecovered, type Reader, unrecovered } from './sound.ts'

/** Everything that was left is taken up at this age: the claims of a renewal last longest. */
const LEFT_FOR_SECONDS = 90
const LOOKS = 5
const RECONCILED_AFTER_SECONDS = 5
/** A payment whose request was lost is closed at this age. */
const LOST_FOR_MS = 25_000

/** Where work is killed: a database, and the clock of the nodes on it. */
export interface KillSite {
  work: KilledWork
  cluster: Cluster
  world: Reader
  ahead: { ms: number }
}

/** What was begun: the buyer, if there is one, and the steps where nothing was killed. */
interface StartedWork {
  browser: Agent | undefined
  steps: string[] | undefined
}

/** Has a node do the work for a subject; asserts that it died where `kill_at` is given. */
export async function startWork(
  site: KillSite,
  node: Node,
  subject: Subject,
  kill_at?: number,
): Promise<StartedWork> {
  const { work, world, ahead } = site
  if (work.separate) await world.db.run(work.separate)
  ahead.ms = Math.max(ahead.ms, subject.at.getTime() - Date.now() + 1_000)
  await tellTime(site, node)
  const { run, buys } = subject
  const browser = buys && (await goToPay(site, node, subject.email, buys))
  let steps: string[] | undefined
  if (run) steps = await node.command({ kind: 'run', facts: run, kill_at })
  else if (work.processor) steps = await reconcileLost(site, node, browser!, kill_at)
  else steps = await payOnce(node, browser!, kill_at)
  if (kill_at !== undefined) await assertKilled(node, steps)
  return { browser, steps }
}

async function assertKilled(node: Node, steps: string[] | undefined): Promise<void> {
  assert.equal(steps, undefined, `it was not killed in ${steps?.length} steps`)
  assert.equal(await node.exit, null)
}

async function tellTime({ ahead }: KillSite, node: Node): Promise<void> {
  await node.command({ kind: 'clock', ahead_ms: ahead.ms })
}

/** Takes a buyer to the page with the Pay button of a price. */
async function goToPay({ cluster }: KillSite, node: Node, email: string, price: string) {
  const browser = browserAt(cluster, node)
  await browser.open(`/buy/${price}/`)
  await browser.submit('Continue', { email, ...TEXAS })
  await enterCard(browser)
  return browser
}

let addresses = 0

/** A browser at a node, with what another one of the same buyer remembers. */
function browserAt({ settings }: Cluster, node: Node, before?: Agent): Agent {
  addresses++
  const address = `10.100.${(addresses >> 8) & 255}.${addresses & 255}`
  const cookies = before ? { cookies: before.cookies } : {}
  const browser = new Agent(recorded(node.url, []), settings.BASE_URL!, { address, ...cookies })
  if (before) browser.page = before.page
  return browser
}

async function payOnce(
  node: Node,
  browser: Agent,
  kill_at?: number,
): Promise<string[] | undefined> {
  await node.command({ kind: 'arm', path: '/confirm', kill_at })
  const isAnswered = await browser.submit(PAY).then(
    () => true,
    () => false,
  )
  return isAnswered ? await node.command({ kind: 'steps' }) : undefined
}

/** A payment whose request or answer is lost, and its reconciliation. */
async function reconcileLost(site: KillSite, node: Node, browser: Agent, kill_at?: number) {
  await node.command({ kind: 'processor', state: site.work.processor! })
  const { status } = await browser.submit(PAY)
  assert.equal(status, 202, 'the buyer waits')
  await node.command({ kind: 'processor', state: 'answers' })
  site.ahead.ms += LOST_FOR_MS
  await tellTime(site, node)
  return await node.command({ kind: 'run', facts: { work: 'recover' }, kill_at })
}

/** Has a node recover what it finds, or asserts that it dies at a step of that. */
export async function recover(site: KillSite, node: Node, kill_at?: number): Promise<string[]> {
  const after = async (seconds: number) => {
    site.ahead.ms += seconds * 1_000
    await tellTime(site, node)
    return await node.command({ kind: 'run', facts: { work: 'recover' }, kill_at })
  }
  const steps = await after(LEFT_FOR_SECONDS)
  if (kill_at !== undefined) {
    await assertKilled(node, steps)
    return []
  }
  await after(site.work.repeated_after_seconds ?? LEFT_FOR_SECONDS)
  // As the polls of a node, which repeat what a busy machine made fail.
  for (let look = 0; look < LOOKS && (await unrecovered(site.world)).length > 0; look++) {
    await after(RECONCILED_AFTER_SECONDS)
  }
  assert.doesNotMatch(node.output(), /a run failed/)
  return steps!
}

/**
 * Asserts that after a recovery the work was done once or not at all, by the processor and in our
 * records alike; once, if it was due; once when it was asked for again; and that all is sound.
 */
export async function assertOnce(
  { work, world, cluster }: KillSite,
  node: Node,
  subject: Subject,
  before: Agent | undefined,
): Promise<void> {
  const times = () => world.db.one<{ outside: number; inside: number }>(work.times(subject))
  const { outside, inside } = await times()
  const isDue = subject.run?.work === 'renew' || subject.run?.work === 'payout'
  assert.ok(outside === 1 || (outside === 0 && !isDue), `the processor did it ${outside} times`)
  const found = `${inside} recorded, ${outside} at the processor\n${node.output()}`
  assert.equal(inside, outside, found)
  await assertRecovered(world)
  if (before) await pay(browserAt(cluster, node, before))
  else await node.command({ kind: 'run', facts: subject.run!, kill_at: undefined })
  assert.deepEqual(await times(), { outside: 1, inside: 1 }, 'it is done once when asked again')
}

/**
 * At most `count` of the steps of a work, in order, as numbers from 1: first those around a commit
 * and a call to the processor, then statements, both spread evenly.
 */
export function pointsOf(steps: readonly string[], count: number): number[] {
  const numbers = steps.map((_, index) => index + 1)
  const isEdge = (number: number) => /commit|asked|answered/.test(steps[number - 1]!)
  const edges = spread(numbers.filter(isEdge), count)
  const others = numbers.filter((number) => !isEdge(number))
  return [...edges, ...spread(others, count - edges.length)].sort((one, two) => one - two)
}

function spread(numbers: readonly number[], count: number): number[] {
  if (numbers.length <= count) return [...numbers]
  return Array.from({ length: count }, (_, index) => {
    return numbers[Math.floor(((index + 0.5) * numbers.length) / count)]!
  })
}
