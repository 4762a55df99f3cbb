/** The server code of the React Router starter, with the client's double and sessions of the test. */
import assert from 'node:assert/strict'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { createTestPurser, type TestPurser } from '@purser/client/testing'

/** The part of React Router that the module uses: a session is lost unless it is committed. */
const REACT_ROUTER = `
export function createCookie() {
  let kept
  const serialize = async (value) => {
    kept = value
  }
  return { parse: async () => kept, serialize }
}
export const redirect = (location) => new Response(null, { status: 302, headers: { location } })
export function createMemorySessionStorage() {
  const stored = new Map()
  return {
    async getSession() {
      const values = new Map(stored)
      return { get: (name) => values.get(name), set: (name, value) => values.set(name, value), values }
    },
    async commitSession({ values }) {
      for (const [name, value] of values) stored.set(name, value)
    },
    destroySession: async () => stored.clear(),
  }
}
`

const work = mkdtempSync(join(tmpdir(), 'purser-react-router-'))
after(() => rmSync(work, { recursive: true, force: true }))

let copies = 0

type App = Pick<TestPurser, 'base_url' | 'client_id' | 'client_secret'>

/** A copy of the starter's modules as installed beside this React Router. */
async function openStarter({ base_url, client_id, client_secret }: App) {
  const folder = join(work, `${++copies}`)
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'react-router'), { recursive: true })
  const manifest = { type: 'module', exports: './index.js' }
  writeFileSync(join(modules, 'react-router/package.json'), JSON.stringify(manifest))
  writeFileSync(join(modules, 'react-router/index.js'), REACT_ROUTER)
  symlinkSync(resolve('node_modules/@purser'), join(modules, '@purser'))
  cpSync('examples/starters/react-router-hosted-sign-in/app', folder, { recursive: true })
  // The loader without the page, whose JSX is compiled by the bundler.
  const home = readFileSync(join(folder, 'routes/home.jsx'), 'utf8').split('export default')[0]
  writeFileSync(join(folder, 'routes/home.js'), home!)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const settings = {
    PURSER_URL: base_url,
    PURSER_CLIENT_ID: client_id,
    PURSER_CLIENT_SECRET: client_secret,
  }
  Object.assign(process.env, settings)
  try {
    return { ...(await import(join(folder, 'purser.server.js'))), folder }
  } finally {
    for (const name of Object.keys(settings)) delete process.env[name]
  }
}

/** What the loader of a route returns or throws. */
async function load(folder: string, name: string, query = ''): Promise<Response> {
  const { loader } = await import(join(folder, `routes/${name}.js`))
  const request = new Request(`https://your-app.example/${name}${query}`)
  return await loader({ request }).catch((error: unknown) => error)
}

test('answers 502 and logs the error if the settings are wrong', async (t) => {
  const { mock: log } = t.mock.method(console, 'error', () => {})
  const purser = createTestPurser()
  const other = 'https://other.example'
  t.mock.method(globalThis, 'fetch', async (url: string, init: RequestInit) =>
    url.startsWith(other) ? new Response('Not found', { status: 404 }) : purser.fetch(url, init),
  )
  const { folder: wrong_url } = await openStarter({ ...purser, base_url: other })
  const { folder: wrong_secret } = await openStarter({ ...purser, client_secret: 'wrong' })
  const { headers } = await load(wrong_secret, 'login')
  const returned = purser.authorize(headers.get('location') ?? '', purser.addPerson())
  assert.equal(log.callCount(), 0)
  for (const answer of [
    await load(wrong_url, 'home'),
    await load(wrong_url, 'login'),
    await load(wrong_secret, 'callback', new URL(returned).search),
  ]) {
    assert.ok(answer instanceof Response, inspect(answer))
    assert.equal(answer.status, 502)
    assert.equal(await answer.text(), 'Something went wrong. Try again.')
  }
  assert.equal(log.callCount(), 3)
})

const request = new Request('https://your-app.example/')

/** Stores the tokens of a person who signs in, and returns them. */
async function signIn(
  { sessionOf, sessions, sign_in }: Awaited<ReturnType<typeof openStarter>>,
  purser: TestPurser,
  changed: object = {},
) {
  const redirect_uri = 'https://your-app.example/callback'
  const { url, login } = await sign_in.authorizationLink({ redirect_uri })
  const person = purser.addPerson(purser.addLicense())
  const { tokens } = await sign_in.callback(purser.authorize(url, person), login)
  const session = await sessionOf(request)
  session.set('tokens', { ...tokens, ...changed })
  await sessions.commitSession(session)
  return tokens
}

test('a page that loads during a sign-out does not bring the session back', async (t) => {
  const purser = createTestPurser()
  t.mock.method(globalThis, 'fetch', purser.fetch)
  const starter = await openStarter(purser)
  await signIn(starter, purser)
  const loading = await starter.sessionOf(request)
  const { action } = await import(join(starter.folder, 'routes/logout.js'))
  assert.equal((await action({ request })).status, 302)
  assert.equal((await starter.planOf(loading)).status, 'active')
  assert.equal((await starter.sessionOf(request)).get('tokens'), undefined)
})

test('refreshed tokens are stored, also if the plan cannot be read after the refresh', async (t) => {
  const purser = createTestPurser()
  t.mock.method(globalThis, 'fetch', purser.fetch)
  const starter = await openStarter(purser)
  const { planOf, sessionOf } = starter
  const tokens = await signIn(starter, purser, { expires_at: 0 })

  purser.failNext({ error: 'internal_error', path: '/licensing', times: 3 })
  await assert.rejects(planOf(await sessionOf(request)), { code: 'unreachable' })
  const kept = (await sessionOf(request)).get('tokens')
  assert.notEqual(kept.refresh_token, tokens.refresh_token)
  assert.equal((await planOf(await sessionOf(request))).status, 'active')

  // A wrong client secret is no sign-out.
  const expired = await sessionOf(request)
  expired.set('tokens', { ...kept, expires_at: 0 })
  purser.failNext({ error: 'invalid_client', path: '/o/token' })
  await assert.rejects(planOf(expired), { code: 'invalid_client' })
  expired.set('tokens', { ...kept, expires_at: 0, refresh_token: 'revoked' })
  assert.equal(await planOf(expired), undefined)
})
