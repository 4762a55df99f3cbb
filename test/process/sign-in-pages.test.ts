/**
 * The code of each page on a sign-in library, run as its reader would run it, through a sign-in.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import { sql } from '#platform/sql'
import { enableSignIn } from '../../src/demo/seed.ts'
import { installFromGo, installFromNpm, installFromPip } from '../support/cached-tools.ts'
import { codeOfPage } from '../support/docs-blocks.ts'
import { purchase } from '../support/purchase.ts'
import { addPerson, expireAccessTokens, signInAs } from '../support/sign-in.ts'
import { SiteBrowser, type SiteProcess, startSite } from '../support/site-process.ts'
import { openTlsService, type TlsService } from '../support/tls-service.ts'

const SITE = 'https://your-app.example'

const passport = await installFromNpm('passport', {
  express: '5.3.0',
  'express-session': '1.19.0',
  'openid-client': '6.8.9',
  passport: '0.7.0',
})
const authlib = await installFromPip('authlib', {
  Authlib: '1.8.0',
  Flask: '3.1.3',
  requests: '2.34.2',
})
// Releases that Go 1.19 compiles.
const go = await installFromGo('go-oidc', {
  'github.com/coreos/go-oidc/v3/oidc': 'v3.9.0',
  'golang.org/x/oauth2': 'v0.13.0',
})

let service: TlsService
let values: Record<string, string>
let env: Record<string, string>
const work = mkdtempSync(join(tmpdir(), 'purser-sign-in-pages-'))
before(async () => {
  service = await openTlsService()
  const { base_url } = service.world.config
  const { client_id, client_secret } = service.demo.app
  await enableSignIn(service.world, { client_id, site_url: SITE })
  await apps.setRedirectLists(service.world.db, client_id, {
    redirect_uris: [`${SITE}/callback`, `${SITE}/auth/callback`],
    post_logout_redirect_uris: [`${SITE}/`],
  })
  values = { base_url, issuer: `${base_url}/o` }
  env = {
    ...service.trust,
    PURSER_CLIENT_ID: client_id,
    PURSER_CLIENT_SECRET: client_secret,
    SESSION_SECRET: 'a random text of the test',
  }
})
after(async () => {
  rmSync(work, { recursive: true, force: true })
  await service?.close()
})

/** Writes a file of a page into a new folder, and returns the folder. */
function project(page: string, file: string, name = file): string {
  const cwd = join(work, page)
  mkdirSync(cwd, { recursive: true })
  writeFileSync(join(cwd, name), `${codeOfPage(`docs/site/sign-in/${page}.md`, file, values)}\n`)
  return cwd
}

let people = 0

