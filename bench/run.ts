/**
 * Measures the service on PostgreSQL, every figure beside a baseline of the same run: servers on
 * one core, the load on the other, alternating rounds. Limits, request IDs and logging are on.
 *
 *   npm run bench -- --licenses 1000000 --rounds 5 --seconds 4
 *   npm run bench -- --only validate,checkouts
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PriceId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { countFlag } from '../scripts/count-flag.ts'
import { readArguments } from '../scripts/read-arguments.ts'
import { findPostgres, freePort, startPostgres } from '../scripts/throwaway-postgres.ts'
import { type DemoFacts, enableSignIn } from '../src/demo/seed.ts'
import type { Service } from '../src/service.ts'
import { Agent } from '../test/support/agent.ts'
import { overHttp } from '../test/support/process.ts'
import { checkoutSteps, type StepCost } from './checkout-steps.ts'
import { emails } from './emails.ts'
import { idleDemo, memoryOf } from './memory.ts'
import { generate, load, type Round, type Server, startServer } from './processes.ts'
import { scaling } from './scaling.ts'
import { seed } from './seed.ts'
import { openSubject, subjectSettings } from './subject.ts'
import { warmUp } from './warm-up.ts'

const USAGE = `Usage: npm run bench -- --only validate,checkouts

Measures the service on PostgreSQL, every figure beside a baseline of the same run.

  --licenses   how many licenses there are (100000)
  --rounds     how many rounds (5)
  --seconds    the length of a round (3)
  --only       the measurements to run, separated by commas; all by default`

const { values: chosen } = readArguments(USAGE, {
  options: {
    licenses: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    /** The measurements to run, separated by commas; all by default. */
    only: { type: 'string' },
  },
})
const only = chosen.only?.split(',')
const isChosen = (name: string) => only === undefined || only.includes(name)
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'purser-bench-'))
const licenses = countFlag('licenses', chosen.licenses)
const seconds = countFlag('seconds', chosen.seconds)
const rounds = countFlag('rounds', chosen.rounds)
const lasting = { SECONDS: String(seconds * 2) }

const programs = findPostgres()
if (!programs)
  throw new Error('The benchmark needs a PostgreSQL server (apt-get install postgresql).')
const postgres = await startPostgres(programs, ['shared_buffers=512MB', 'max_wal_size=4GB'])
try {
  await main()
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const env = await subjectSettings(postgres.url, folder)
  const barePort = await freePort()
  console.log(`Seeding ${licenses.toLocaleString('en-US')} licenses …`)
  const { service, demo } = await openSubject(env)
  // One app serves every kind of load, so that all of it uses the same licenses.
  await enableSignIn(service.world, {
    client_id: demo.app.client_id,
    site_url: demo.sample_site_url,
  })
  const requests = await seed(service.world, demo, { licenses, folder })
  const { client_id, client_secret } = demo.app
  const prices = await service.app.inject(`/api/v1/public/apps/${client_id}/prices/`)
  const results: Record<string, unknown> = { licenses }
  if (isChosen('checkout-steps')) results.checkout_steps = await steps(service, demo)
  await service.close()
  if (isChosen('emails')) results.emails = await emails(env, demo)

  const log = join(folder, 'server.log')
  const server = await startServer('src/main.ts', env, `${env.BASE_URL}/healthz`, log)
  const bareUrl = `http://127.0.0.1:${barePort}`
  const bareEnv = {
    ...env,
    PORT: String(barePort),
    CLIENT_ID: client_id,
    PRICES: prices.body,
  }
  const bare = await startServer('bench/bare.ts', bareEnv, bareUrl, log)
  const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
  try {
    for (const [name, file] of Object.entries(requests)) {
      if (!isChosen(name)) continue
      const pairs = compare(file, [env.BASE_URL, bareUrl], authorization)
      results[name] = report(name, pairs)
    }
    if (isChosen('sign-ins')) results.sign_ins = await signIns(env, demo, log)
    if (isChosen('checkouts'))
      results.checkouts = checkouts(server, env.BASE_URL, demo.app.prices[0]!.public_id)
    if (isChosen('memory')) results.memory = memoryOf({ service: server, bare })
  } finally {
    await bare.stop()
    await server.stop()
  }
  if (isChosen('scaling')) {
    results.scaling = await scaling({ env, requests, authorization, log, seconds, rounds })
  }
  if (isChosen('idle')) results.idle_demo = await idleDemo(folder, log)
  mkdirSync(join(root, '.build'), { recursive: true })
  const file = join(root, '.build/bench.json')
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  console.log(`\nWritten to .build/bench.json`)
}

type Pair = [service: Round, bare: Round]

/** Alternating rounds of the service and the baseline, once both are warm. */
function compare(file: string, urls: [string, string], authorization: string): Pair[] {
  const facts = { requests: file, authorization, seconds }
  return inTurn(urls, (url) => load({ ...facts, url }))
}

