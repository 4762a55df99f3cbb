import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as catalog from '#domain/catalog'
import { startDriftlog } from '#examples/driftlog'
import { startTidepool } from '#examples/tidepool'
import type { World } from '#flows/world'
import { ConfigError } from '#platform/config'
import { makeDataFolder } from '#platform/data-folder'
import type { AppId } from '#platform/ids'
import { appsWithFormerSecret, type DemoApp, type DemoFacts, seedCast } from './seed.ts'

/** A running demo: what to print for the person who started it, and how to stop it. */
export interface Demo {
  facts: DemoFacts
  text: string
  close(): Promise<void>
}

/** The last port that has two after it. */
const MOST_PORT = 65_533
const NO_PORTS_LEFT =
  `PORT: must be at most ${MOST_PORT}: the demo's sites use the two ports after it. ` +
  'Choose another PORT, or set DEMO=0.'

/** Seeds the cast, writes `demo.json`, and starts the sample sites on the next two ports. */
export async function startDemo(world: World): Promise<Demo> {
  const { config } = world
  if (config.port > MOST_PORT) throw new ConfigError(NO_PORTS_LEFT)
  const file = join(config.data_dir, 'demo.json')
  const unwritable = makeDataFolder(config.data_dir)
  if (unwritable) throw new ConfigError(unwritable.fault)
  const [port, sign_in_port] = [config.port + 1, config.port + 2]
  const facts = await seedCast(world, {
    sample_site_url: `http://localhost:${port}`,
    sign_in_site_url: `http://localhost:${sign_in_port}`,
    kept: readKept(file),
  })
  writeFileSync(file, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 })
  const sites = await startSites(world, facts, [port, sign_in_port]).catch(explainTakenPort)
  const close = async () => {
    for (const site of sites) await site.close()
  }
  const former = await appsWithFormerSecret(world.db, facts)
  return { facts, text: demoText(facts, { file, former }), close }
}

async function startSites(
  world: World,
  facts: DemoFacts,
  [port, sign_in_port]: [number, number],
): Promise<{ close(): Promise<void> }[]> {
  const { base_url, host } = world.config
  const place = { base_url, host }
  return [
    await startTidepool({
      ...credentialsOf(facts.app),
      ...place,
      port,
      public_url: facts.sample_site_url,
    }),
    await startDriftlog({
      ...credentialsOf(facts.sign_in_app),
      ...place,
      port: sign_in_port,
      public_url: facts.sign_in_site_url,
      paid_products: await paidProductIds(world, facts.sign_in_app.client_id),
    }),
  ]
}

/** The port in such an error is none that a setting names. */
function explainTakenPort(error: NodeJS.ErrnoException & { port?: number }): never {
  if (error.code !== 'EADDRINUSE') throw error
  throw new ConfigError(
    `Port ${error.port} is taken by another program. The demo's sites use the two ports after PORT. ` +
      'Choose another PORT, or set DEMO=0.',
  )
}

function credentialsOf({ client_id, client_secret }: DemoApp) {
  return { client_id, client_secret }
}

/** The IDs of the plans of an app that cost something. */
async function paidProductIds({ db }: World, app_id: AppId): Promise<string[]> {
  return (await catalog.paidProducts(db, app_id)).map(({ id }) => id)
}

function readKept(file: string): Partial<DemoFacts> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** What the person who started the demo reads. */
export function demoText(
  facts: DemoFacts,
  { file, former }: { file: string; former: readonly DemoApp[] },
): string {
  const { base_url, sample_site_url, sign_in_site_url, buyer, seller, app } = facts
  return [
    '',
    'Purser is ready.',
    '',
    `  The service        ${base_url}/`,
    `  A seller's site    ${sample_site_url}/   (press Buy; the card is 4242 4242 4242 4242)`,
    `  One to sign in to  ${sign_in_site_url}/   (buyers come back signed in)`,
    `  Its product page   ${base_url}/apps/${app.slug}/`,
    `  Emails             ${base_url}/dev/mailbox/`,
    `  The API            ${base_url}/api/v1/docs/`,
    '',
    `  Buyer              ${buyer.email}   ${buyer.password}`,
    `  Seller             ${seller.email}   ${seller.password}`,
    '',
    `  All of it, for programs: ${file}`,
    '',
    ...former.flatMap(({ slug }) => [
      `  The client secret of ${slug} was replaced or revoked, so its site is refused. Enter the`,
      '  new one in that file and restart, or remove it there to create another one.',
      '',
    ]),
  ].join('\n')
}
