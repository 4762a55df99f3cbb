/** The sign-in of CI: its tokens are in the file that PURSER_SIGN_IN_FILE names. */
import assert from 'node:assert/strict'
import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { accessToken, beginSignIn, signOut } from '../../packages/cli/src/agent/sign-in.ts'
import { readTokens, writeTokens } from '../../packages/cli/src/agent/token-store.ts'
import { type CliError, EXIT } from '../../packages/cli/src/exit.ts'
import { type FakeService, providerMetadata, startFakeService } from '../client/fake-service.ts'
import { useConfigFolder } from './config-folder.ts'

const folder = useConfigFolder()
const file = join(folder, 'of-ci/sign-in.json')
beforeEach(() => {
  process.env.PURSER_SIGN_IN_FILE = file
})
afterEach(() => {
  delete process.env.PURSER_SIGN_IN_FILE
})

const TOKENS = { access_token: 'access', refresh_token: 'refresh', scope: 'listing.write' }

/** A service whose tokens are numbered. */
function startProvider(): Promise<FakeService> {
  let count = 0
  const started = startFakeService(async ({ path }) => {
    if (path === '/o/token/revocation') return { body: '' }
    if (path !== '/o/token') return { body: providerMetadata((await started).url) }
    const tokens = { access_token: `access-${++count}`, refresh_token: `refresh-${count}` }
    return { body: { ...tokens, token_type: 'bearer', expires_in: 3600 } }
  })
  return started
}

const refreshes = ({ requests }: FakeService) => requests.filter(({ path }) => path === '/o/token')

test('a sign-in is stored in the named file, refreshed there and deleted there', async () => {
  await using service = await startProvider()
  const { url } = service
  const redirect_uri = 'http://127.0.0.1:9/callback'
  const begun = await beginSignIn(url, { redirect_uri, scope: 'listing.write' })
  const state = new URL(begun.authorization_url).searchParams.get('state')!
  await begun.finish(new URL(`${redirect_uri}?${new URLSearchParams({ state, code: 'code' })}`))
  assert.equal(statSync(file).mode & 0o777, 0o600)
  writeTokens(url, { ...readTokens(url)!, expires_at: 0 })
  assert.equal(await accessToken(url), 'access-2')
  assert.equal(JSON.parse(readFileSync(file, 'utf8'))[url].refresh_token, 'refresh-2')
  assert.equal(existsSync(join(folder, 'purser/tokens.json')), false)
  assert.equal(await signOut(url), true)
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {})
})

test('a refresh token is not used if the file cannot take what replaces it', async () => {
  await using service = await startProvider()
  writeTokens(service.url, { ...TOKENS, expires_at: 0 })
  // As for a file that is mounted into a container without its folder.
  const rename = mock.method(fs, 'renameSync', () => {
    throw Object.assign(new Error('busy'), { code: 'EBUSY' })
  })
  syncBuiltinESMExports()
  try {
    await assert.rejects(accessToken(service.url), {
      code: 'tokens_not_written',
      exit: EXIT.usage,
      message: `The tokens cannot be stored in ${join(folder, 'of-ci')} (EBUSY). Set PURSER_SIGN_IN_FILE to a file in a folder that you can write to.`,
    })
  } finally {
    rename.mock.restore()
    syncBuiltinESMExports()
  }
  assert.equal(refreshes(service).length, 0)
  assert.deepEqual(readdirSync(join(folder, 'of-ci')), ['sign-in.json'])
  assert.equal(await accessToken(service.url), 'access-1')
})

test('names the file that has no sign-in to the service', async () => {
  const url = 'https://purser.example'
  await assert.rejects(accessToken(url), ({ exit, message }: CliError) => {
    assert.equal(exit, EXIT.sign_in)
    const what = `${file} has no sign-in to ${url}, or it has ended.`
    assert.equal(message, `${what} Run purser login with this PURSER_SIGN_IN_FILE.`)
    return true
  })
})

test('a file that is empty or has no tokens has no sign-in, and the next one replaces it', async () => {
  const url = 'https://purser.example'
  const parts = [null, 5, {}, { access_token: 'access' }, { ...TOKENS, expires_at: '0' }]
  const entries = parts.map((entry) => JSON.stringify({ [url]: entry }))
  mkdirSync(dirname(file), { recursive: true })
  // `null` is what jq prints for a secret that is missing.
  for (const text of ['', 'null', '[]', '"text"', '{', ...entries]) {
    writeFileSync(file, text)
    await assert.rejects(accessToken(url), { exit: EXIT.sign_in }, text)
    writeTokens(url, { ...TOKENS, expires_at: Date.now() + 3_600_000 })
    assert.equal(await accessToken(url), 'access', text)
  }
})
