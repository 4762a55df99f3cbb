import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client'
import * as grants from '#domain/grants'
import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import {
  codeOf,
  enterPassword,
  newEmail,
  PASSWORD,
  passkeyOptions,
  recoveryCodes,
  signUp,
} from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { CALLBACK } from '../support/agent-client.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { plainWords } from '../support/plain-words.ts'
import { PSEUDO, withPseudoLocale } from '../support/pseudo-locale.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { SoftPasskey } from '../support/soft-passkey.ts'

let service: TestService
before(async () => {
  service = await openTestService({ languages: withPseudoLocale() })
  await service.world.jobs.start()
})
after(() => assertInvariantsAndClose(service))

const LANGUAGE = '__Host-language'
const SECURITY = '/account/security/'

/** What is the same in every language, apart from what a test names. */
const NAMES = ['Purser( Demo, Inc\\.)?', 'Tidepool', 'English( \\(Pseudo-Accents\\))?', 'Español']

/** The texts that browsers show or say, and that are attributes of an element. */
const SPOKEN = /\b(?:aria-label|placeholder|alt|data-pending|data-copied)="([^"]+)"/g

/** Asserts that the page on which a browser is has no English word. */
function assertTranslated({ page }: Agent, names: string[] = []): void {
  assert.match(page.body, /<html lang="en-XA"/, page.url)
  const title = /<title>(.*?)<\/title>/.exec(page.body)![1]!
  const spoken = [...page.body.matchAll(SPOKEN)].map(([, text]) => text!)
  const texts = [title, textOf(page.body), ...spoken].join(' ')
  assert.deepEqual(plainWords(texts, [...NAMES, ...names]), [], page.url)
}

/** A browser that is signed in to a new account and uses the pseudo-locale. */
async function inPseudo(): Promise<{ agent: Agent; email: string }> {
  const { agent, email } = await signUp(service, newEmail())
  agent.cookies.set(LANGUAGE, PSEUDO)
  return { agent, email }
}

test('the pages of security have no English word in the pseudo-locale', async () => {
  const { t } = service.world.languages.named(PSEUDO)
  const { agent } = await inPseudo()
  await agent.open(SECURITY)
  assertTranslated(agent)

  await agent.open(`${SECURITY}password`)
  assertTranslated(agent)
  await agent.submit(t('account.save_password'), { password: 'short' })
  assertTranslated(agent)
  await agent.submit(t('account.save_password'), { password: `${PASSWORD} again` })
  assertTranslated(agent)

  await agent.open(`${SECURITY}email`)
  assertTranslated(agent)
  for (const email of ['none', newEmail()]) {
    await agent.submit(t('account.email_send'), { email })
    assertTranslated(agent)
  }
})

test('the pages of second factors have no English word in the pseudo-locale', async () => {
  const { t } = service.world.languages.named(PSEUDO)
  const { agent } = await inPseudo()
  await agent.open(SECURITY)
  await agent.submit(t('account.authenticator_set_up'))
  const secret = /id="setup_key"[^>]*>([A-Z2-7]{32})</.exec(agent.page.body)![1]!
  assertTranslated(agent, [secret])
  await agent.submit(t('account.turn_on'), { code: '000000' })
  assertTranslated(agent, [secret])
  await agent.submit(t('account.turn_on'), { code: codeOf(service, secret) })
  assertTranslated(agent, recoveryCodes(agent))
  await agent.open(SECURITY)
  assertTranslated(agent)
  await agent.submit(t('account.codes_create'))
  assertTranslated(agent, recoveryCodes(agent))
  for (const query of ['', '?with=recovery_code']) {
    await agent.open(`/account/confirm${query}`)
    assertTranslated(agent)
    for (const code of ['1', '']) {
      const proof = { password: PASSWORD, code, recovery_code: code }
      await agent.submit(t('account.confirm'), proof)
      assertTranslated(agent)
    }
  }

  await agent.open(`${SECURITY}passkeys`)
  assertTranslated(agent)
  await agent.submit(t('account.passkey_create'), { credential: '{}', name: 'Test' })
  assertTranslated(agent)
  const options = await passkeyOptions(service, agent, t('account.passkey_create'))
  const credential = new SoftPasskey().create(options, { origin: service.world.config.base_url })
  await agent.submit(t('account.passkey_create'), { credential, name: 'XK' })
  assertTranslated(agent, ['XK'])
})

