/** The packed client in each runtime, against one real service. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Agent } from '../support/agent.ts'
import { type ClientPackage, packClient } from '../support/client-package.ts'
import { buyer, licenseKey, orderReference, purchase } from '../support/purchase.ts'
import { started } from '../support/running-command.ts'
import { addPerson, openSignInTest, type SignInTest, signInAs } from '../support/sign-in.ts'
import {
  asCommand,
  asCommonJs,
  COMMANDS,
  install,
  OLD_NODE,
  openWorkerd,
  prepare,
  type Runtime,
} from './client-runtimes/runtimes.ts'

const missing = await install()

let setup: SignInTest
let packed: ClientPackage
let bought: { license_key: string; svc_order: string }
let person: Agent
before(async () => {
  setup = await openSignInTest()
  packed = packClient()
  prepare(packed.project)
  const page = await purchase(setup, buyer(setup), { email: 'runtimes@example.com' })
  bought = { license_key: licenseKey(page), svc_order: orderReference(page) }
  const email = 'person@example.com'
  person = await signInAs(setup, await addPerson(setup, email))
  await purchase(setup, person, { email })
})
after(async () => {
  packed[Symbol.dispose]()
  await setup.close()
})

/** Runs the whole scenario: sells, and signs a person in over a browser. */
async function check(run: Runtime): Promise<void> {
  const { base_url } = setup.world.config
  const { client_id, client_secret, prices } = setup.demo.app
  const credentials = { base_url, client_id, client_secret }
  assert.deepEqual(await run('sell', { credentials, ...bought }), {
    app_name: 'Tidepool',
    prices: prices.length,
    link: `${base_url}/buy/${prices[0]!.public_id}/?email=a%2Bb%40example.com`,
    is_same_key: true,
    status: 'active',
    is_copy: true,
    unknown: 'unknown_key',
    forged: 'unknown_order',
    revoked: 'invalid_token',
    impostor: 'invalid_client',
    unreachable: 'unreachable',
    licensed: [200, 'active'],
    unlicensed: [401, 'unknown_key'],
    double: 'trialing',
  })
  const begun = await run('begin', { credentials, redirect_uri: setup.callback })
  const { url, login } = begun as { url: string; login: string }
  const page = await person.open(url)
  const arrived = page.url.startsWith('/o/interaction/')
    ? (await person.submit('Allow')).url
    : page.url
  const finished = await run('finish', { credentials, arrived, login, home: setup.home })
  const { sub, ...rest } = finished as { sub: string }
  assert.match(sub, /^[\w-]{20,}$/)
  assert.deepEqual(rest, {
    forged: 'state_mismatch',
    return_to: '/week',
    is_one_refresh: true,
    status: 'active',
    logout: '/o/session/end',
  })
}

test('Node 24 sells and signs in with the client', async () => {
  await check(asCommand(packed.project, [process.execPath]))
})

for (const [name, command] of Object.entries(COMMANDS)) {
  test(`${name} sells and signs in with the client`, { skip: missing ?? false }, async () => {
    await check(asCommand(packed.project, command()))
  })
}

test('Node 20 writes no colors of the command line program to a pipe', {
  skip: missing ?? false,
}, async () => {
  const [node = ''] = COMMANDS['Node 20']!()
  const options = { cwd: process.cwd(), env: {} }
  const { stdout } = await started(node, ['packages/cli/dist/main.js', 'doctor'], options).end
  assert.match(stdout, /checks failed/)
  assert.ok(!stdout.includes('\u001b'), JSON.stringify(stdout))
})

test('Node 20.10, which cannot require ES modules, sells and signs in with the client in CommonJS', {
  skip: missing ?? false,
}, async () => {
  await asCommonJs(packed.project)
  assert.match(
    readFileSync(join(packed.project, 'command.cjs'), 'utf8'),
    /require\("@purser\/client"\)/,
  )
  await check(asCommand(packed.project, OLD_NODE(), 'command.cjs'))
})

test('workerd, the edge runtime, sells and signs in with the client, shared by its requests', {
  skip: missing ?? false,
}, async () => {
  const { runtime, close } = await openWorkerd(packed.project)
  try {
    await check(runtime)
    const { base_url } = setup.world.config
    const { client_id, client_secret } = setup.demo.app
    const facts = { credentials: { base_url, client_id, client_secret }, ...bought }
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => runtime('validate', facts)))
    for (const state of all) assert.equal((state as { status: string }).status, 'active')
  } finally {
    await close()
  }
})
