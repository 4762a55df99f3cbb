import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { administrate } from '../support/database.ts'
import { canMount, mountDisk } from '../support/small-disk.ts'
import { readiness, terminateConnections, until, untilReady } from './cluster.ts'
import type { Fault } from './fault.ts'
import { underLoad } from './under-load.ts'

/** A database that refuses writes or connections. */
export const DATABASE_FAULTS: readonly Fault[] = [
  {
    name: 'postgres: read-only',
    run: (suite) =>
      underLoad(suite, {}, async ({ cluster, node, load }) => {
        const alter = (options: string) =>
          administrate(
            suite.server_url,
            `alter database ${cluster.database_url.pathname.slice(1)} ${options}`,
          )
        await alter('set default_transaction_read_only = on')
        await terminateConnections(cluster.database_url)
        await until('it is not ready', async () => (await readiness(node.url)) === 503)
        const seen = load.answers.length
        await until('requests are answered', () => load.answers.length > seen + 20)
        await alter('reset default_transaction_read_only')
        await terminateConnections(cluster.database_url)
        await untilReady(node.url)
        await load.purchases(1)
        return 1
      }),
  },
  {
    name: 'postgres: connection table full',
    run: (suite) =>
      underLoad(suite, {}, async ({ cluster, node, load }) => {
        const taken: pg.Client[] = []
        await terminateConnections(cluster.database_url)
        await takeConnections(cluster.database_url.href, taken)
        const seen = load.answers.length
        await until('requests are answered', () => load.answers.length > seen + 20)
        const full = taken.length
        await Promise.all(taken.map((client) => client.end()))
        await untilReady(node.url)
        await load.purchases(1)
        return full
      }),
  },
  {
    name: 'postgres: disk full',
    skip: () => (canMount() ? undefined : 'only root may mount a small file system'),
    run: (suite) =>
      underLoad(suite, {}, async ({ cluster, node, load }) => {
        const { folder: disk, unmount } = mountDisk(16)
        const data = makeData(disk, suite.server_owner)
        const name = `small_${cluster.database_url.pathname.slice(1)}`
        try {
          await administrate(suite.server_url, `create tablespace ${name} location '${data}'`)
          for (const table of WRITTEN) {
            await administrate(
              cluster.database_url.href,
              `alter table ${table} set tablespace ${name}`,
            )
          }
          fill(disk)
          await until(
            'writes are refused',
            () => load.answers.filter(({ status }) => status === 503).length > 5,
          )
          rmSync(join(disk, 'ballast'))
          await untilReady(node.url)
          await load.purchases(2)
          for (const table of WRITTEN) {
            await administrate(
              cluster.database_url.href,
              `alter table ${table} set tablespace pg_default`,
            )
          }
        } finally {
          rmSync(join(disk, 'ballast'), { force: true })
          // After a failure the tables are still on it, and the server has their files open.
          await administrate(suite.server_url, `drop tablespace if exists ${name}`).catch(() => {})
          unmount()
        }
        return 1
      }),
  },
]

/** What every purchase makes longer. */
const WRITTEN = ['carts', 'tax_quotes', 'audit_log']

/** Opens connections until the server has none left, also those that a node has just closed. */
async function takeConnections(url: string, taken: pg.Client[]): Promise<void> {
  for (let refused = 0; refused < 3; ) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      taken.push(client)
    } catch {
      refused++
    }
  }
}

/** A folder for the server's files on a small disk. */
function makeData(disk: string, { uid, gid }: { uid: number; gid: number }): string {
  const data = join(disk, 'data')
  mkdirSync(data)
  for (const folder of [disk, data]) chownSync(folder, uid, gid)
  return data
}

/** Leaves no byte free. */
function fill(folder: string): void {
  const block = Buffer.alloc(64 * 1024)
  const file = join(folder, 'ballast')
  try {
    for (;;) writeFileSync(file, block, { flag: 'a' })
  } catch {
    statSync(file)
  }
}