/** Follows a buyer on the site, from the first click to the sign-out. */
async function checkSignIn(
  running: SiteProcess,
  expire: (visitor: SiteBrowser) => Promise<unknown> = () => expireAccessTokens(service),
): Promise<void> {
  const visitor = new SiteBrowser(running, SITE)
  assert.equal((await visitor.open('/plan')).status, 401)

  const email = `page-${++people}@example.com`
  const person = await signInAs(service, await addPerson(service, email))
  const begun = await visitor.open('/login')
  const authorization = new URL(begun.location!)
  assert.equal(authorization.origin, service.world.config.base_url)
  assert.equal(authorization.searchParams.get('code_challenge_method'), 'S256')
  assert.equal(authorization.searchParams.get('scope'), 'openid entitlements')
  const consent = await person.open(authorization.href)
  assert.match(consent.url, /^\/o\/interaction\//)

  const { url: canceled } = await person.submit('Cancel')
  assert.ok(canceled.includes('error=access_denied'), canceled)
  const answer = await visitor.open(canceled)
  assert.ok(answer.status < 500 && answer.location !== '/plan', `${answer.status} ${answer.body}`)
  assert.equal((await visitor.open('/plan')).status, 401)

  await person.open((await visitor.open('/login')).location!)
  const late = new URL((await person.submit('Allow')).url)
  // As a code that is older than a minute, it is not known.
  late.searchParams.set('code', 'expired')
  const { location, body } = await visitor.open(late.href)
  assert.ok(location === '/' || body.includes('<a href="/login">'), body)

  // A visitor can do nothing about a client secret that Purser refuses.
  const { client_id, client_secret } = service.demo.app
  const { url: refused } = await person.open((await visitor.open('/login')).location!)
  await apps.replaceSecret(service.world.db, client_id, 'another')
  const failed = await visitor.open(refused)
  await apps.replaceSecret(service.world.db, client_id, client_secret)
  assert.ok(failed.status >= 500, `${failed.status} ${failed.body}`)

  // Nor about an ID token of another sign-in.
  const other = new URL((await visitor.open('/login')).location!)
  other.searchParams.set('nonce', 'of-another-sign-in')
  const logged = running.output().length
  const answered = await visitor.open((await person.open(other.href)).url)
  assert.ok(answered.status >= 500, `${answered.status} ${answered.body}`)
  assert.match(running.output().slice(logged), /nonce|ID token/i)
  assert.equal((await visitor.open('/plan')).status, 401)

  const { url: arrived } = await person.open((await visitor.open('/login')).location!)
  assert.ok(arrived.startsWith(`${SITE}/`) && arrived.includes('code='), arrived)

  // A link that another person made signs no one in.
  const unknown = new SiteBrowser(running, SITE)
  const foreign = await unknown.open(arrived)
  assert.ok(foreign.location !== '/plan', `${foreign.status} ${foreign.location}`)
  assert.equal((await unknown.open('/plan')).status, 401)

  const landed = await visitor.open(arrived)
  assert.equal(landed.location, '/plan', landed.body)
  assert.equal(await planOf(visitor), 'free')
  await purchase(service, person, { email })
  assert.equal(await planOf(visitor), 'active')

  await expire(visitor)
  assert.equal(await planOf(visitor), 'active')

  const left = await visitor.open('/logout', {})
  assert.ok(left.location?.startsWith(`${values.issuer}/session/end?`), left.location)
  await person.open(left.location!)
  const { url: home } = await person.submit('Sign out')
  assert.equal(home.split('?')[0], `${SITE}/`)
  assert.equal((await visitor.open('/plan')).status, 401)
  assert.deepEqual(await liveTokens(email), [])
}

/** The kinds of the tokens of a person that still work. */
async function liveTokens(email: string) {
  const { db, clock } = service.world
  return await db.rows<{ kind: string }>(sql`select r.kind from oidc_records r
    join users u on u.id = r.user_id
    where u.email_normalized = ${email} and r.kind in ('AccessToken', 'RefreshToken')
      and r.expires_at > ${clock.now()} and r.consumed_at is null`)
}

/** The status of the plan that a signed-in visitor reads. */
async function planOf(visitor: SiteBrowser): Promise<string> {
  const answer = await visitor.open('/plan')
  assert.equal(answer.status, 200, answer.body)
  return JSON.parse(answer.body).status
}

test('the page on Passport signs a buyer in, refreshes their tokens and signs them out', async (t) => {
  if (passport.missing !== undefined) return t.skip(passport.missing)
  const cwd = project('passport', 'server.js')
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
  symlinkSync(join(passport.folder, 'node_modules'), join(cwd, 'node_modules'))
  await using running = await startSite([process.execPath, 'server.js'], { cwd, env })
  await checkSignIn(running)
})

test('the page on Authlib signs a buyer in, refreshes their tokens and signs them out', async (t) => {
  if (authlib.missing !== undefined) return t.skip(authlib.missing)
  const cwd = project('authlib', 'app.py')
  const port = service.world.config.port + 1
  const command = [join(authlib.folder, 'bin/flask'), 'run', '--port', String(port)]
  await using running = await startSite(command, { cwd, env, port })
  await checkSignIn(running)
})

test('the page on Go signs a buyer in, refreshes their tokens and signs them out', async (t) => {
  if (go.missing !== undefined) return t.skip(go.missing)
  const cwd = project('go', 'main.go')
  for (const name of ['go.mod', 'go.sum']) cpSync(join(go.folder, name), join(cwd, name))
  await using running = await startSite(['go', 'run', '.'], { cwd, env })
  await checkSignIn(running)
})

/** A site of a page whose code is functions. */
async function startFunctions(page: string): Promise<SiteProcess> {
  const cwd = project(page, 'sign-in.ts', `${page}.ts`)
  const plan = codeOfPage('docs/site/sign-in/index.md', 'plan.ts', values)
  writeFileSync(join(cwd, 'plan.ts'), plan)
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
  symlinkSync(resolve('node_modules'), join(cwd, 'node_modules'))
  cpSync('test/process/sign-in-pages/site.mjs', join(cwd, 'site.mjs'))
  return await startSite([process.execPath, 'site.mjs', page], { cwd, env })
}

test('the page on openid-client signs a buyer in, refreshes their tokens and signs them out', async () => {
  await using running = await startFunctions('openid-client')
  await checkSignIn(running)
})

test('the page on the Purser client signs a buyer in, refreshes their tokens and signs them out', async () => {
  await using running = await startFunctions('purser-client')
  // This library refreshes when its own clock says so.
  await checkSignIn(running, async (visitor) => {
    await expireAccessTokens(service)
    await visitor.open('/expire')
  })
})
