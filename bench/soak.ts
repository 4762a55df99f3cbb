/**
 * Whether the memory of a web process and of a worker stays flat: a steady mixed load of lookups,
 * prices and checkouts, with the resident sets once a minute.
 *
 *   npm run bench:soak -- --minutes 60 --rate 300
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { countFlag } from '../scripts/count-flag.ts'
import { readArguments } from '../scripts/read-arguments.ts'
import { findPostgres, freePort, startPostgres } from '../scripts/throwaway-postgres.ts'
import { enableSignIn } from '../src/demo/seed.ts'
import { sendRequest } from './generator.ts'
import { generateBeside, startServer } from './processes.ts'
import { seed } from './seed.ts'
import { openSubject, subjectSettings } from './subject.ts'

const USAGE = `Usage: npm run bench:soak -- --minutes 60

Measures whether the memory of a web process and of a worker stays flat under a steady load.

  --minutes   how long (60)
  --rate      lookups a second (300)`

const { values: chosen } = readArguments(USAGE, {
  options: {
    minutes: { type: 'string', default: '60' },
    /** Lookups a second. */
    rate: { type: 'string', default: '300' },
  },
})
const LICENSES = 20_000
const TICK_MS = 50
const minutes = countFlag('minutes', chosen.minutes)
const rate = countFlag('rate', chosen.rate)
const folder = mkdtempSync(join(tmpdir(), 'purser-soak-'))
const programs = findPostgres()
if (!programs)
  throw new Error('The benchmark needs a PostgreSQL server (apt-get install postgresql).')
const postgres = await startPostgres(programs)
try {
  await soak()
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

interface Sample {
  minute: number
  web_mb: number
  worker_mb: number
  answered: number
}

async function soak(): Promise<void> {
  const { env, lines, authorization, price_id } = await prepare()
  const { BASE_URL: url } = env
  const start = (more: Record<string, string>, address: string) =>
    startServer('src/main.ts', { ...env, ...more }, address, join(folder, 'log'), 'any')
  const web = await start({ PURSER_ROLE: 'web' }, `${url}/healthz`)
  const port = String(await freePort())
  // It answers health checks only.
  const worker = await start(
    { PURSER_ROLE: 'worker', PORT: port },
    `http://127.0.0.1:${port}/healthz`,
  )
  const samples: Sample[] = []
  const sending = startLoad(url, lines, authorization)
  try {
    for (let minute = 1; minute <= minutes; minute++) {
      await sleep(60_000)
      // Every fifth minute some buyers check out; they use the pages, the PDFs and the emails.
      if (minute % 5 === 1) {
        await generateBeside('bench/checkouts.ts', {
          SECONDS: '3',
          BASE_URL: url,
          PRICE_ID: price_id,
        })
      }
      const resident = { web_mb: web.residentMb(), worker_mb: worker.residentMb() }
      samples.push({ minute, ...resident, answered: sending.answered() })
      console.log(JSON.stringify(samples.at(-1)))
    }
  } finally {
    const failed = await sending.stop()
    await web.stop()
    await worker.stop()
    report(samples, failed)
  }
}

/** A database with licenses, and a line for each request. */
async function prepare() {
  const env = await subjectSettings(postgres.url, folder)
  const { service, demo } = await openSubject(env)
  const { client_id, client_secret, prices } = demo.app
  await enableSignIn(service.world, { client_id, site_url: demo.sample_site_url })
  const files = await seed(service.world, demo, { licenses: LICENSES, folder })
  await service.close()
  const all = Object.values(files).map((file) => readFileSync(file, 'utf8').trim().split('\n'))
  const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
  return { env, lines: all, authorization, price_id: prices[0]!.public_id }
}

/** Sends requests of each kind in turn at the chosen rate; answers with an error are counted. */
function startLoad(base: string, kinds: string[][], authorization: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  let sent = 0
  let answered = 0
  let failed = 0
  const send = async () => {
    const kind = kinds[sent % kinds.length]!
    const line = kind[Math.floor(sent / kinds.length) % kind.length]!
    const caller = `10.7.${(sent >> 8) & 255}.${sent & 255}`
    sent++
    const [, method = '', path = '', rest = ''] = /^(\S+) (\S+) ?(.*)$/.exec(line)!
    const isToken = rest.startsWith('Bearer ')
    const headers = {
      authorization: isToken ? rest : authorization,
      'x-forwarded-for': caller,
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    }
    const call = { method, headers, ...(method === 'POST' && { body: rest }) }
    const answer = await sendRequest(agent, new URL(path, base), call).catch(() => undefined)
    if (answer?.status === 200) answered++
    else failed++
  }
  const start = performance.now()
  const timer = setInterval(() => {
    const due = ((performance.now() - start) / 1000) * rate
    while (sent < due) void send()
  }, TICK_MS)
  return {
    answered: () => answered,
    async stop() {
      clearInterval(timer)
      await sleep(1_000)
      agent.destroy()
      return failed
    },
  }
}

/** The means of the second quarter, when everything is warm, and of the last one. */
function report(samples: Sample[], failed: number): void {
  const quarter = Math.floor(samples.length / 4)
  const mean = (role: 'web_mb' | 'worker_mb', from: number) => {
    const part = samples.slice(from, from + quarter).map((sample) => sample[role])
    return Math.round(part.reduce((sum, one) => sum + one, 0) / Math.max(1, part.length))
  }
  const of = (role: 'web_mb' | 'worker_mb') => ({
    second_quarter_mb: mean(role, quarter),
    last_quarter_mb: mean(role, samples.length - quarter),
  })
  const result = { web: of('web_mb'), worker: of('worker_mb') }
  console.log(`\nresident sets under a steady load; ${failed} requests failed`)
  console.table(result)
  const folder = fileURLToPath(new URL('../.build', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const all = { ...result, failed, samples }
  writeFileSync(join(folder, 'bench-soak.json'), `${JSON.stringify(all, null, 2)}\n`)
}
