import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '#platform/sql'
import {
  addAuthenticator,
  addPasskey,
  assertTooOften,
  codeOf,
  enterPassword,
  isSignedIn,
  PASSWORD,
  passkeyOptions,
  pressPasskey,
  signUp,
} from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import { buyer, purchase, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import type { SoftPasskey } from '../support/soft-passkey.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

/** An owner with every kind of second factor. */
interface Guarded {
  email: string
  secret: string
  recovery_codes: string[]
  passkey: SoftPasskey
}

async function addGuarded(): Promise<Guarded> {
  const { email, agent } = await signUp(service)
  await purchase(service, agent, { email })
  const { secret, recovery_codes } = await addAuthenticator(service, agent)
  const passkey = await addPasskey(service, agent)
  return { email, secret, recovery_codes, passkey }
}

/** Every way to sign in, up to the second factor. */
const WAYS: [way: string, enter: (owner: Guarded) => Promise<Agent>][] = [
  ['the password', async ({ email }) => await enterPassword(service, email)],
  ['a sign-in link', async ({ email }) => await byEmail(email, 'sign_in')],
  ['a new password', async ({ email }) => await byEmail(email, 'set_password')],
  ['the checkout', async ({ email }) => await atCheckout(email, { password: PASSWORD })],
  ['the checkout by a link', async ({ email }) => await atCheckout(email, {})],
  ['another sign-up', async ({ email }) => await bySigningUp(email)],
]

async function byEmail(email: string, by: 'sign_in' | 'set_password'): Promise<Agent> {
  const agent = buyer(service)
  await agent.open('/signin/')
  const [button, subject] =
    by === 'sign_in'
      ? (['Email me a sign-in link', /^Your sign-in link/] as const)
      : (['I forgot my password', /^Set a new password/] as const)
  await agent.submit(button, { email })
  await agent.open(linkIn(await emailTo(service, email, subject), by))
  if (by === 'sign_in') await agent.submit('Sign in')
  else await agent.submit('Save password', { password: PASSWORD })
  return agent
}

async function atCheckout(email: string, { password }: { password?: string }): Promise<Agent> {
  const agent = buyer(service)
  await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
  await agent.submit('Continue', { email, ...TEXAS })
  if (password) {
    await agent.submit('Sign in', { password })
    return agent
  }
  await agent.submit('Email me a sign-in link')
  await agent.open(linkIn(await emailTo(service, email, /^Your sign-in link/), 'sign_in'))
  await agent.submit('Sign in')
  return agent
}

async function bySigningUp(email: string): Promise<Agent> {
  const agent = buyer(service)
  await agent.open('/signup/')
  await agent.submit('Create account', { email, password: 'the attacker chose this' })
  await agent.open(linkIn(await emailTo(service, email, /^You already have/), 'sign_in'))
  await agent.submit('Sign in')
  return agent
}

/** Every second factor, as entered on the page that asks for one. */
const FACTORS: [factor: string, give: (agent: Agent, owner: Guarded) => Promise<void>][] = [
  [
    'a code',
    async (agent, { secret }) => {
      await agent.submit('Sign in', { code: codeOf(service, secret) })
    },
  ],
  [
    'a recovery code',
    async (agent, { recovery_codes }) => {
      await agent.press('Use a recovery code')
      await agent.submit('Sign in', { recovery_code: recovery_codes.pop()!.toUpperCase() })
    },
  ],
  ['a passkey', async (agent, { passkey }) => await pressPasskey(service, agent, passkey)],
]

describe('every way to sign in asks for the second factor', async () => {
  for (const [way, enter] of WAYS) {
    test(`by ${way}: there is no session before it, and one after`, async () => {
      for (const [factor, give] of FACTORS) {
        const owner = await addGuarded()
        const agent = await enter(owner)
        assert.equal(agent.page.url, '/signin/second-factor', factor)
        assert.ok(!(await isSignedIn(agent)), `${factor}: nothing is open before it`)
        assert.ok(!agent.cookies.has('__Host-session'))
        await give(agent, owner)
        assert.ok(await isSignedIn(agent), `${factor}: ${agent.text}`)
        assert.ok(!agent.cookies.has('__Host-pending'))
      }
    })
  }

  test('a passkey with user verification counts as both factors', async () => {
    const { passkey } = await addGuarded()
    const agent = buyer(service)
    await agent.open('/signin/?return_to=/account/security/')
    await pressPasskey(service, agent, passkey)
    assert.equal(agent.page.url, '/account/security/')
  })

  test('a pending sign-in is not a session, in any cookie', async () => {
    const { email } = await addGuarded()
    const agent = await enterPassword(service, email)
    agent.cookies.set('__Host-session', agent.cookies.get('__Host-pending')!)
    assert.ok(!(await isSignedIn(agent)))
  })

  test('every step issues a new secret, and the session before ends', async () => {
    const { email, secret } = await addGuarded()
    const agent = await enterPassword(service, email)
    const pending = agent.cookies.get('__Host-pending')
    await agent.submit('Sign in', { code: codeOf(service, secret) })
    const first = agent.cookies.get('__Host-session')!
    service.clock.pass(30)
    await agent.open('/signin/')
    await agent.submit('Sign in', { email, password: PASSWORD })
    assert.ok(await isSignedIn(agent), 'a session without the second factor is kept as it was')
    await agent.submit('Sign in', { code: codeOf(service, secret) })
    const second = agent.cookies.get('__Host-session')!
    assert.equal(new Set([pending, first, second]).size, 3)
    const thief = buyer(service)
    thief.cookies.set('__Host-session', first)
    assert.ok(!(await isSignedIn(thief)))
  })

  test('the checkout continues where it was, after the second factor', async () => {
    const { email, agent: owner } = await signUp(service)
    const { secret } = await addAuthenticator(service, owner)
    const agent = await atCheckout(email, { password: PASSWORD })
    const page = await agent.submit('Sign in', { code: codeOf(service, secret) })
    assert.match(textOf(page.body), /Enter your card/)
  })
})

describe('an authenticator app', () => {
  test('accepts each code once, even concurrently, and no earlier one afterwards', async () => {
    const { email, agent: owner } = await signUp(service)
    const { secret } = await addAuthenticator(service, owner)
    const earlier = codeOf(service, secret)
    service.clock.pass(30)
    const code = codeOf(service, secret)
    const agents = await Promise.all([1, 2, 3].map(() => enterPassword(service, email)))
    await Promise.all(agents.map((agent) => agent.submit('Sign in', { code })))
    const entered = await Promise.all(agents.map(isSignedIn))
    assert.equal(entered.filter(Boolean).length, 1)
    const late = agents[entered.indexOf(false)]!
    for (const used of [code, earlier]) {
      await late.submit('Sign in', { code: used })
      assert.equal(late.page.status, 422)
      assert.match(late.text, /incorrect or was already used/)
    }
  })

  test('may be half a minute off, and no more', async () => {
    const { email, agent: owner } = await signUp(service)
    const { secret } = await addAuthenticator(service, owner)
    const code = codeOf(service, secret)
    const agent = await enterPassword(service, email)
    service.clock.pass(60)
    assert.equal((await agent.submit('Sign in', { code })).status, 422)
    const fresh = codeOf(service, secret)
    service.clock.pass(30)
    await agent.submit('Sign in', { code: ` ${fresh.slice(0, 3)} ${fresh.slice(3)} ` })
    assert.ok(await isSignedIn(agent))
  })

  test('rejects all codes after five wrong ones, including correct ones', async () => {
    const { email, agent: owner } = await signUp(service)
    const { secret, recovery_codes } = await addAuthenticator(service, owner)
    const agent = await enterPassword(service, email)
    for (let guess = 0; guess < 5; guess++) {
      assert.equal((await agent.submit('Sign in', { code: '000000' })).status, 422)
    }
    const other = await enterPassword(service, email)
    for (const [browser, fields] of [
      [agent, { code: codeOf(service, secret) }],
      [other, { code: codeOf(service, secret) }],
    ] as const) {
      assertTooOften(await browser.submit('Sign in', fields))
    }
    await other.press('Use a recovery code')
    await other.submit('Sign in', { recovery_code: recovery_codes[0]! })
    assert.equal(other.page.status, 429)
    assert.ok(!(await isSignedIn(other)))
  })

  test('can be entered for fifteen minutes', async () => {
    const { email, agent: owner } = await signUp(service)
    const { secret } = await addAuthenticator(service, owner)
    const agent = await enterPassword(service, email)
    service.clock.pass(15 * 60)
    await agent.submit('Sign in', { code: codeOf(service, secret) })
    assert.equal(agent.page.url, '/signin/')
    assert.ok(!(await isSignedIn(agent)))
  })

  test('counts once it has shown a code, and its secret is encrypted and not shown again', async () => {
    const { email, agent } = await signUp(service)
    await agent.open('/account/security/')
    await agent.submit('Set up an authenticator app')
    await agent.submit('Turn it on', { code: '000000' })
    assert.equal(agent.page.status, 422)
    assert.ok(await isSignedIn(await enterPassword(service, email)))
    const { secret } = await addAuthenticator(service, agent)
    assert.equal((await agent.open('/account/security/authenticator')).url, '/account/security/')
    const { secret_sealed } = await service.world.db.one<{ secret_sealed: Buffer }>(sql`
      select secret_sealed from authenticator_apps a join users u on u.id = a.user_id
      where u.email = ${email}`)
    assert.ok(!secret_sealed.toString('latin1').includes(secret))
  })
})

describe('recovery codes', () => {
  test('are ten, work once each, and each use is announced by email', async () => {
    const { email, agent: owner } = await signUp(service)
    const { recovery_codes } = await addAuthenticator(service, owner)
    assert.equal(new Set(recovery_codes).size, 10)
    const [first = '', second = ''] = recovery_codes
    const enter = async (recovery_code: string) => {
      const agent = await enterPassword(service, email)
      await agent.press('Use a recovery code')
      await agent.submit('Sign in', { recovery_code })
      return await isSignedIn(agent)
    }
    const tries = await Promise.all([enter(first), enter(first)])
    assert.equal(tries.filter(Boolean).length, 1)
    assert.ok(await enter(second.replaceAll('-', ' ')))
    await emailTo(service, email, /^A recovery code was used/)
    await owner.open('/account/security/')
    assert.match(owner.text, /8 codes left/)
  })

  test('that are left empty are no attempt, and the field says so', async () => {
    const { email, agent: owner } = await signUp(service)
    const { recovery_codes } = await addAuthenticator(service, owner)
    const agent = await enterPassword(service, email)
    for (let time = 0; time < 6; time++) {
      await agent.submit('Sign in', { code: ' ' })
      assert.equal(agent.page.status, 422)
      assert.match(agent.text, /Enter the current code from your app\./)
      assert.doesNotMatch(agent.text, /incorrect|Too many/)
    }
    await agent.press('Use a recovery code')
    await agent.submit('Sign in', { recovery_code: '' })
    assert.match(agent.text, /Enter a recovery code\./)
    await agent.submit('Sign in', { recovery_code: recovery_codes[0]! })
    assert.ok(await isSignedIn(agent))
    for (let time = 0; time < 6; time++) {
      await agent.open('/account/confirm?with=recovery_code')
      await agent.submit('Confirm', { password: PASSWORD, recovery_code: '' })
      assert.equal(agent.page.status, 422)
      assert.match(agent.text, /Enter a recovery code\./)
      await agent.submit('Confirm', { password: '', recovery_code: '' })
      assert.match(agent.text, /Enter your password\./)
    }
    await agent.submit('Confirm', { password: PASSWORD, recovery_code: recovery_codes[1]! })
    assert.equal(agent.page.url, '/account/security/')
  })

  test('are replaced by new ones, and deleted with the last second factor', async () => {
    const { email, agent: owner } = await signUp(service)
    const { recovery_codes } = await addAuthenticator(service, owner)
    await owner.open('/account/security/')
    await owner.submit('Create new codes')
    const agent = await enterPassword(service, email)
    await agent.press('Use a recovery code')
    await agent.submit('Sign in', { recovery_code: recovery_codes[0]! })
    assert.equal(agent.page.status, 422)
    await owner.open('/account/security/')
    await owner.submit('Remove the app')
    assert.ok(!owner.text.includes('codes left'))
    assert.ok(await isSignedIn(await enterPassword(service, email)))
  })
})

describe('a passkey', () => {
  test('answers each challenge once, within five minutes, in the same browser', async () => {
    const { passkey } = await addGuarded()
    const { base_url: origin } = service.world.config
    const ask = async () => {
      const agent = buyer(service)
      await agent.open('/signin/')
      return { agent, options: await passkeyOptions(service, agent, 'Use a passkey') }
    }
    const first = await ask()
    const credential = passkey.get(first.options, { origin })
    const thief = await ask()
    await thief.agent.submit('Use a passkey', { credential })
    assert.equal(thief.agent.page.status, 422)
    await first.agent.submit('Use a passkey', { credential })
    assert.ok(await isSignedIn(first.agent))
    await first.agent.open('/signin/')
    await first.agent.submit('Use a passkey', { credential })
    assert.equal(first.agent.page.status, 422)

    const slow = await ask()
    service.clock.pass(5 * 60)
    await slow.agent.submit('Use a passkey', { credential: passkey.get(slow.options, { origin }) })
    assert.equal(slow.agent.page.status, 422)
  })

  test('is rejected without user verification, or with a signature for another site', async () => {
    const { email, passkey } = await addGuarded()
    const agent = buyer(service)
    for (const manner of [{ verified: false }, { origin: 'https://evil.example' }]) {
      await agent.open('/signin/')
      await pressPasskey(service, agent, passkey, manner)
      assert.equal(agent.page.status, 422)
      assert.match(agent.text, /is not registered here/)
    }
    // Next to a password, its presence suffices.
    const second = await enterPassword(service, email)
    await pressPasskey(service, second, passkey, { verified: false })
    assert.ok(await isSignedIn(second))
  })

  test('of another person is not accepted as a second factor', async () => {
    const [{ email }, other] = [await addGuarded(), await addGuarded()]
    const agent = await enterPassword(service, email)
    await pressPasskey(service, agent, other.passkey)
    assert.equal(agent.page.status, 422)
    assert.ok(!(await isSignedIn(agent)))
  })

  test('gets a name that no other passkey of the account has', async () => {
    const { agent } = await signUp(service)
    for (const name of ['Unknown browser', 'Unknown browser 2', 'Unknown browser 3']) {
      await agent.open('/account/security/passkeys')
      assert.equal(agent.form('Create a passkey').name, name)
      await addPasskey(service, agent, name)
    }
  })

  test('gets a name without characters that turn its line around', async () => {
    const { agent } = await signUp(service)
    await addPasskey(service, agent, 'Shar\u202eed phone')
    await agent.open('/account/security/')
    assert.match(agent.text, /Shared phone/)
  })

  test('that is refused keeps the name that was entered', async () => {
    const { agent } = await signUp(service)
    await agent.open('/account/security/passkeys')
    await agent.submit('Create a passkey', { credential: '{}', name: 'Office laptop' })
    assert.equal(agent.page.status, 422)
    assert.equal(agent.form('Create a passkey').name, 'Office laptop')
  })

  test('no longer signs in after it was removed', async () => {
    const { email, agent: owner } = await signUp(service)
    const passkey = await addPasskey(service, owner)
    await owner.open('/account/security/')
    assert.match(owner.text, /Test device/)
    await owner.submit('Remove')
    const agent = buyer(service)
    await agent.open('/signin/')
    await pressPasskey(service, agent, passkey)
    assert.ok(!(await isSignedIn(agent)))
    assert.ok(await isSignedIn(await enterPassword(service, email)))
  })
})
