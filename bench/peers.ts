/**
 * Measures other software that does what Purser does, in the same run: servers on one core, load
 * on the other, alternating rounds. The peers are installed into a folder outside the project.
 *
 *   npm run bench:peers -- --rounds 3 --seconds 6
 *   npm run bench:peers -- --only vendure
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { countFlag } from '../scripts/count-flag.ts'
import { readArguments } from '../scripts/read-arguments.ts'
import { findPostgres, freePort, startPostgres } from '../scripts/throwaway-postgres.ts'
import { generate, type Round, SERVER_CORE, startProgram, startServer } from './processes.ts'
import { openSubject, subjectSettings } from './subject.ts'
import { warmUp } from './warm-up.ts'

/** What is installed for each peer, in versions that are known to work. */
const PEERS = {
  'better-auth': ['better-auth@1.7.25', 'pg@8.23.1'],
  vendure: ['@vendure/core@3.7.3', 'pg@8.23.1'],
  medusa: ['@medusajs/medusa@2.21.2', '@medusajs/framework@2.21.2', '@medusajs/cli@2.21.2'],
} as const
type Peer = keyof typeof PEERS

const USAGE = `Usage: npm run bench:peers -- --only vendure

Measures other software that does what Purser does, in the same run.

  --rounds    how many rounds (3)
  --seconds   the length of a round (6)
  --only      the peers to measure, separated by commas; all by default`

const { values: chosen } = readArguments(USAGE, {
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '6' },
    /** The peers to measure, separated by commas; all by default. */
    only: { type: 'string', default: Object.keys(PEERS).join() },
  },
})
const measured = countFlag('rounds', chosen.rounds)
const folder = mkdtempSync(join(tmpdir(), 'purser-peers-'))
const log = join(folder, 'servers.log')
const programs = findPostgres()
if (!programs)
  throw new Error('The benchmark needs a PostgreSQL server (apt-get install postgresql).')
const postgres = await startPostgres(programs, ['shared_buffers=512MB', 'max_wal_size=4GB'])
try {
  const results = await measurePeers()
  mkdirSync(fileURLToPath(new URL('../.build', import.meta.url)), { recursive: true })
  const file = fileURLToPath(new URL('../.build/bench-peers.json', import.meta.url))
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measurePeers(): Promise<Record<string, Record<string, Round>>> {
  const purser = await startPurser()
  const results: Record<string, Record<string, Round>> = {}
  try {
    for (const name of chosen.only.split(',') as Peer[]) {
      const server = await startPeer(name, purser.facts)
      try {
        const { title, sides } = loadsOf(name, purser, server.url)
        results[title] = inTurn(sides)
        console.log(`\n${title}, per second`)
        console.table(results[title])
      } finally {
        await server.stop()
      }
    }
  } finally {
    await purser.stop()
  }
  return results
}

/** A service with limits, request ids and logging, as the other benchmarks start it. */
async function startPurser() {
  const env = await subjectSettings(postgres.url, folder)
  const { BASE_URL: url } = env
  const { service, demo } = await openSubject(env)
  const { app, buyer } = demo
  await service.close()
  const { stop } = await startServer('src/main.ts', env, `${url}/healthz`, log)
  const facts = { EMAIL: buyer.email, PASSWORD: buyer.password, SECRET_KEY: env.SECRET_KEY }
  return { url, price_id: app.prices[0]!.public_id, facts, stop }
}

/** Installs a peer, and starts it on its own database. */
async function startPeer(name: Peer, facts: Record<string, string>) {
  const cwd = join(folder, name)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), '{"private": true}\n')
  console.log(`Installing ${PEERS[name].join(', ')} …`)
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...quietly, ...PEERS[name]], { cwd, stdio: 'inherit' })
  const program = join(cwd, 'server.mjs')
  copyFileSync(new URL(`peers/${name}.mjs`, import.meta.url), program)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const DATABASE_URL = await databaseFor(name)
  const settings = { PORT: String(port), DATABASE_URL, NODE_ENV: 'development' }
  const env = {
    ...facts,
    ...settings,
    PEERS_FOLDER: fileURLToPath(new URL('peers', import.meta.url)),
  }
  const { stop } = await startProgram([program], { env, address: url, log, core: SERVER_CORE, cwd })
  return { url, stop }
}

async function databaseFor(name: Peer): Promise<string> {
  const client = new pg.Client(postgres.url)
  await client.connect()
  const database = `peer_${name.replace('-', '_')}`
  await client.query(`create database ${database}`)
  await client.end()
  const url = new URL(postgres.url)
  url.pathname = `/${database}`
  return url.href
}

type Sides = Record<string, () => Round>

/** What both sides do, each under its own load. */
function loadsOf(
  name: Peer,
  purser: Awaited<ReturnType<typeof startPurser>>,
  target: string,
): { title: string; sides: Sides } {
  const lasting = { SECONDS: chosen.seconds, ...purser.facts }
  if (name === 'better-auth') {
    const at = (TARGET: string, PEER: string) => () =>
      generate('bench/peer-sign-ins.ts', { ...lasting, TARGET, PEER })
    return {
      title: 'sign-ins with email and password',
      sides: { purser: at(purser.url, ''), 'better-auth': at(target, name) },
    }
  }
  const bought = { ...lasting, BASE_URL: purser.url, PRICE_ID: purser.price_id }
  const SHOP = join(folder, name, 'shop.json')
  const ordered = { ...lasting, TARGET: target, PEER: name, SHOP }
  return {
    title: `orders, from the first step to the payment, beside ${name}`,
    sides: {
      purser: () => generate('bench/checkouts.ts', bought),
      [name]: () => generate('bench/peer-orders.ts', ordered),
    },
  }
}

/** Alternating rounds once all are warm; returns the round with the median rate of each. */
function inTurn(sides: Sides): Record<string, Round> {
  for (const run of Object.values(sides)) warmUp(run)
  const rounds: Record<string, Round[]> = {}
  for (let round = 0; round < measured; round++) {
    for (const [name, run] of Object.entries(sides)) {
      rounds[name] = [...(rounds[name] ?? []), run()]
    }
  }
  const middle = (of: Round[]) =>
    of.toSorted((left, right) => left.rate - right.rate)[Math.floor(of.length / 2)]!
  return Object.fromEntries(Object.entries(rounds).map(([name, of]) => [name, middle(of)]))
}
