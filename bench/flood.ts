/**
 * A flood of sign-up forms beside license validations: ten forms a second from one address, each
 * with a password that is slow to estimate. Prints the p99 of validations beside its quiet value,
 * as a ratio; the target is at most three.
 *
 *   npm run bench:flood -- --seconds 10
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent as Connections } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countFlag } from '../scripts/count-flag.ts'
import { readArguments } from '../scripts/read-arguments.ts'
import { findPostgres, startPostgres } from '../scripts/throwaway-postgres.ts'
import type { DemoFacts } from '../src/demo/seed.ts'
import { Agent } from '../test/support/agent.ts'
import { overHttp } from '../test/support/process.ts'
import { licenseKey, purchase } from '../test/support/purchase.ts'
import { sendRequest } from './generator.ts'
import { startServer } from './processes.ts'
import { openSubject, subjectSettings } from './subject.ts'

const VALIDATIONS_A_SECOND = 100
const FORMS_A_SECOND = 10
const FLOODER = '203.0.113.66'
const HARDEST = '4@8({[<3€61!|70$5+7%2'.repeat(12)
const AIM = 3

const USAGE = `Usage: npm run bench:flood -- --seconds 10

Measures license validations beside a flood of sign-up forms: the p99 beside its quiet value.

  --seconds   the length of a round (10)
  --rounds    how many rounds (3)`

const { values: chosen } = readArguments(USAGE, {
  options: { seconds: { type: 'string', default: '10' }, rounds: { type: 'string', default: '3' } },
})
const seconds = countFlag('seconds', chosen.seconds)
const rounds = countFlag('rounds', chosen.rounds)
const folder = mkdtempSync(join(tmpdir(), 'purser-flood-'))
const programs = findPostgres()
if (!programs)
  throw new Error('The benchmark needs a PostgreSQL server (apt-get install postgresql).')
const postgres = await startPostgres(programs, [])
try {
  await main(postgres.url)
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function main(database_url: string): Promise<void> {
  const env = await subjectSettings(database_url, folder)
  const { demo, license_key } = await prepare(env)
  const log = join(folder, 'server.log')
  const server = await startServer('src/main.ts', env, `${env.BASE_URL}/healthz`, log)
  try {
    const validate = validator(env.BASE_URL, demo, license_key)
    const form = await signUpForm(env.BASE_URL)
    await paced(VALIDATIONS_A_SECOND, 2, validate)
    const ratios: number[] = []
    for (let round = 0; round < rounds; round++) {
      const quiet = p99(await paced(VALIDATIONS_A_SECOND, seconds, validate))
      const flood = paced(FORMS_A_SECOND, seconds, form)
      const flooded = p99(await paced(VALIDATIONS_A_SECOND, seconds, validate))
      await flood
      ratios.push(flooded / quiet)
      const shown = (ms: number) => `${ms.toFixed(1)} ms`
      console.log(`quiet p99 ${shown(quiet)}, under the flood ${shown(flooded)}`)
    }
    const middle = ratios.sort((left, right) => left - right)[Math.floor(ratios.length / 2)]!
    console.log(`\nvalidations during a flood: p99 ${middle.toFixed(2)} times the quiet one`)
    console.log(`the target is at most ${AIM} times`)
  } finally {
    await server.stop()
  }
}

/** Seeds the database with the cast and one purchase. */
async function prepare(env: Record<string, string>) {
  const { service, demo } = await openSubject(env)
  const buyer = new Agent(service.app, env.BASE_URL!)
  const page = await purchase({ ...service, demo } as never, buyer, { email: 'flood@example.com' })
  await service.close()
  return { demo, license_key: licenseKey(page) }
}

/** A validation from a separate address; throws unless it succeeds. */
function validator(base_url: string, demo: DemoFacts, key: string): () => Promise<void> {
  const { client_id, client_secret } = demo.app
  const connections = new Connections({ keepAlive: true, maxSockets: 32 })
  const body = JSON.stringify({ key })
  const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
  let caller = 0
  return async () => {
    caller = (caller + 1) % 65_536
    const headers = {
      authorization,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-forwarded-for': `10.9.${caller >> 8}.${caller & 255}`,
    }
    const url = new URL('/api/v1/licenses/validate', base_url)
    const { status } = await sendRequest(connections, url, { method: 'POST', headers, body })
    if (status !== 200) throw new Error(`a validation returned ${status}`)
  }
}

/** A sign-up form of the flood, with a password that is slow to estimate. */
async function signUpForm(base_url: string): Promise<() => Promise<void>> {
  const browser = new Agent(overHttp(base_url), base_url)
  await browser.open('/signup/')
  const { csrf_token = '' } = browser.form('Create account')
  const connections = new Connections({ keepAlive: true, maxSockets: 32 })
  let count = 0
  return async () => {
    const email = `flood-${++count}@example.com`
    const form = new URLSearchParams({ csrf_token, email, password: HARDEST }).toString()
    const headers = { cookie: browser.cookie, origin: base_url, 'x-forwarded-for': FLOODER }
    await sendRequest(connections, new URL('/signup/', base_url), { method: 'POST', headers, form })
  }
}

/** Starts a task at a fixed rate, whether or not earlier ones have ended; returns the durations. */
async function paced(rate: number, lasting: number, task: () => Promise<void>): Promise<number[]> {
  const started = performance.now()
  const times: Promise<number>[] = []
  for (let index = 0; index < rate * lasting; index++) {
    const due = started + (index * 1000) / rate
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    // Measured from the due time, so that a blocked server does not hide the wait.
    times.push(task().then(() => performance.now() - due))
  }
  return await Promise.all(times)
}

function p99(times: number[]): number {
  const sorted = times.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length * 0.99)]!
}