function inTurn(urls: [string, string], round: (url: string) => Round): Pair[] {
  for (const url of urls) warmUp(() => round(url))
  return Array.from({ length: rounds }, () => urls.map(round) as Pair)
}

function report(name: string, pairs: Pair[]) {
  const middle = (of: (pair: Pair) => number) => {
    const sorted = pairs.map(of).sort((left, right) => left - right)
    return sorted[Math.floor(sorted.length / 2)]!
  }
  const summary = (side: 0 | 1) => ({
    rate: Math.round(middle((pair) => pair[side].rate)),
    p50_ms: middle((pair) => pair[side].p50_ms),
    p99_ms: middle((pair) => pair[side].p99_ms),
    bad: pairs.reduce((sum, pair) => sum + pair[side].bad, 0),
  })
  const result = {
    service: summary(0),
    bare: summary(1),
    ratio: Math.round(middle(([service, bare]) => service.rate / bare.rate) * 1000) / 1000,
  }
  console.log(`\n${name}: ${result.ratio} of bare node:http`)
  console.table({ service: result.service, bare: result.bare })
  const bad = result.service.bad + result.bare.bad
  if (bad > 0) throw new Error(`${name}: ${bad} requests failed, so the ratio means nothing`)
  return result
}

/** What each step of a checkout costs, and their total. */
async function steps(service: Service, demo: DemoFacts): Promise<Record<string, StepCost>> {
  const costs = await checkoutSteps(service, demo)
  const sumOf = (of: (cost: StepCost) => number) =>
    Object.values(costs).reduce((sum, cost) => sum + of(cost), 0)
  const total = {
    statements: sumOf(({ statements }) => statements),
    commits: sumOf(({ commits }) => commits),
    service_ms: sumOf(({ service_ms }) => service_ms),
    postgres_ms: sumOf(({ postgres_ms }) => postgres_ms),
  }
  const rounded = ({ statements, commits, service_ms, postgres_ms }: StepCost) => ({
    statements: Math.round(statements),
    commits: Math.round(commits),
    service_ms: Math.round(service_ms * 10) / 10,
    postgres_ms: Math.round(postgres_ms * 10) / 10,
  })
  const table = Object.entries({ ...costs, total }).map(([name, cost]) => [name, rounded(cost)])
  console.log(
    '\none checkout: statements, commits, and CPU of service and PostgreSQL in milliseconds',
  )
  console.table(Object.fromEntries(table))
  return Object.fromEntries(table)
}

/**
 * The rate of complete checkouts, while the database and the buyers use the same machine, and what
 * one core completes that has nothing to do but the service.
 */
function checkouts(server: Server, base_url: string, price_id: PriceId) {
  const once = () =>
    generate('bench/checkouts.ts', { ...lasting, BASE_URL: base_url, PRICE_ID: price_id })
  warmUp(once)
  const cpu_before = server.cpuSeconds()
  const { completed, ...round } = once()
  const per_core = Math.round(completed / (server.cpuSeconds() - cpu_before))
  const service = { ...round, rate: Math.round(round.rate * 10) / 10, per_core }
  console.log('\ncomplete checkouts of four pages, per second, and per second of the service’s CPU')
  console.table({ service })
  return service
}

/**
 * Complete sign-ins beside those of the bare library, which finds the same session in the
 * database.
 */
async function signIns(env: Record<string, string>, demo: DemoFacts, log: string) {
  const { client_id, client_secret } = demo.app
  const redirect_uri = `${demo.sample_site_url}/auth/callback`
  const listen = await freePort()
  const url = `http://127.0.0.1:${listen}`
  const bareEnv = { ...env, LISTEN: String(listen) }
  const bare = await startServer('bench/bare-sign-in.ts', bareEnv, `${url}/o/jwks`, log)
  const facts = {
    CLIENT_ID: client_id,
    CLIENT_SECRET: client_secret,
    REDIRECT_URI: redirect_uri,
    COOKIES: await signedIn(env.BASE_URL!, demo, redirect_uri),
  }
  try {
    const pairs = inTurn([env.BASE_URL!, url], (target) =>
      generate('bench/sign-ins.ts', { ...lasting, ...facts, TARGET: target }),
    )
    return report('sign-ins', pairs)
  } finally {
    await bare.stop()
  }
}

/** The cookies of a person who signed in and consented on the pages. */
async function signedIn(base_url: string, demo: DemoFacts, redirect_uri: string): Promise<string> {
  const person = new Agent(overHttp(base_url), base_url)
  const params = new URLSearchParams({
    client_id: demo.app.client_id,
    redirect_uri,
    response_type: 'code',
    scope: 'openid entitlements',
    code_challenge: sha256('a verifier that is not used').toString('base64url'),
    code_challenge_method: 'S256',
  })
  await person.open('/signin/')
  await person.submit('Sign in', { ...demo.buyer })
  await person.open(`/o/auth?${params}`)
  await person.submit('Allow')
  return person.cookie
}
