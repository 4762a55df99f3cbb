import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import * as grants from '#domain/grants'
import { addSeconds } from '#platform/calendar'
import type { Database } from '#platform/db'
import { systemRandom } from '#platform/random'
import { keyRing } from '#platform/secrets'
import { sql } from '#platform/sql'
import { countingRows } from '../support/counted-rows.ts'
import { openTestDatabase } from '../support/database.ts'

const now = new Date('2026-03-10T12:00:00Z')
const running = new AbortController().signal
let db: Database

before(async () => {
  db = await openTestDatabase()
})

after(async () => {
  await db.close()
})

const named = (kind: grants.RecordKind) => ({ kind, name: randomBytes(16).toString('hex') })

async function keep(record: grants.RecordName, facts: Partial<grants.RecordFacts> = {}) {
  return await grants.saveRecord(db, now, record, {
    payload: {},
    grant: undefined,
    session_uid: undefined,
    client_id: undefined,
    user_id: undefined,
    scope: undefined,
    audience: undefined,
    life: 60,
    ...facts,
  })
}

const find = (record: grants.RecordName, at = now) => grants.findRecord(db, at, record)

test('a record is found by its text until it expires, and under no other kind', async () => {
  const token = named('AccessToken')
  await keep(token, { payload: { some: 'thing' } })
  assert.deepEqual((await find(token))?.payload, { some: 'thing' })
  assert.equal(await find({ ...token, kind: 'RefreshToken' }), undefined)
  assert.ok(await find(token, addSeconds(now, 59)))
  assert.equal(await find(token, addSeconds(now, 60)), undefined)
})

test('a code that is used many times at once works once, and its tokens are revoked', async () => {
  const grant = named('Grant')
  const code = named('AuthorizationCode')
  const token = named('AccessToken')
  await keep(grant)
  await keep(code, { grant: grant.name })
  await keep(token, { grant: grant.name })
  const tries = Array.from({ length: 8 }, () => grants.consumeRecord(db, now, code))
  const got = (await Promise.all(tries)).filter((each) => each)
  assert.equal(got.length, 1)
  for (const record of [grant, code, token]) assert.equal(await find(record), undefined)
})

test('what is given at the moment in which its grant is revoked does not outlive it', async () => {
  for (let round = 0; round < 20; round++) {
    const grant = named('Grant')
    await keep(grant)
    const tokens = Array.from({ length: 4 }, () => named('RefreshToken'))
    await Promise.all([
      ...tokens.slice(0, 2).map((token) => keep(token, { grant: grant.name })),
      grants.deleteRecord(db, grant),
      ...tokens.slice(2).map((token) => keep(token, { grant: grant.name })),
    ])
    for (const token of tokens) assert.equal(await find(token), undefined)
  }
})

test('the end of a sign-in session ends every token that was given in it, and no other', async () => {
  const give = async (session_uid: string) => {
    const grant = named('Grant')
    const token = named('AccessToken')
    await keep(grant)
    await keep(token, { grant: grant.name, session_uid })
    return token
  }
  const session = named('Session')
  await keep(session, { session_uid: 'here' })
  const ended = [await give('here'), await give('here')]
  const other = await give('elsewhere')
  await grants.endSession(db, 'here')
  for (const record of [session, ...ended]) assert.equal(await find(record), undefined)
  assert.ok(await find(other))
})

test('expired records are deleted, and the rest stays', async () => {
  const short = named('Interaction')
  const long = named('Interaction')
  await keep(short, { life: 60 })
  await keep(long, { life: 3600 })
  await grants.sweepRecords(db, addSeconds(now, 600), running)
  assert.equal(await find(short), undefined)
  assert.ok(await find(long))
})

test('a backlog of expired records is deleted in batches', async () => {
  await db.run(sql`insert into oidc_records (id, kind, payload, created_at, expires_at)
    select sha256(n::text::bytea), 'Interaction', '{}', ${now}, ${now}
    from generate_series(1, 2500) n`)
  const { db: counting, counts } = countingRows(db)
  await grants.sweepRecords(counting, now, running)
  assert.ok(Math.max(...counts) <= 1000, counts.join())
  assert.deepEqual(await db.rows(sql`select 1 from oidc_records where expires_at <= ${now}`), [])
})

const ring = (...bytes: number[]) => keyRing(bytes.map((byte) => Buffer.alloc(32, byte)))
const tools = (keys = ring(1)) => ({ keys, random: systemRandom })

test('two processes that start at once make one set of keys, sealed and nowhere in the clear', async () => {
  const opened = await Promise.all([1, 2, 3].map(() => grants.openKeys(db, now, tools())))
  for (const keys of opened) assert.deepEqual(keys, opened[0])
  assert.equal(opened[0]?.signing.length, 1)
  const { rows } = await db.raw('select * from oidc_keys')
  assert.equal(rows.length, 2)
  const secret = Buffer.from(opened[0].signing[0]!.jwk.d!, 'base64url')
  for (const { sealed } of rows as { sealed: Buffer }[]) {
    assert.ok(!sealed.includes(secret) && !sealed.includes(opened[0].signing[0]!.jwk.d!))
    assert.ok(!sealed.includes(opened[0].subject))
  }
})

test('a rotation seals under the new master key, and the private ids stay what they were', async () => {
  const before = await grants.openKeys(db, now, tools())
  const made = await grants.rotateKeys(db, now, tools(ring(2, 1)), { at_once: false })
  assert.deepEqual(made.active_from, addSeconds(now, 600))
  // The old master key may be removed now.
  const keys = await grants.openKeys(db, now, tools(ring(2)))
  assert.deepEqual(keys.subject, before.subject)
  assert.deepEqual(
    grants.orderKeys(now, keys.signing).published.map(({ id }) => id),
    [before.signing[0]!.id, made.id],
  )
  await assert.rejects(grants.openKeys(db, now, tools(ring(3))), /no longer on the ring/)
})

test('a compromised key is deleted at once', async () => {
  const made = await grants.rotateKeys(db, now, tools(ring(2)), { at_once: true })
  const keys = await grants.openKeys(db, now, tools(ring(2)))
  assert.deepEqual(
    keys.signing.map(({ id }) => id),
    [made.id],
  )
})

test('a key is deleted once nothing that it signed is valid', async () => {
  const [old] = (await grants.openKeys(db, now, tools(ring(2)))).signing
  const made = await grants.rotateKeys(db, now, tools(ring(2)), { at_once: false })
  const ids = async () => (await grants.openKeys(db, now, tools(ring(2)))).signing.map((k) => k.id)
  await grants.sweepKeys(db, addSeconds(now, 600 + grants.LIFETIMES.lease))
  assert.deepEqual((await ids()).sort(), [old!.id, made.id].sort())
  await grants.sweepKeys(db, addSeconds(now, 600 + grants.LIFETIMES.lease + 600))
  assert.deepEqual(await ids(), [made.id])
})
