import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decodeQR } from 'qr/decode.js'
import * as identity from '#domain/identity'
import { confirmAuthenticator, openSetup, startAuthenticatorSetup } from '#flows/account'
import type { World } from '#flows/world'
import {
  addAuthenticator,
  addPasskey,
  auditedActionsOf,
  codeOf,
  openOwner,
  PASSWORD,
  signUp,
} from '../support/account.ts'
import { emailTo } from '../support/mailbox.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SECURITY = '/account/security/'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

describe('the setup of an authenticator app', () => {
  test('shows a QR code with the key and the account, dark on light in every color scheme', async () => {
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

  test('does not confirm the key of another tab with a code of the one before', async () => {
    const { email } = await signUp(service)
    const { world } = service
    const { id: user_id } = (await identity.findByEmail(world.db, email))!
    const owner = await openOwner(service, { user_id, email })
    await startAuthenticatorSetup(world, owner)
    const { secret } = (await openSetup(world, owner))!
    // The other tab begins again while the code of the first is checked.
    const consume: World['limits']['consume'] = async (limit, key) => {
      if (limit.name === 'authenticator-setup') await startAuthenticatorSetup(world, owner)
      return await world.limits.consume(limit, key)
    }
    const restarting = { ...world, limits: { ...world.limits, consume } }
    const confirmed = await confirmAuthenticator(restarting, owner, codeOf(service, secret))
    assert.deepEqual(confirmed, { outcome: 'gone' })
    assert.equal(await identity.findAuthenticator(world.db, user_id), undefined)
    assert.notEqual((await openSetup(world, owner))!.secret, secret)
  })

  test('is recorded and announced by email, like every change of a factor', async () => {
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
    assert.deepEqual(await auditedActionsOf(service, email), ['sign_up', ...actions])
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

/** The picture of an SVG whose path is made of squares, as a camera would see it. */
function pixelsOf(svg: string) {
  const scale = 8
  const side = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]) * scale
  // A transparent one is as dark as the page in a dark color scheme.
  const background = svg.includes('<rect width="100%" height="100%" fill="#fff"/>') ? 255 : 0
  const data = new Uint8Array(side * side * 4).fill(background)
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
