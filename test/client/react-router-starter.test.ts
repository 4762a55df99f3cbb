/** The tokens of the React Router starter, with the client's double and sessions of the test. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { createTestPurser } from '@purser/client/testing'

/** The part of React Router that the module uses: a session is lost unless it is committed. */
const REACT_ROUTER = `
export const createCookie = () => ({})
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
  }
}
`

const folder = mkdtempSync(join(tmpdir(), 'purser-react-router-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** The starter's module as installed beside this React Router. */
async function openStarter(settings: Record<string, string>) {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'react-router'), { recursive: true })
  const manifest = { type: 'module', exports: './index.js' }
  writeFileSync(join(modules, 'react-router/package.json'), JSON.stringify(manifest))
  writeFileSync(join(modules, 'react-router/index.js'), REACT_ROUTER)
  symlinkSync(resolve('node_modules/@purser'), join(modules, '@purser'))
  const path = join(folder, 'purser.server.js')
  cpSync('examples/starters/react-router-hosted-sign-in/app/purser.server.js', path)
  Object.assign(process.env, settings)
  try {
    return await import(path)
  } finally {
    for (const name of Object.keys(settings)) delete process.env[name]
  }
}

test('refreshed tokens are stored, also if the plan cannot be read after the refresh', async (t) => {
  const purser = createTestPurser()
  const { base_url, client_id, client_secret } = purser
  t.mock.method(globalThis, 'fetch', purser.fetch)
  const { planOf, sessionOf, sessions, sign_in } = await openStarter({
    PURSER_URL: base_url,
    PURSER_CLIENT_ID: client_id,
    PURSER_CLIENT_SECRET: client_secret,
  })
  const redirect_uri = 'https://your-app.example/callback'
  const { url, login } = await sign_in.authorizationLink({ redirect_uri })
  const person = purser.addPerson(purser.addLicense())
  const { tokens } = await sign_in.callback(purser.authorize(url, person), login)
  const request = new Request('https://your-app.example/')
  const first = await sessionOf(request)
  first.set('tokens', { ...tokens, expires_at: 0 })
  await sessions.commitSession(first)

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
