import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import * as identity from '#domain/identity'
import type { Owner as AccountOwner } from '#flows/account'
import { mintId, type UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { durationText } from '#platform/text'
import { type Agent, type Seen, textOf } from './agent.ts'
import { emailTo, linkIn } from './mailbox.ts'
import { buyer } from './purchase.ts'
import type { TestService } from './service.ts'
import { SoftPasskey } from './soft-passkey.ts'

export const PASSWORD = 'a walk along the shore'

let count = 0

/** An unused email address. */
export function newEmail(): string {
  return `owner-${++count}@example.com`
}

/** An owner with an account: the email, and the browser that is signed in. */
export interface Owner {
  email: string
  agent: Agent
}

/** Signs up, confirms the email in the same browser, and is signed in. */
export async function signUp(service: TestService, email = newEmail()): Promise<Owner> {
  const agent = buyer(service)
  await agent.open('/signup/')
  await agent.submit('Create account', { email, password: PASSWORD })
  await agent.open(linkIn(await emailTo(service, email, /^Confirm your email/), 'sign_up'))
  await agent.submit('Confirm my email')
  assert.equal(agent.page.url, '/account/')
  return { email, agent }
}

/** A browser in which an owner's email and password were entered. */
export async function enterPassword(
  service: TestService,
  email: string,
  password = PASSWORD,
): Promise<Agent> {
  const agent = buyer(service)
  await agent.open('/signin/')
  await agent.submit('Sign in', { email, password })
  return agent
}

/** Asserts that a page's message and its Retry-After header name the same wait (F12). */
export function assertTooOften({ status, headers, body }: Seen): void {
  assert.equal(status, 429)
  const seconds = Number(headers['retry-after'])
  assert.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 3600, `${seconds} seconds`)
  const text = `Too many attempts. Try again in ${durationText(seconds)}.`
  assert.ok(textOf(body).includes(text), text)
}

/** An account's owner as flows know them, in a new session. */
export async function openOwner(
  { world }: Pick<TestService, 'world'>,
  { user_id, email }: { user_id: UserId; email: string },
): Promise<AccountOwner> {
  const session_id = mintId(world.random, 'ses')
  const device = { browser: 'A test', network: '127.0.0.*' }
  const session = { id: session_id, token: session_id, user_id, app_id: null, device }
  await identity.openSession(world.db, world.clock.now(), session)
  return { kind: 'account', user_id, request_id: 'req_test', session_id, email }
}

/** Whether a browser is signed in. */
export async function isSignedIn(agent: Agent): Promise<boolean> {
  return (await agent.tab().open('/account/')).url === '/account/'
}

/** The current code of an authenticator app with this setup key. */
export function codeOf({ clock }: TestService, secret: string): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return totp.generate({ timestamp: clock.now().getTime() })
}

/** The recovery codes on a page. */
export function recoveryCodes(agent: Agent): string[] {
  return agent.page.body.match(/\b[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}\b/g) ?? []
}

/** Sets up an authenticator app on the security page. */
export async function addAuthenticator(
  service: TestService,
  agent: Agent,
): Promise<{ secret: string; recovery_codes: string[] }> {
  await agent.open('/account/security/')
  await agent.submit('Set up an authenticator app')
  const secret = /id="setup_key"[^>]*>([A-Z2-7]{32})</.exec(agent.page.body)?.[1]
  assert.ok(secret, 'the page shows a setup key')
  await agent.submit('Turn it on', { code: codeOf(service, secret) })
  const recovery_codes = recoveryCodes(agent)
  // The code that confirmed the setup is used up; the next one is valid half a minute later.
  service.clock.pass(30)
  return { secret, recovery_codes }
}

/** Requests the options of the passkey form with this button, as the page's script does. */
export async function passkeyOptions(service: TestService, agent: Agent, button: string) {
  const form = agent.page.body.split('<form').find((each) => {
    return each.includes('data-passkey=') && each.includes(button)
  })
  const url = /data-passkey-options="([^"]+)"/.exec(form ?? '')?.[1]
  assert.ok(url, `the page has a passkey form with the button ${button}`)
  const { csrf_token = '' } = agent.form(button)
  const answer = await service.app.inject({
    method: 'POST',
    url,
    headers: {
      cookie: agent.cookie,
      origin: service.world.config.base_url,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams({ csrf_token }).toString(),
  })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}

/** Adds a passkey on the security page. */
export async function addPasskey(
  service: TestService,
  agent: Agent,
  name = 'Test device',
): Promise<SoftPasskey> {
  const passkey = new SoftPasskey()
  await agent.open('/account/security/passkeys')
  const options = await passkeyOptions(service, agent, 'Create a passkey')
  const credential = passkey.create(options, { origin: service.world.config.base_url })
  await agent.submit('Create a passkey', { credential, name })
  return passkey
}

/** Presses "Use a passkey" on the page that the browser is on. */
export async function pressPasskey(
  service: TestService,
  agent: Agent,
  passkey: SoftPasskey,
  manner: { origin?: string; verified?: boolean } = {},
): Promise<void> {
  const options = await passkeyOptions(service, agent, 'Use a passkey')
  const credential = passkey.get(options, { origin: service.world.config.base_url, ...manner })
  await agent.submit('Use a passkey', { credential })
}

const SIGN_INS = ['signed_in', 'signed_out', 'sign_in_refused', 'proof_refused', 'proven_again']

/** The audited changes of an account, in order; for sign-ins see audit-trail.test.ts. */
export async function auditedActionsOf({ world }: TestService, email: string): Promise<string[]> {
  const rows = await world.db.rows<{ action: string }>(sql`
    select a.action from audit_log a join users u on u.id = a.subject
    where u.email = ${email} order by a.id`)
  const actions = rows.map(({ action }) => action.replace('account.', ''))
  return actions.filter((action) => !SIGN_INS.includes(action))
}