test('re-authentication has no English word in the pseudo-locale', async () => {
  const { t } = service.world.languages.named(PSEUDO)
  const { agent, email } = await inPseudo()
  await agent.open('/account/confirm')
  assertTranslated(agent)
  for (const password of ['not the password', '']) {
    await agent.submit(t('account.confirm'), { password })
    assertTranslated(agent)
  }
  await service.world.db.run(
    sql`update users set password_hash = null where email_normalized = ${email}`,
  )
  await agent.open('/account/confirm')
  assertTranslated(agent)
})

test('the connections have no English word in the pseudo-locale', async () => {
  const { agent, email } = await inPseudo()
  await agent.open('/account/connections/')
  assertTranslated(agent)
  const { world, demo } = service
  const { db, clock } = world
  const { user_id } = await db.one<{ user_id: UserId }>(
    sql`select id as user_id from users where email_normalized = ${email}`,
  )
  const { client_id } = demo.app
  await grants.grantConsent(db, clock.now(), {
    user_id,
    client_id,
    scopes: [...grants.DEFAULT_SCOPES],
  })
  for (const done of ['agent', 'app']) {
    await agent.open(`/account/connections/?done=${done}`)
    // The list of what an app receives is joined by the platform.
    assertTranslated(agent, ['(?<= )and(?= )'])
  }
})

test('the profile has no English word in the pseudo-locale', async () => {
  const { agent } = await inPseudo()
  await agent.open('/account/profile/')
  assertTranslated(agent, ['usr_\\w+'])
})

test('the export of personal data has no English word in the pseudo-locale', async () => {
  const { t } = service.world.languages.named(PSEUDO)
  const { agent } = await inPseudo()
  await agent.open('/account/profile/')
  await agent.submit(t('account.data_export'))
  assert.match(agent.page.url, /^\/tasks\/\w+\/ready\/$/)
  // The day on which the file expires is written by the platform.
  assertTranslated(agent, ['purser-data-[\\d-]+\\.json', 'bytes', 'KB', 'March'])
  const ready = agent.page.url
  const task_url = ready.replace('ready/', '')
  const id = task_url.split('/')[2]!

  await service.world.db.run(sql`delete from task_files where task_id = ${id}`)
  assert.equal((await agent.open(ready)).status, 410)
  assertTranslated(agent)

  for (const status of ['waiting', 'running']) {
    await service.world.db.run(sql`update tasks set status = ${status},
      updated_at = ${service.clock.now()} where id = ${id}`)
    assert.equal((await agent.open(task_url)).status, 202)
    assertTranslated(agent)
  }
  await agent.submit(t('task.stop'))
  assert.ok(agent.text.includes(t('task.stopped', { remains: t('task.no_file') })))
  assertTranslated(agent)
  await service.world.db.run(sql`update tasks set result = '{}' where id = ${id}`)
  await agent.open(task_url)
  assert.ok(agent.text.includes(t('task.failed', { remains: t('task.no_file') })))
  assertTranslated(agent)
})

test('the deletion has no English word in the pseudo-locale', async () => {
  const { t } = service.world.languages.named(PSEUDO)
  const { agent, email } = await inPseudo()
  await agent.open('/account/profile/delete')
  assertTranslated(agent)
  await agent.submit(t('account.delete'), { email: 'other@example.com' })
  assertTranslated(agent)
  await agent.submit(t('account.delete'), { email })
  assertTranslated(agent)
  assert.equal(agent.page.status, 200)
})

test('what blocks a deletion is in the language of the page', async () => {
  const { demo } = service
  const agent = await enterPassword(service, demo.seller.email, demo.seller.password)
  agent.cookies.set(LANGUAGE, 'es')
  await agent.open('/account/profile/delete')
  assert.match(agent.text, /Su cuenta todavía no se puede eliminar/)
  assert.match(agent.text, /El vendedor .* es suyo/)
})

test('the consent page for agents has no English word in the pseudo-locale', async () => {
  const { agent } = await inPseudo()
  for (const scope of ['listing.read', grants.AGENT_SCOPES.join(' ')]) {
    const query = new URLSearchParams({
      client_id: grants.AGENT_CLIENT,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope,
      code_challenge: await calculatePKCECodeChallenge(randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
      state: 'state',
    })
    await agent.open(`/o/auth?${query}`)
    assert.match(agent.page.url, /^\/o\/interaction\//)
    assertTranslated(agent)
  }
})

test('the name of a browser is in the language of the page', async () => {
  const { agent } = await signUp(service)
  agent.cookies.set(LANGUAGE, 'es')
  await agent.open(SECURITY)
  assert.match(agent.text, /Navegador desconocido Este navegador Desde el \d+ de/)
})
