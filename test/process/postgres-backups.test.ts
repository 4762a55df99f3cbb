import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { openPostgres } from '#platform/db-postgres'
import { checkSecretKeys, setMoney } from '#platform/installation'
import { openLog } from '#platform/log'
import { migrate } from '#platform/migrate'
import { keyRing } from '#platform/secrets'
import {
  findPostgres,
  runAsPostgres,
  startPostgres,
  startPostgresIn,
  type Throwaway,
} from '../../scripts/throwaway-postgres.ts'
import { runCommand } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'

const programs = findPostgres()
const SKIP = !programs && 'no PostgreSQL server here (apt-get install postgresql)'
const SECRET_KEY = randomBytes(32).toString('hex')

// Follows docs/operate/backups.md: pg_dump, and a base backup with its write-ahead log to a time.
describe('backups of PostgreSQL', { skip: SKIP }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-pg-backups-'))
  const running: Throwaway[] = []
  let archive: string
  let server: Throwaway
  before(async () => {
    // The server's account writes there.
    server = await startPostgres(programs!, ['archive_mode=on', 'wal_level=replica'])
    running.push(server)
    archive = join(server.folder, 'archive')
    runAsPostgres('/bin/mkdir', [archive], server.folder)
    await query(
      server.url,
      `alter system set archive_command =
      'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
    )
    await query(server.url, 'select pg_reload_conf()')
    await query(server.url, 'create database purser')
    const db = await openPostgres(inDatabase('purser'), openLog('silent'))
    await migrate(db, new Date())
    await checkSecretKeys(db, new Date(), keyRing([Buffer.from(SECRET_KEY, 'hex')]))
    await setMoney(db, 'test')
    await db.close()
    await mark('first')
  })
  after(async () => {
    for (const each of running) await each.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function query(url: string, text: string): Promise<Record<string, string>[]> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  function inDatabase(name: string, { url } = server): string {
    const named = new URL(url)
    named.pathname = `/${name}`
    return named.href
  }
  const mark = (name: string) =>
    query(
      inDatabase('purser'),
      `insert into dev_mailbox (message_id, recipient, subject, html, text, attachments, sent_at)
        values ('${name}', 'a@example.com', 's', 'h', 't', '[]', now())`,
    )
  const marks = async (url: string) =>
    (await query(url, 'select message_id from dev_mailbox order by sent_at')).map(
      ({ message_id }) => message_id,
    )
  const settings = (url: string) => ({ DATABASE_URL: url, SECRET_KEY, DATA_DIR: folder, DEMO: '0' })

  test('pg_dump and pg_restore restore a whole database, which fits the release and can be marked', async () => {
    const file = join(server.folder, 'purser.dump')
    const [dump, restore] = ['pg_dump', 'pg_restore'].map((each) => join(programs!, each))
    runAsPostgres(dump!, ['-Fc', '-f', file, inDatabase('purser')], server.folder)
    await mark('second')
    await query(server.url, 'create database restored')
    const url = inDatabase('restored')
    runAsPostgres(restore!, ['--exit-on-error', '-d', url, file], server.folder)
    assert.deepEqual(await marks(url), ['first'])
    const marked = await runCommand('restore', settings(url), '--mark')
    assert.equal(marked.status, 0, marked.error)
    assert.match(marked.out, /marked as restored/)
    const looked = await runCommand('doctor', settings(url))
    assert.match(looked.out, /^ok {7}keys: SECRET_KEY fits/m)
    assert.match(looked.out, /^ok {7}migrations: all of release/m)
    const ended = await runCommand('restore', settings(url), '--end-review')
    assert.match(ended.out, /Renewals and payouts resume/)
    const refused = await runCommand('backup', settings(url), join(folder, 'file'))
    assert.match(refused.error, /pg_dump/)
  })

  test('a base backup and the archived log restore a database to a point in time', async () => {
    const base = join(server.folder, 'recovered')
    runAsPostgres(
      join(programs!, 'pg_basebackup'),
      ['-d', server.url, '-D', join(base, 'data'), '-X', 'none', '--checkpoint=fast', '--no-sync'],
      server.folder,
    )
    await mark('in time')
    const [{ now: until }] = (await query(server.url, 'select clock_timestamp()::text as now')) as [
      { now: string },
    ]
    await mark('too late')
    const [{ name }] = (await query(
      server.url,
      'select pg_walfile_name(pg_switch_wal()) as name',
    )) as [{ name: string }]
    await eventually('the archived log', async () => existsSync(join(archive, name)))
    assert.ok(readdirSync(archive).length > 0)

    writeFileSync(join(base, 'data', 'recovery.signal'), '')
    const recovered = await startPostgresIn(programs!, base, [
      `restore_command=cp ${archive}/%f %p`,
      `recovery_target_time=${until}`,
      'recovery_target_action=promote',
      'archive_mode=off',
    ])
    running.unshift(recovered)
    const url = inDatabase('purser', recovered)
    await eventually('the end of the recovery', async () => {
      const [row] = await query(url, 'select pg_is_in_recovery()::text as recovering')
      return row?.recovering === 'false'
    })
    const found = await marks(url)
    assert.ok(found.includes('in time') && !found.includes('too late'), String(found))
    const looked = await runCommand('doctor', settings(url))
    assert.match(looked.out, /^ok {7}writing: the database accepts writes/m)
  })
})
