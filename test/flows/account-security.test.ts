import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { decodeQR } from 'qr/decode.js'
import * as identity from '#domain/identity'
import { deviceOf } from '#http/device'
import { sql } from '#platform/sql'
import {
  addAuthenticator,
  addPasskey,
  codeOf,
  enterPassword,
  isSignedIn,
  newEmail,
  PASSWORD,
  pressPasskey,
  signUp,
} from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
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

const words = (agent: Agent) => textOf(agent.page.body)

/** A browser at a page. */
async function at(agent: Agent, url: string): Promise<Agent> {
  await agent.open(url)
  return agent
}

const SIGN_INS = ['signed_in', 'signed_out', 'sign_in_refused', 'proof_refused', 'proven_again']

/** What the audit log says was changed of an account, in order; sign-ins: audit-trail.test.ts. */
async function auditedActionsOf(email: string): Promise<string[]> {
  const rows = await service.world.db.rows<{ action: string }>(sql`
    select a.action from audit_log a join users u on u.id = a.subject
    where u.email = ${email} order by a.id`)
  const actions = rows.map(({ action }) => action.replace('account.', ''))
  return actions.filter((action) => !SIGN_INS.includes(action))
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

  test('no change goes through ten minutes after the last proof, and none without a session', async () => {
    const { email, agent } = await signUp(service)
    await addAuthenticator(service, agent)
    await agent.open(SECURITY)
    const { csrf_token = '' } = agent.form('Create new codes')
    const actions = await auditedActionsOf(email)
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
    assert.deepEqual(await auditedActionsOf(email), actions)
  })

  // S2
  test('the proof is all that the account has: password and code, or a passkey; and gives the session a new secret', async () => {
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
  test('refuses a part of the confirmation: a password without the second factor, or the reverse', async () => {
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

  test('refuses a wrong confirmation', async () => {
    const { agent } = await signUp(service)
    service.clock.pass(TEN_MINUTES)
    await agent.open(`${SECURITY}password`)
    await agent.submit('Confirm', { password: 'not my password' })
    assert.equal(agent.page.status, 422)
    assert.match(words(agent), /The password is incorrect/)
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
    assert.match(words(agent), /Set your password/)
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
    assert.match(words(agent), /Password saved/)
    assert.ok(await isSignedIn(agent))
    assert.ok(!(await isSignedIn(other)))
    assert.ok(!(await isSignedIn(await enterPassword(service, email))))
    await emailTo(service, email, /^Your password was changed/)
    assert.deepEqual((await auditedActionsOf(email)).slice(-1), ['password_changed'])
  })

  test('ends a sign-in with the old one that still owes its second factor', async () => {
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
    assert.match(words(await at(owner, SECURITY)), new RegExp(`Signed in as ${email}`))
    await emailTo(service, email, /^Your password was changed/)
  })
})

describe('another address', () => {
  /** An owner who asked for another address, and the paths of the emails' links. */
  async function ask() {
    const { email, agent } = await signUp(service)
    const wanted = newEmail()
    await agent.open(`${SECURITY}email`)
    await agent.submit('Send confirmation email', { email: wanted })
    const confirm = linkIn(await emailTo(service, wanted, /^Confirm your new/), 'change_email')
    const undo = linkIn(await emailTo(service, email, /^Your email is about/), 'undo_email')
    return { email, wanted, agent, confirm, undo }
  }

  const change = async (path: string) => {
    const agent = buyer(service)
    await agent.open(path)
    await agent.submit('Change my email')
    return agent
  }

  test('changes nothing before the new mailbox confirms, and then notifies both', async () => {
    const { email, wanted, agent, confirm } = await ask()
    assert.match(words(await at(agent, SECURITY)), new RegExp(`Signed in as ${email}.*Waiting for`))
    assert.ok(await isSignedIn(await enterPassword(service, email)))
    const answered = await change(confirm)
    assert.match(words(answered), /Email changed/)
    assert.ok(!(await isSignedIn(answered)), 'a link for an address opens no account')
    assert.match(words(await at(agent, SECURITY)), new RegExp(`Signed in as ${wanted}`))
    assert.ok(await isSignedIn(await enterPassword(service, wanted)))
    assert.ok(!(await isSignedIn(await enterPassword(service, email))))
    await emailTo(service, email, /^Your email was changed/)
    assert.equal((await buyer(service).open(confirm)).status, 404)
  })

  test('revokes all links in the old mailbox, except the one that undoes it', async () => {
    const { email, confirm } = await ask()
    const agent = buyer(service)
    await agent.open('/signin/')
    await agent.submit('I forgot my password', { email })
    const reset = linkIn(await emailTo(service, email, /^Set a new password/), 'set_password')
    await change(confirm)
    assert.equal((await buyer(service).open(reset)).status, 404)
  })

  test('can be reverted from the old mailbox for seven days, which signs out every browser', async () => {
    const { email, wanted, agent, confirm } = await ask()
    await addPasskey(service, agent)
    await change(confirm)
    const path = linkIn(await emailTo(service, email, /^Your email was changed/), 'undo_email')
    service.clock.pass(7 * 86_400 - 60)
    const owner = buyer(service)
    await owner.open(path)
    await owner.submit('Keep this email')
    // No second factor is asked for that came after the change was asked for.
    assert.match(words(owner), /Set your password/)
    await owner.submit('Save password', { password: 'the owner walks along the shore' })
    assert.match(words(owner), new RegExp(`Signed in as ${email}`))
    assert.ok(!(await isSignedIn(agent)))
    assert.ok(!(await isSignedIn(await enterPassword(service, email))))
    assert.ok(!(await isSignedIn(await enterPassword(service, wanted))))
    assert.match(words(await at(owner, SECURITY)), /Passkeys Off/)
  })

  test('may be stopped before the new mailbox answers', async () => {
    const { email, agent, confirm, undo } = await ask()
    const owner = buyer(service)
    await owner.open(undo)
    await owner.submit('Keep this email')
    for (const path of [confirm, undo]) {
      assert.equal((await buyer(service).open(path)).status, 404)
    }
    assert.ok(!(await isSignedIn(agent)))
    assert.match(words(await at(owner, SECURITY)), new RegExp(`Signed in as ${email}`))
  })

  test('cannot be undone after seven days, and the request expires after one', async () => {
    const { email, confirm, undo } = await ask()
    service.clock.pass(86_400)
    const late = buyer(service)
    assert.equal((await late.open(confirm)).status, 404)
    service.clock.pass(6 * 86_400)
    assert.equal((await late.open(undo)).status, 404)
    assert.ok(await isSignedIn(await enterPassword(service, email)))
  })

  test('that has an account of its own is reported by email alone', async () => {
    const [{ email, agent }, { email: taken }] = [await signUp(service), await signUp(service)]
    await agent.open(`${SECURITY}email`)
    await agent.submit('Send confirmation email', { email: taken })
    assert.match(words(agent), /We sent an email to the new address/)
    const message = await emailTo(service, taken, /^This email already has a Purser account/)
    assert.ok(!message.includes('/link/'))
    assert.ok(!message.includes(email))
  })

  test('is requested once at a time: a later request replaces the earlier one', async () => {
    const { wanted, agent, confirm } = await ask()
    const better = newEmail()
    await agent.open(`${SECURITY}email`)
    await agent.submit('Send confirmation email', { email: better })
    assert.equal((await buyer(service).open(confirm)).status, 404)
    const path = linkIn(await emailTo(service, better, /^Confirm your new/), 'change_email')
    await change(path)
    assert.match(words(await at(agent, SECURITY)), new RegExp(`Signed in as ${better}`))
    assert.ok(!(await isSignedIn(await enterPassword(service, wanted))))
  })

  test('must be a valid address, and a different one', async () => {
    const { email, agent } = await signUp(service)
    await agent.open(`${SECURITY}email`)
    for (const [value, reason] of [
      ['no address', /Enter an email address/],
      [email.toUpperCase(), /This is already your email/],
    ] as const) {
      await agent.submit('Send confirmation email', { email: value })
      assert.equal(agent.page.status, 422)
      assert.match(words(agent), reason)
    }
  })
})

describe('the list of sessions', () => {
  const listed = (agent: Agent) => [...agent.page.body.matchAll(/id="record-(ses_\w+)"/g)].length

  test('shows the browser and the network, and never the whole address', async () => {
    const { agent } = await signUp(service)
    await agent.open(SECURITY)
    assert.match(words(agent), /Unknown browser This browser Since March \d+, 2026/)
    const rows = await service.world.db.rows<{ network: string }>(sql`select network from sessions`)
    assert.ok(rows.every(({ network }) => /^(10\.\d+\.\d+|127\.0\.0)\.\*$/.test(network)))
  })

  test('ends one session, or all the others, without asking for a proof', async () => {
    const { email, agent } = await signUp(service)
    const others = [
      await enterPassword(service, email),
      await enterPassword(service, email),
      await enterPassword(service, email),
    ]
    service.clock.pass(TEN_MINUTES)
    await agent.open(SECURITY)
    assert.equal(listed(agent), 4)
    await agent.submit('Sign out')
    assert.equal(listed(agent), 3)
    assert.equal((await Promise.all(others.map(isSignedIn))).filter(Boolean).length, 2)
    await agent.submit('Sign out everywhere else')
    assert.equal(listed(agent), 1)
    assert.equal((await Promise.all(others.map(isSignedIn))).filter(Boolean).length, 0)
    assert.ok(await isSignedIn(agent))
    const actions = ['sign_up', 'session_ended', 'other_sessions_ended']
    assert.deepEqual(await auditedActionsOf(email), actions)
  })

  test('ends no session of another account', async () => {
    const [{ agent: thief }, { agent: victim }] = [await signUp(service), await signUp(service)]
    await enterPassword(service, (await signUp(service)).email)
    await victim.open(SECURITY)
    const session = /id="record-(ses_\w+)"/.exec(victim.page.body)![1]!
    await thief.open(SECURITY)
    const { csrf_token = '' } = thief.form('Sign out here')
    await service.app.inject({
      method: 'POST',
      url: `${SECURITY}sessions/end`,
      headers: {
        cookie: thief.cookie,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ session, csrf_token }).toString(),
    })
    assert.ok(await isSignedIn(victim))
  })

  test('names a browser by its family and system', () => {
    const AGENTS: [agent: string | undefined, browser: string][] = [
      [
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) … Chrome/156.0 Safari/537.36',
        'Chrome on Windows',
      ],
      ['Mozilla/5.0 (Windows NT 10.0) … Chrome/156.0 Safari/537.36 Edg/156.0', 'Edge on Windows'],
      [
        'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
        'Firefox on Linux',
      ],
      ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) … Version/26.0 Safari/605', 'Safari on Mac'],
      ['Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) … Safari/604.1', 'Safari on iPhone'],
      ['Mozilla/5.0 (Linux; Android 16) … Chrome/156.0 Mobile Safari', 'Chrome on Android'],
      ['curl/8.14', 'Unknown browser'],
      [undefined, 'Unknown browser'],
    ]
    for (const [agent, browser] of AGENTS) {
      const request = { headers: { 'user-agent': agent }, ip: '203.0.113.9' } as FastifyRequest
      assert.deepEqual(deviceOf(request), { browser, network: '203.0.113.*' })
    }
  })

  test('records when a browser was last seen', async () => {
    const { email, agent } = await signUp(service)
    const other = await enterPassword(service, email)
    service.clock.pass(2 * 86_400)
    await agent.open(SECURITY)
    assert.match(words(agent), /Last seen on March \d+, 2026.*Last seen on March \d+, 2026/)
    const seen = [...words(agent).matchAll(/Last seen on (\w+ \d+)/g)].map(([, day]) => day)
    assert.notEqual(seen[0], seen[1])
    assert.ok(await isSignedIn(other))
  })
})

