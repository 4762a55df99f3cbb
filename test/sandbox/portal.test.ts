import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FORM, openWorld } from './world.ts'

const RETURN_URL = 'https://purser.example/manage/app_1/'
const ICON = '/images/img_0123456789ABCDEFGHIJKL-256.webp'

const world = await openWorld()

/** A portal of a buyer who paid $12.75 once. */
async function openPortal(number = FORM.number) {
  const { card, charge_id } = await world.charged(number)
  const portal = await world.sandbox.openPortal(world.now(), {
    app_name: 'Harbor',
    app_icon: ICON,
    email: 'buyer@example.com',
    card_token: card.token,
    return_url: RETURN_URL,
  })
  return { ...portal, charge_id, token: card.token }
}

describe('the portal', () => {
  test('shows the icon, the card on file, its payments, and the link back', async () => {
    const { url, charge_id, token } = await openPortal()
    await world.refund(charge_id, 500)
    const { statusCode, body } = await world.get(url)
    assert.equal(statusCode, 200)
    const facts = ['Visa ending in 4242', '04/30', 'buyer@example.com', 'March 10, 2026', '$12.75']
    const links = [`src="${ICON}"`, `href="${RETURN_URL}"`]
    for (const text of [...facts, 'Paid, $5.00 refunded', ...links]) {
      assert.ok(body.includes(text), text)
    }
    assert.doesNotMatch(body, /inv_/, 'an ID that no receipt shows')
    await world.sandbox.declineRenewals(token, 1)
    await world.charge(token, { off_session: true })
    assert.match((await world.get(url)).body, /Declined/)
  })

  test('replaces the card, shows it, and redirects the buyer', async () => {
    const { id, url } = await openPortal()
    const answer = await world.post(url, { ...FORM, number: '5555 5555 5555 4444' })
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, RETURN_URL])
    assert.equal((await world.sandbox.readPortal(id))?.last4, '4444')
    assert.match((await world.get(url)).body, /Mastercard ending in 4444/)
  })

  test('shows an error at its field, keeps the card on file, and shows no number again', async () => {
    const { id, url } = await openPortal()
    const answer = await world.post(url, { ...FORM, number: '4111 1111 1111 1111' })
    assert.equal(answer.statusCode, 400)
    assert.match(answer.body, /Use a test card such as/)
    assert.ok(!answer.body.includes('4111'))
    assert.equal(await world.sandbox.readPortal(id), undefined)
  })

  test('of another buyer shows nothing of this one', async () => {
    const { url } = await openPortal('5555 5555 5555 4444')
    assert.doesNotMatch((await world.get(url)).body, /ending in 4242/)
  })

  test('is not found by guessing, and rejects forms of other sites', async () => {
    const guess = '/sandbox/portals/ptl_0000000000000000000000'
    assert.equal((await world.get(guess)).statusCode, 404)
    assert.equal((await world.post(guess, FORM)).statusCode, 404)
    const { id, url } = await openPortal()
    const foreign = await world.post(url, FORM, { origin: 'https://evil.example' })
    assert.equal(foreign.statusCode, 403)
    assert.equal(await world.sandbox.readPortal(id), undefined)
    assert.equal(await world.sandbox.readPortal('nothing'), undefined)
  })

  test('accepts a card with a challenge, which names the app', async () => {
    const { id, url } = await openPortal()
    await world.post(url, { ...FORM, number: '4000 0025 0000 3155' })
    const card = await world.sandbox.readPortal(id)
    const answer = await world.charge(card!.token)
    assert.ok(answer.status === 'action_required')
    assert.match((await world.get(answer.action_url)).body, /Harbor/)
  })
})
