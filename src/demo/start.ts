import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTidepool } from '#examples/tidepool'
import type { World } from '#flows/world'
import { type DemoFacts, seedCast } from './seed.ts'

/** The demo as it runs: what to tell whoever started it, and the way to end it. */
export interface Demo {
  facts: DemoFacts
  words: string
  close(): Promise<void>
}

/** Seeds the cast, writes `demo.json`, and starts the sample site on the next port. */
export async function startDemo(world: World): Promise<Demo> {
  const { config } = world
  const file = join(config.data_dir, 'demo.json')
  const port = config.port + 1
  const facts = await seedCast(world, {
    sample_site_url: `http://localhost:${port}`,
    kept: readKept(file),
  })
  mkdirSync(config.data_dir, { recursive: true })
  writeFileSync(file, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 })
  const { client_id, client_secret } = facts.app
  const site = await startTidepool({
    base_url: config.base_url,
    client_id,
    client_secret,
    port,
    host: config.host,
    public_url: facts.sample_site_url,
  })
  return { facts, words: tell(facts, file), close: () => site.close() }
}

function readKept(file: string): DemoFacts | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function tell(facts: DemoFacts, file: string): string {
  const { base_url, sample_site_url, buyer, seller, app } = facts
  return [
    '',
    'Purser is ready.',
    '',
    `  The service        ${base_url}/`,
    `  A seller's site    ${sample_site_url}/   (press Buy; the card is 4242 4242 4242 4242)`,
    `  Its product page   ${base_url}/apps/${app.slug}/`,
    `  Letters            ${base_url}/dev/mailbox/`,
    `  The API            ${base_url}/api/v1/docs/`,
    '',
    `  Buyer              ${buyer.email}   ${buyer.password}`,
    `  Seller             ${seller.email}   ${seller.password}`,
    '',
    `  All of it, for programs: ${file}`,
    '',
  ].join('\n')
}