describe('the setup of an authenticator app', () => {
  test('draws a QR code with the key and the account', async () => {
    const { email, agent } = await signUp(service)
    await agent.open(SECURITY)
    await agent.submit('Set up an authenticator app')
    const drawing = /src="data:image\/svg\+xml;base64,([^"]+)"/.exec(agent.page.body)?.[1] ?? ''
    const uri = new URL(decodeQR(pixelsOf(Buffer.from(drawing, 'base64').toString())))
    const secret = /id="setup_key"[^>]*>([A-Z2-7]+)</.exec(agent.page.body)?.[1]
    assert.equal(uri.protocol, 'otpauth:')
    assert.equal(uri.searchParams.get('secret'), secret)
    assert.equal(uri.searchParams.get('issuer'), 'Purser')
    assert.ok(decodeURIComponent(uri.pathname).includes(email))
  })

  test('starts again with a new key, and expires after 15 minutes', async () => {
    const { agent } = await signUp(service)
    const key = () => /id="setup_key"[^>]*>([A-Z2-7]+)</.exec(agent.page.body)?.[1] ?? ''
    await agent.open(SECURITY)
    await agent.submit('Set up an authenticator app')
    const first = key()
    await agent.open(SECURITY)
    await agent.submit('Set up an authenticator app')
    assert.notEqual(key(), first)
    await agent.submit('Turn it on', { code: codeOf(service, first) })
    assert.equal(agent.page.status, 422)
    service.clock.pass(15 * 60)
    await agent.open(`${SECURITY}password`)
    await agent.submit('Confirm', { password: PASSWORD })
    assert.equal((await agent.open(`${SECURITY}authenticator`)).url, SECURITY)
  })

  test('and every other change of a factor is recorded and announced by email', async () => {
    const { email, agent } = await signUp(service)
    await addAuthenticator(service, agent)
    await addPasskey(service, agent)
    for (const button of ['Create new codes', 'Remove', 'Remove the app']) {
      await agent.open(SECURITY)
      await agent.submit(button)
    }
    const actions = [
      'authenticator_added',
      'passkey_added',
      'recovery_codes_made',
      'passkey_removed',
      'authenticator_removed',
    ]
    assert.deepEqual(await auditedActionsOf(email), ['sign_up', ...actions])
    for (const subject of [
      /^An authenticator app was added/,
      /^A passkey was added/,
      /^New recovery codes were created/,
      /^A passkey was removed/,
      /^Your authenticator app was removed/,
    ]) {
      assert.match(await emailTo(service, email, subject), /Was this you\?/)
    }
  })
})

