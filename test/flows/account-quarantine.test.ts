/**
 * The attacks of the study "Pre-hijacked accounts" (2022) on an account created at checkout: an
 * attacker buys with another person's email, and waits until that person confirms it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as identity from '#domain/identity'
import { type AppId, mintId, type UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import { sql } from '#platform/sql'
import {
  addAuthenticator,
  enterPassword,
  isSignedIn,
  newEmail,
  PASSWORD,
  passkeyOptions,
  signUp,
} from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { addApp, type OtherApp } from '../support/apps.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import { buyer, purchase, TEXAS } from '../support/purchase.ts'
import {
  addApp as addClientApp,
  authorizeApp,
  discover,
  entitlementOf,
  exchange,
  openSignInTest,
  type SignInTest,
  signInToApp,
  startSignIn,
} from '../support/sign-in.ts'
import { SoftPasskey } from '../support/soft-passkey.ts'

const SECURITY = '/account/security/'
const ATTACKERS_PASSWORD = 'what the attacker chose'

const DRIFTWOOD = 'https://driftwood.example/callback'

let setup: SignInTest
/** Two apps besides the one where the attacker buys: one to sign in to, one to buy. */
let driftwood: { client_id: AppId; client_secret: string }
let harbor: OtherApp
before(async () => {
  setup = await openSignInTest()
  driftwood = await addClientApp(setup, { redirect_uris: [DRIFTWOOD] })
  harbor = await addApp(setup, { slug: 'harbor' })
  // The add-on, so that the app's tokens are useful.
  await setup.world.db.run(sql`update apps set addon_enabled_at = ${setup.clock.now()}`)
})
after(() => setup.close())

/** What an attacker has after buying with another person's email. */
interface Attack {
  email: string
  user_id: UserId
  attacker: Agent
  success_url: string
  access_token: string
}

async function attack(email = newEmail()): Promise<Attack> {
  const attacker = buyer(setup)
  const bought = await purchase(setup, attacker, { email })
  assert.match(textOf(bought.body), /License key/)
  const { access_token } = await signInToApp(setup, attacker)
  assert.equal((await entitlementOf(setup, access_token)).statusCode, 200)
  const { id: user_id } = await setup.world.db.one<{ id: UserId }>(
    sql`select id from users where email_normalized = ${email}`,
  )
  return { email, user_id, attacker, success_url: bought.url, access_token }
}

/** The ways in which the owner may confirm the email, each ending signed in. */
const PROOFS: [proof: string, prove: (email: string) => Promise<Agent>][] = [
  ['the receipt’s verification link', (email) => answer(email, /receipt/, 'verify_email')],
  ['the receipt’s password link', (email) => answer(email, /receipt/, 'set_password')],
  [
    'a sign-in link',
    async (email) => {
      await (await at('/signin/')).submit('Email me a sign-in link', { email })
      return await answer(email, /^Your sign-in link/, 'sign_in')
    },
  ],
  [
    'a sign-up',
    async (email) => {
      await (await at('/signup/')).submit('Create account', { email, password: PASSWORD })
      return await answer(email, /^You already have/, 'sign_in')
    },
  ],
]

const BUTTONS: Record<string, string> = {
  verify_email: 'Confirm my email',
  set_password: 'Save password',
  sign_in: 'Sign in',
}

async function at(url: string): Promise<Agent> {
  const agent = buyer(setup)
  await agent.open(url)
  return agent
}

async function answer(email: string, subject: RegExp, purpose: string): Promise<Agent> {
  const agent = await at(linkIn(await emailTo(setup, email, subject), purpose))
  const fields: Record<string, string> = purpose === 'set_password' ? { password: PASSWORD } : {}
  await agent.submit(BUTTONS[purpose]!, fields)
  assert.ok(await isSignedIn(agent), agent.text)
  return agent
}

