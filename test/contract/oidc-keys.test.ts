import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import * as grants from '#domain/grants'
import type { Database } from '#platform/db'
import { lockFolder } from '#platform/lock'
import { type Agent, textOf } from '../support/agent.ts'
import { openTestDatabase, prepareDataFolder } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { openTestService } from '../support/service.ts'
import {
  addPerson,
  openSignInTest,
  type SignInTest,
  signInAs,
  signInToApp,
} from '../support/sign-in.ts'

let setup: SignInTest
let agent: Agent

before(async () => {
  setup = await openSignInTest()
  agent = await signInAs(setup, await addPerson(setup, 'ada@example.org'))
})

after(async () => {
  await setup.close()
})

async function published() {
  const { keys } = (await setup.app.inject('/o/jwks')).json()
  return keys as { kid: string; kty: string; n: string; e: string }[]
}

const kids = async () => (await published()).map(({ kid }) => kid)

async function isGood(id_token: string): Promise<boolean> {
  const set = createLocalJWKSet({ keys: await published() })
  return await jwtVerify(id_token, set, { algorithms: ['RS256'] }).then(
    () => true,
    () => false,
  )
}

const rotate = (at_once: boolean) =>
  grants.rotateKeys(setup.world.db, setup.clock.now(), setup.world, { at_once })

test('what is published of a key is its public half alone', async () => {
  for (const key of await published()) {
    assert.deepEqual(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
  }
})

test('a running service publishes a new key, then signs with it, then lets the old one go', async () => {
  const [old] = await kids()
  const before = await signInToApp(setup, agent)
  assert.equal(decodeProtectedHeader(before.id_token!).kid, old)
  const made = await rotate(false)
  setup.clock.pass(60)
  assert.deepEqual(await kids(), [old, made.id])
  const meanwhile = await signInToApp(setup, agent)
  assert.equal(decodeProtectedHeader(meanwhile.id_token!).kid, old)

  setup.clock.pass(600)
  assert.deepEqual(await kids(), [made.id, old])
  const later = await signInToApp(setup, agent)
  assert.equal(decodeProtectedHeader(later.id_token!).kid, made.id)
  assert.equal(later.claims()!.sub, before.claims()!.sub)
  assert.ok(await isGood(meanwhile.id_token!))

  // The longest that anything signed with it is valid is a lease's three days.
  setup.clock.pass(3 * 86_400 + 600)
  await grants.sweepKeys(setup.world.db, setup.clock.now())
  assert.deepEqual(await kids(), [made.id])
  assert.ok(!(await isGood(meanwhile.id_token!)))

  // The hint can no longer be verified, so the client ID decides, and the person.
  const query = new URLSearchParams({
    id_token_hint: before.id_token!,
    client_id: setup.demo.app.client_id,
  })
  const page = await agent.open(`/o/session/end?${query}`)
  assert.match(textOf(page.body), /Sign out of Tidepool\?/)
})

test('a compromised key is replaced within a minute, and its signatures are no longer valid', async () => {
  const { id_token } = await signInToApp(setup, agent)
  const made = await rotate(true)
  setup.clock.pass(60)
  assert.deepEqual(await kids(), [made.id])
  assert.ok(!(await isGood(id_token!)))
  assert.ok(await isGood((await signInToApp(setup, agent)).id_token!))
})

test('the command adds a key, and refuses while a service has the embedded database', async () => {
  const data_dir = mkdtempSync(join(tmpdir(), 'purser-keys-'))
  const run = (...args: string[]) =>
    execFileSync(
      process.execPath,
      ['--import', './scripts/register-tsx.mjs', 'scripts/keys-rotate.ts', ...args],
      { env: { PATH: process.env.PATH, DATA_DIR: data_dir }, encoding: 'utf8', stdio: 'pipe' },
    )
  try {
    await prepareDataFolder(data_dir)
    assert.match(run(), /^The key [\w-]{43} signs from \d{4}-/)
    const release = lockFolder(data_dir)
    assert.throws(run, /Another Purser/)
    release()
  } finally {
    rmSync(data_dir, { recursive: true })
  }
})

test('F41: a key that is replaced at once signs nothing from that moment', async () => {
  const [old] = await kids()
  const made = await rotate(true)
  await eventually('the announcement', async () => (await kids())[0] === made.id)
  const { id_token } = await signInToApp(setup, agent)
  assert.notEqual(decodeProtectedHeader(id_token!).kid, old)
})

test('are published although the first connection that listens for changes was lost', async () => {
  const db = await openTestDatabase()
  const listen: Database['listen'] = (channel, ...rest) =>
    channel === grants.KEYS_CHANGED
      ? Promise.reject(new Error('timeout expired'))
      : db.listen(channel, ...rest)
  const service = await openTestService({ db: { ...db, listen } })
  try {
    const answer = await service.app.inject('/o/jwks')
    assert.equal(answer.statusCode, 200)
  } finally {
    await service.close()
  }
})
