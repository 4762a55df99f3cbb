/** The dashboard's integration page and plan editor, and what agents read of the same app. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Agent, textOf } from '../support/agent.ts'
import { agentToken } from '../support/agent-token.ts'
import { post, toolCall } from '../support/mcp.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const APP = '/dashboard/apps/tidepool'

let service: TestService
let seller: Agent

before(async () => {
  service = await openTestService()
  seller = await signedIn(service, service.demo.seller)
})
after(async () => {
  await service.close()
})

/** The settings of the app that its seller's agent reads. */
async function agentSettings() {
  const token = await agentToken(service, { email: service.demo.seller.email })
  const call = toolCall('get_integration_settings', { app_slug: 'tidepool' })
  const answer = await post(service, call, { authorization: `Bearer ${token}` })
  return answer.json().result.structuredContent.settings
}

// F42
test('the page and the agent tell in the app’s own time whether the add-on is charged', async () => {
  const { db, clock } = service.world
  await db.raw(`update apps set addon_enabled_at = $1 where slug = 'tidepool'`, [clock.now()])
  const read = async () => (await agentSettings()).hosted_sign_in.is_charged
  await seller.open(`${APP}/integration/`)
  assert.match(seller.text, /Free until/)
  assert.equal(await read(), false)
  await db.raw(`update apps set clock_ahead = 100 * 86400 where slug = 'tidepool'`)
  await seller.open(`${APP}/integration/`)
  assert.doesNotMatch(seller.text, /Free until/)
  assert.equal(await read(), true)
})

// F38
test('the integration page gives the scope to ask for, next to the issuer', async () => {
  const { body } = await seller.open(`${APP}/integration/`)
  assert.match(body, /openid entitlements/)
  assert.match(textOf(body), /Issuer/)
})

test('the page and the agent tell that Buy links are closed while the app is suspended', async () => {
  const { db, clock } = service.world
  const areMet = async () => (await agentSettings()).buy_link_preconditions.are_met
  const shown = async () => textOf((await seller.open(`${APP}/integration/`)).body)
  assert.match(await shown(), /Buy links are open/)
  assert.equal(await areMet(), true)
  const suspend = (at: Date | null) =>
    db.raw(`update apps set suspended_at = $1 where slug = 'tidepool'`, [at])
  await suspend(clock.now())
  assert.match(await shown(), /Buy links return 404 while the app is suspended/)
  assert.doesNotMatch(await shown(), /Buy links are open/)
  assert.equal(await areMet(), false)
  await suspend(null)
})

// S11
test('a form of more plans or prices than an app may have is refused before any work', async () => {
  await seller.open(`${APP}/plans/`)
  const plans = Array.from({ length: 21 }, (_, index) => [
    `versions.${index}.name`,
    `Plan ${index}`,
  ])
  const prices = Array.from({ length: 6 }, (_, index) => [`versions.0.prices.${index}.amount`, '9'])
  for (const fields of [plans, prices]) {
    await seller.open(`${APP}/plans/`)
    const page = await seller.submit(/^Review/, Object.fromEntries(fields))
    assert.equal(page.status, 400)
  }
})