/** Asserts that nothing the attacker has still works. */
async function assertOut({ email, attacker, success_url, access_token }: Attack): Promise<void> {
  const { client_id } = setup.demo.app
  for (const url of ['/account/', SECURITY, `/manage/${client_id}/`, success_url]) {
    const page = await attacker.tab().open(url)
    // A disowned cart belongs to no one; every other page redirects to sign-in.
    assert.ok(page.status === 404 || /^\/signin\//.test(page.url), `${url} ${page.url}`)
    assert.ok(!page.body.includes('key_'), url)
  }
  assert.equal((await entitlementOf(setup, access_token)).statusCode, 401)
  const again = attacker.tab()
  const attempt = await startSignIn(setup.app_side, setup.callback)
  assert.match((await authorizeApp(again, attempt)).url, /^\/signin\//)
  assert.ok(!(await isSignedIn(await enterPassword(setup, email, ATTACKERS_PASSWORD))))
  // The same browser, with its cart, buys again and must sign in like anyone else.
  const cart = attacker.tab()
  await cart.open(`/buy/${setup.demo.app.prices[0]!.public_id}/`)
  assert.match((await cart.submit('Continue', { email, ...TEXAS })).url, /\/sign-in$/)
}

for (const [proof, prove] of PROOFS) {
  describe(`after ${proof}, an attacker keeps nothing`, () => {
    test('1. merged account: a password that was set before no longer works', async () => {
      const attack_ = await attack()
      const { email, attacker, user_id } = attack_
      // There is no form for it, and the sign-up page only sends an email.
      await assertNoChange(attacker)
      const other = await at('/signup/')
      await other.submit('Create account', { email, password: ATTACKERS_PASSWORD })
      // A password set through a hypothetical gap in the quarantine:
      const hash = await identity.hashPassword(ATTACKERS_PASSWORD)
      await setup.world.db.run(sql`update users set password_hash = ${hash}
        where id = ${user_id}`)
      assert.ok(!(await isSignedIn(await enterPassword(setup, email, ATTACKERS_PASSWORD))))
      await prove(email)
      await assertOut(attack_)
    })

    test('2. unexpired session: it ends, and so do the app’s tokens', async () => {
      const attack_ = await attack()
      // A code that was not exchanged yet.
      const code = await startSignIn(setup.app_side, setup.callback)
      const callback = (await authorizeApp(attack_.attacker.tab(), code)).url
      await prove(attack_.email)
      await assertOut(attack_)
      await assert.rejects(exchange(setup.app_side, code, callback), { error: 'invalid_grant' })
    })

    test('3. trojan identifier: a passkey or an app that was added before is removed', async () => {
      const attack_ = await attack()
      const { email, user_id } = attack_
      const passkey = new SoftPasskey()
      await plantFactors(user_id, passkey)
      await prove(email)
      await assertOut(attack_)
      const thief = await at('/signin/')
      const { base_url: origin } = setup.world.config
      const options = await passkeyOptions(setup, thief, 'Use a passkey')
      await thief.submit('Use a passkey', { credential: passkey.get(options, { origin }) })
      assert.equal(thief.page.status, 422)
      const left = await identity.factorsOf(setup.world.db, user_id)
      assert.deepEqual(left, { has_authenticator: false, passkeys: 0, recovery_codes: 0 })
    })

    test('4. unexpired change of email: a pending link changes nothing', async () => {
      const attack_ = await attack()
      const { email, user_id } = attack_
      const path = await plantEmailChange(user_id, email)
      await prove(email)
      assert.equal((await at(path)).page.status, 404)
      await assertOut(attack_)
      const user = await identity.findUser(setup.world.db, user_id)
      assert.equal(user?.email, email)
    })

    test('5. unverified identity: it is not accepted as the owner elsewhere, before or after', async () => {
      const attack_ = await attack()
      await assertSignedOut(attack_)
      await prove(attack_.email)
      await assertSignedOut(attack_)
      await assertOut(attack_)
    })
  })
}

/** Asserts that one app's checkout gives no access to any other app. */
async function assertSignedOut({ email, attacker }: Attack): Promise<void> {
  const agent = attacker.tab()
  const other_side = await discover(setup, driftwood)
  const attempt = await startSignIn(other_side, DRIFTWOOD)
  assert.match((await authorizeApp(agent, attempt)).url, /^\/signin\//)
  await agent.open(`/buy/${harbor.price_id}/`)
  const step = await agent.submit('Continue', { email, ...TEXAS })
  assert.match(step.url, /\/sign-in$/)
  assert.match(textOf(step.body), /already has an account/)
  const { url, status } = await agent.open('/dashboard/')
  assert.ok(url.startsWith('/signin/') || status === 403, url)
}

/** Second factors added through a hypothetical gap in the quarantine. */
async function plantFactors(user_id: UserId, passkey: SoftPasskey): Promise<void> {
  const { db, keys, random } = setup.world
  const now = setup.clock.now()
  const secret_sealed = identity.mintAuthenticatorSecret(keys, random, user_id)
  await identity.startAuthenticatorSetup(db, now, { user_id, secret_sealed })
  await identity.confirmAuthenticator(db, now, { user_id, secret_sealed, step: 1 })
  const code_hashes = identity.recoveryCodeHashes(keys, user_id, 'aaaa-bbbb-cccc')
  await identity.replaceRecoveryCodes(db, now, { user_id, code_hashes })
  // Created by the attacker's own account, so that it is valid.
  const { agent } = await signUp(setup)
  await agent.open(`${SECURITY}passkeys`)
  const options = await passkeyOptions(setup, agent, 'Create a passkey')
  const { base_url: origin } = setup.world.config
  await agent.submit('Create a passkey', { credential: passkey.create(options, { origin }) })
  await db.run(sql`update passkeys set user_id = ${user_id} where credential_id = ${passkey.id}`)
}

/** A change of email through a hypothetical gap in the quarantine; returns the path of its link. */
async function plantEmailChange(user_id: UserId, old_email: string): Promise<string> {
  const { db, random } = setup.world
  const now = setup.clock.now()
  const id = mintId(random, 'ech')
  const new_email = newEmail()
  const change = { id, user_id, old_email, new_email, new_email_normalized: new_email }
  await identity.requestEmailChange(db, now, { ...change, session_id: mintId(random, 'ses') })
  const token = mintSecret(random)
  await identity.addLink(db, now, { token, user_id, purpose: 'change_email', about: id })
  assert.equal((await at(`/link/change_email/${token}`)).page.status, 200)
  return `/link/change_email/${token}`
}

/** Asserts that a limited session is offered no security change, and cannot make one. */
async function assertNoChange(attacker: Agent): Promise<void> {
  const agent = attacker.tab()
  await agent.open(SECURITY)
  assert.match(agent.text, /Confirm your email first/)
  const forms = [...agent.page.body.matchAll(/<form[^>]*\saction="([^"]*)"/g)]
  assert.deepEqual(
    forms.map(([, action]) => action),
    ['/signout/', '/language/'],
  )
  await agent.open('/account/')
  const { csrf_token = '' } = agent.form('Sign out')
  const before = await countOfEverything()
  for (const path of [
    'account/profile/export',
    'account/profile/delete',
    'account/security/password',
    'account/security/email',
    'account/security/authenticator/begin',
    'account/security/authenticator',
    'account/security/passkeys/options',
    'account/security/passkeys',
    'account/security/recovery-codes',
    'account/security/sessions/end-others',
    'account/confirm',
    'account/confirm/options',
  ]) {
    const fields = { csrf_token, password: ATTACKERS_PASSWORD, email: newEmail(), code: '123456' }
    const refused = await setup.app.inject({
      method: 'POST',
      url: `/${path}`,
      headers: { cookie: agent.cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    })
    assert.equal(refused.statusCode, 403, path)
  }
  assert.deepEqual(await countOfEverything(), before)
}

async function countOfEverything() {
  return await setup.world.db.one(sql`select
    (select count(*) from users where password_hash is not null) as passwords,
    (select count(*) from email_changes) as changes,
    (select count(*) from authenticator_apps) as apps,
    (select count(*) from passkeys) as passkeys,
    (select count(*) from passkey_challenges) as challenges,
    (select count(*) from recovery_codes) as codes,
    (select count(*) from audit_log) as actions`)
}

async function everyEmailIsSent(): Promise<void> {
  const open = sql`select count(*) from emails where sent_at is null`
  while ((await setup.world.db.one<{ count: number }>(open)).count > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Runs `work`, and once `happens` before its first statement that reads one row from a table. */
async function withInterruption(
  table: string,
  { work, happens }: { work: () => Promise<unknown>; happens: () => Promise<unknown> },
): Promise<void> {
  const { db } = setup.world
  const one = db.one.bind(db)
  let hasHappened = false
  db.one = async (statement) => {
    if (!hasHappened && statement.text.includes(`from ${table}`)) {
      hasHappened = true
      await happens()
    }
    return await one(statement)
  }
  await work().finally(() => {
    db.one = one
  })
  assert.ok(hasHappened)
}

// Threats 13 and 50
test('a session that a success page opens while the owner confirms is worth nothing', async () => {
  const attack_ = await attack()
  const { attacker, user_id, email, success_url } = attack_
  await setup.world.db.run(sql`delete from sessions where user_id = ${user_id}`)
  await withInterruption('authenticator_apps', {
    work: () => attacker.open(success_url),
    happens: () => answer(email, /receipt/, 'verify_email'),
  })
  await assertOut(attack_)
})

describe('before the email is confirmed', () => {
  test('a session sees its purchase, cannot change the account, and cannot sell', async () => {
    const { attacker } = await attack()
    await assertNoChange(attacker)
    const { client_id } = setup.demo.app
    assert.equal((await attacker.tab().open(`/manage/${client_id}/`)).status, 200)
  })

  test('"This was not me" removes all access as well, and locks the account', async () => {
    const attack_ = await attack()
    const { email, user_id } = attack_
    await plantFactors(user_id, new SoftPasskey())
    const path = await plantEmailChange(user_id, email)
    const receipt = await emailTo(setup, email, /receipt/)
    const owner = await at(linkIn(receipt, 'not_me'))
    await owner.submit('Lock the account')
    assert.equal((await at(path)).page.status, 404)
    const left = await identity.factorsOf(setup.world.db, user_id)
    assert.deepEqual(left, { has_authenticator: false, passkeys: 0, recovery_codes: 0 })
    await assertOut(attack_)
    for (const purpose of ['verify_email', 'set_password']) {
      assert.equal((await at(linkIn(receipt, purpose))).page.status, 404)
    }
    await (await at('/signup/')).submit('Create account', { email, password: PASSWORD })
    await (await at('/signin/')).submit('Email me a sign-in link', { email })
    await everyEmailIsSent()
    const rows = await setup.world.db.rows(sql`select subject from dev_mailbox
      where recipient = ${email} and subject not like 'Your receipt%'
        and subject not like '%refund%'`)
    assert.deepEqual(rows, [])
  })

  test("a confirmed account keeps its second factors when an old receipt's link is used", async () => {
    const { email } = await attack()
    const owner = await answer(email, /receipt/, 'verify_email')
    await addAuthenticator(setup, owner)
    const again = await at(linkIn(await emailTo(setup, email, /receipt/), 'set_password'))
    await again.submit('Save password', { password: PASSWORD })
    assert.equal(again.page.url, '/signin/second-factor')
    assert.ok(!(await isSignedIn(owner)), 'a new password ends every session')
  })
})
