import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '#platform/sql'
import { PASSWORD, signUp } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { buyer, chargedAmounts, goToConfirm, purchase, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.listen()
})
after(() => assertInvariantsAndClose(service))

const NOT_CHARGED = /This order was not charged\./

/** A signed-in buyer who is ready to pay. */
async function atConfirm() {
  const { email, agent } = await signUp(service)
  const { url } = await goToConfirm(service, agent, { email })
  return { email, agent, confirm_url: url }
}

async function signOut(agent: Agent): Promise<void> {
  const tab = await agent.openTab('/account/')
  await tab.submit('Sign out')
}

const endSessionsOf = (email: string) =>
  service.world.db.run(sql`delete from sessions using users
    where users.id = sessions.user_id and email_normalized = ${email}`)

describe('an order of an account that signs out', () => {
  test('is paid after the buyer signed in again, with the card that was entered', async () => {
    const { email, agent, confirm_url } = await atConfirm()
    await signOut(agent)
    for (const step of ['confirm', 'card']) {
      const { url } = await agent.open(confirm_url.replace('confirm', step))
      assert.match(url, /\/sign-in$/)
    }
    await agent.submit('Sign in', { password: PASSWORD })
    assert.equal(agent.page.url, confirm_url)
    assert.match(agent.text, /ending in 4242/)
    await agent.submit(/^Pay /)
    assert.match(agent.text, /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('is not paid by the next person in this browser', async () => {
    const { email, agent, confirm_url } = await atConfirm()
    await signOut(agent)
    const next = await signUp(service)
    await agent.open('/signin/')
    await agent.submit('Sign in', { email: next.email, password: PASSWORD })
    assert.match((await agent.open(confirm_url)).url, /\/sign-in$/)
    assert.deepEqual(await chargedAmounts(service, email), [])
  })

  test('is not paid by a page that was open when the session was ended elsewhere', async () => {
    const { email, agent } = await atConfirm()
    await endSessionsOf(email)
    const page = agent.tab()
    await agent.submit(/^Pay /)
    assert.match(agent.page.url, /\/sign-in\?/)
    assert.match(agent.text, NOT_CHARGED)
    await page.submit('Apply', { discount: 'TRY' })
    assert.match(page.page.url, /\/sign-in$/)
    assert.deepEqual(await chargedAmounts(service, email), [])
  })

  test('is paid once by a page from before the sign-out, after the buyer signed in again', async () => {
    const { email, agent } = await atConfirm()
    const page = agent.tab()
    await signOut(agent)
    await page.submit(/^Pay /)
    assert.match(page.page.url, /\/sign-in\?/)
    assert.match(page.text, NOT_CHARGED)
    await page.submit('Sign in', { password: PASSWORD })
    await page.submit(/^Pay /)
    assert.match(page.text, /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })
})

describe('a form of a checkout that is refused', () => {
  test('because it is not of this browser leads back to its order', async () => {
    const { email, agent, confirm_url } = await atConfirm()
    assert.equal((await agent.submit(/^Pay /, { csrf_token: 'stale' })).status, 403)
    assert.equal((await agent.press('Back to your order')).url, confirm_url)
    assert.deepEqual(await chargedAmounts(service, email), [])
  })

  test('because cards were tried too often leads back to its order', async () => {
    const agent = buyer(service)
    const { url } = await goToConfirm(service, agent, {
      email: 'often@example.com',
      card: CARD.verifies_only,
    })
    while (agent.page.status !== 429) await agent.submit(/^Pay /)
    assert.doesNotMatch(agent.text, /Go to the home page/)
    assert.equal((await agent.press('Back to your order')).url, url)
    assert.match(agent.text, /Your card was declined/)
  })

  test('of the sign-in step leads back to it', async () => {
    const { email } = await signUp(service)
    const agent = buyer(service)
    await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
    const { url } = await agent.submit('Continue', { email, ...TEXAS })
    await agent.submit('Sign in', { csrf_token: 'stale', password: PASSWORD })
    assert.equal((await agent.press('Back to your order')).url, url)
  })
})

test('a buyer whose email got an account at another checkout reads that Pay charged nothing', async () => {
  const email = 'bought-elsewhere@example.com'
  const agent = buyer(service)
  await goToConfirm(service, agent, { email })
  await purchase(service, buyer(service), { email })
  await agent.submit(/^Pay /)
  assert.match(agent.text, /already has an account/)
  assert.match(agent.text, NOT_CHARGED)
  assert.deepEqual(await chargedAmounts(service, email), [1260])
})
