import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '#platform/sql'
import {
  addAuthenticator,
  addPasskey,
  auditedActionsOf,
  codeOf,
  enterPassword,
  isSignedIn,
  newEmail,
  PASSWORD,
  pressPasskey,
  signUp,
} from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import { buyer } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SECURITY = '/account/security/'
const TEN_MINUTES = 600

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

/** A browser at a page. */
async function at(agent: Agent, url: string): Promise<Agent> {
  await agent.open(url)
  return agent
}

describe('security settings change only after a recent confirmation', () => {
  /** Every change, as the form of its page sends it. */
  const CHANGES: [path: string, fields: Record<string, string>][] = [
    ['password', { password: 'another walk along the shore' }],
    ['email', { email: 'another@example.com' }],
    ['authenticator/begin', {}],
    ['authenticator', { code: '123456' }],
    ['authenticator/remove', {}],
    ['recovery-codes', {}],
    ['passkeys', { credential: '{}' }],
    ['passkeys/options', {}],
    ['passkeys/remove', { passkey: 'psk_1' }],
  ]

  test('no change goes through ten minutes after the last authentication, and none without a session', async () => {
    const { email, agent } = await signUp(service)
    await addAuthenticator(service, agent)
    await agent.open(SECURITY)
    const { csrf_token = '' } = agent.form('Create new codes')
    const actions = await auditedActionsOf(service, email)
    service.clock.pass(TEN_MINUTES)
    for (const [path, fields] of CHANGES) {
      const send = (cookie: string) =>
        service.app.inject({
          method: 'POST',
          url: SECURITY + path,
          headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
          payload: new URLSearchParams({ ...fields, csrf_token }).toString(),
        })
      const late = await send(agent.cookie)
      assert.match(String(late.headers.location), /^\/account\/confirm\?return_to=/, path)
      const other = buyer(service)
      await other.open('/signin/')
      const { csrf_token: own = '' } = other.form('Sign in')
      const refused = await service.app.inject({
        method: 'POST',
        url: SECURITY + path,
        headers: {
          cookie: other.cookie,
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: new URLSearchParams({ ...fields, csrf_token: own }).toString(),
      })
      assert.match(String(refused.headers.location), /^\/signin\//, path)
    }
    assert.deepEqual(await auditedActionsOf(service, email), actions)
  })

  // S2
  test('requires everything that the account has (password and code, or a passkey), and renews the session', async () => {
    const { email, agent } = await signUp(service)
    const { secret, recovery_codes } = await addAuthenticator(service, agent)
    const passkey = await addPasskey(service, agent)
    const proofs: (() => Promise<unknown>)[] = [
      () => agent.submit('Confirm', { password: PASSWORD, code: codeOf(service, secret) }),
      async () => {
        await agent.press('Use a recovery code')
        const [recovery_code = ''] = recovery_codes
        await agent.submit('Confirm', { password: PASSWORD, recovery_code })
      },
      () => pressPasskey(service, agent, passkey),
    ]
    for (const prove of proofs) {
      service.clock.pass(TEN_MINUTES)
      const before = agent.cookies.get('__Host-session')
      await agent.open(`${SECURITY}password`)
      assert.match(agent.page.url, /^\/account\/confirm\?/)
      await prove()
      assert.equal(agent.page.url, `${SECURITY}password`)
      assert.notEqual(agent.cookies.get('__Host-session'), before)
      const thief = buyer(service)
      thief.cookies.set('__Host-session', before!)
      assert.ok(!(await isSignedIn(thief)), 'the earlier secret no longer works')
    }
    const { count } = await service.world.db.one<{ count: number }>(sql`
      select count(*) from sessions s join users u on u.id = s.user_id where u.email = ${email}`)
    assert.equal(count, 1)
  })

  // S2
  test('rejects part of the proof: a password without the second factor, or the reverse', async () => {
    const { agent } = await signUp(service)
    const { secret } = await addAuthenticator(service, agent)
    service.clock.pass(TEN_MINUTES)
    await agent.open(`${SECURITY}password`)
    const { csrf_token = '', return_to = '' } = agent.form('Confirm')
    const half = async (fields: Record<string, string>) =>
      await service.app.inject({
        method: 'POST',
        url: '/account/confirm',
        headers: { cookie: agent.cookie, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ ...fields, csrf_token, return_to }).toString(),
      })
    const code = codeOf(service, secret)
    const halves: Record<string, string>[] = [
      { password: PASSWORD },
      { password: PASSWORD, code: '000000' },
      { code },
      { password: 'not my password', code },
    ]
    for (const fields of halves) {
      assert.equal((await half(fields)).statusCode, 422, JSON.stringify(fields))
    }
    assert.match((await agent.open(`${SECURITY}password`)).url, /^\/account\/confirm\?/)
    assert.equal((await half({ password: PASSWORD, code })).statusCode, 303)
  })

  // S2
  test('turning a second factor on or off ends every other session', async () => {
    const { email, agent } = await signUp(service)
    const others: Agent[] = [await enterPassword(service, email)]
    const ended = async () => {
      assert.ok(await isSignedIn(agent))
      for (const other of others) assert.ok(!(await isSignedIn(other)))
    }
    assert.ok(await isSignedIn(others[0]!))
    const { secret } = await addAuthenticator(service, agent)
    await ended()
    const signInAgain = async () => {
      const other = await enterPassword(service, email)
      service.clock.pass(30)
      await other.submit('Sign in', { code: codeOf(service, secret) })
      assert.ok(await isSignedIn(other))
      others.push(other)
    }
    await signInAgain()
    await addPasskey(service, agent)
    await ended()
    for (const button of ['Remove', 'Remove the app']) {
      await signInAgain()
      await agent.open(SECURITY)
      await agent.submit(button)
      await ended()
    }
  })

  test('rejects a wrong password or code', async () => {
    const { agent } = await signUp(service)
    service.clock.pass(TEN_MINUTES)
    await agent.open(`${SECURITY}password`)
    await agent.submit('Confirm', { password: 'not my password' })
    assert.equal(agent.page.status, 422)
    assert.match(agent.text, /The password is incorrect/)
    assert.match((await agent.open(`${SECURITY}password`)).url, /^\/account\/confirm\?/)
  })

  test('an account without a password confirms by email', async () => {
    const { email, agent } = await signUp(service)
    await service.world.db.run(sql`update users set password_hash = null where email = ${email}`)
    service.clock.pass(TEN_MINUTES)
    await agent.open(`${SECURITY}password`)
    await agent.submit('Email me a sign-in link')
    await agent.open(linkIn(await emailTo(service, email, /^Your sign-in link/), 'sign_in'))
    await agent.submit('Sign in')
    assert.equal(agent.page.url, `${SECURITY}password`)
    assert.match(agent.text, /Set your password/)
  })
})

describe('a new password', () => {
  test('signs out every other browser and sends an email about it', async () => {
    const { email, agent } = await signUp(service)
    const other = await enterPassword(service, email)
    await agent.open(`${SECURITY}password`)
    await agent.submit('Save password', { password: 'password1234' })
    assert.equal(agent.page.status, 422)
    await agent.submit('Save password', { password: 'another walk along the shore' })
    assert.match(agent.text, /Password saved/)
    assert.ok(await isSignedIn(agent))
    assert.ok(!(await isSignedIn(other)))
    assert.ok(!(await isSignedIn(await enterPassword(service, email))))
    await emailTo(service, email, /^Your password was changed/)
    assert.deepEqual((await auditedActionsOf(service, email)).slice(-1), ['password_changed'])
  })

  test('ends a pending sign-in with the old one', async () => {
    const { email, agent } = await signUp(service)
    const { secret } = await addAuthenticator(service, agent)
    const other = await enterPassword(service, email)
    assert.equal(other.page.url, '/signin/second-factor')
    await agent.open(`${SECURITY}password`)
    await agent.submit('Save password', { password: 'another walk along the shore' })
    await other.submit('Sign in', { code: codeOf(service, secret) })
    assert.equal(other.page.url, '/signin/')
    assert.ok(!(await isSignedIn(other)))
  })

  test('by an emailed link signs out every browser, and so does a change of email', async () => {
    const { email, agent } = await signUp(service)
    const wanted = newEmail()
    await agent.open(`${SECURITY}email`)
    await agent.submit('Send confirmation email', { email: wanted })
    const confirm = linkIn(await emailTo(service, wanted, /^Confirm your new/), 'change_email')
    const owner = buyer(service)
    await owner.open('/signin/')
    await owner.submit('I forgot my password', { email })
    await owner.open(linkIn(await emailTo(service, email, /^Set a new password/), 'set_password'))
    await owner.submit('Save password', { password: 'another walk along the shore' })
    assert.ok(await isSignedIn(owner))
    assert.ok(!(await isSignedIn(agent)))
    assert.equal((await buyer(service).open(confirm)).status, 404)
    assert.match((await at(owner, SECURITY)).text, new RegExp(`Signed in as ${email}`))
    await emailTo(service, email, /^Your password was changed/)
  })

  test('by an emailed link can be set for an hour, as the email says', async () => {
    const { email } = await signUp(service)
    const browser = buyer(service)
    await browser.open('/signin/')
    await browser.submit('I forgot my password', { email })
    const mail = await emailTo(service, email, /^Set a new password/)
    assert.match(mail, /This link works once and expires in one hour\./)
    const link = linkIn(mail, 'set_password')
    service.clock.pass(3590)
    assert.equal((await browser.open(link)).status, 200)
    service.clock.pass(10)
    assert.equal((await browser.open(link)).status, 404)
  })

  test('ends every emailed link that could replace it', async () => {
    const { email, agent } = await signUp(service)
    const forgotten = async () => {
      service.clock.pass(1)
      const browser = buyer(service)
      await browser.open('/signin/')
      await browser.submit('I forgot my password', { email })
      return linkIn(await emailTo(service, email, /^Set a new password/), 'set_password')
    }
    const first = await forgotten()
    await agent.open(`${SECURITY}password`)
    await agent.submit('Save password', { password: 'another walk along the shore' })
    assert.equal((await buyer(service).open(first)).status, 404)
    const [second, third] = [await forgotten(), await forgotten()]
    assert.notEqual(second, third)
    const owner = await at(buyer(service), third)
    await owner.submit('Save password', { password: 'one more walk along the shore' })
    assert.ok(await isSignedIn(owner))
    assert.equal((await buyer(service).open(second)).status, 404)
  })
})