test('deletes expired sessions, links and sign-ups', async () => {
  const { db } = service.world
  const { agent } = await signUp(service)
  await agent.open(`${SECURITY}passkeys`)
  const kept = await enterPassword(service, (await signUp(service)).email)
  service.clock.pass(20 * 86_400)
  await kept.open(SECURITY)
  const late = await signUp(service)
  await identity.forgetExpired(db, service.clock.now())
  const counts = async () =>
    await db.one<Record<string, number>>(sql`select
      (select count(*) from sign_ups) as sign_ups,
      (select count(*) from account_links) as links,
      (select count(*) from pending_sign_ins) as pending,
      (select count(*) from passkey_challenges) as challenges`)
  assert.deepEqual(await counts(), { sign_ups: 1, links: 1, pending: 0, challenges: 0 })
  assert.ok(await isSignedIn(late.agent))
  service.clock.pass(31 * 86_400)
  await identity.forgetExpired(db, service.clock.now())
  assert.deepEqual(await db.rows(sql`select id from sessions`), [])
})

/** The picture of an SVG whose path is made of squares, as a camera would see it. */
function pixelsOf(svg: string) {
  const scale = 8
  const side = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]) * scale
  const data = new Uint8Array(side * side * 4).fill(255)
  let [x, y] = [0, 0]
  for (const [, step, right, down] of svg.matchAll(/(m)(-?\d+) (-?\d+)h1v1/gi)) {
    const from = step === 'M' ? [0, 0] : [x, y]
    x = from[0]! + Number(right)
    y = from[1]! + Number(down)
    for (let row = y * scale; row < (y + 1) * scale; row++) {
      for (let column = x * scale; column < (x + 1) * scale; column++) {
        const at = (row * side + column) * 4
        data.fill(0, at, at + 3)
      }
    }
  }
  return { width: side, height: side, data }
}
