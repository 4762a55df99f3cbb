import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from './accessibility.ts'
import { type AgentProgram, LIBRARIES, type Library, startAgent } from './agent-program.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { arrive, press } from './steps.ts'

let setup: BrowserTest

before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

/** An agent that needs authorization, and its consent page. */
async function atConsent(t: TestContext, library: Library) {
  const agent = await startAgent(library, setup.service.world.config.base_url)
  t.after(() => agent.close())
  await assert.rejects(agent.connect(), /unauthorized/i)
  const page = await setup.newPage(t)
  await page.goto(agent.authorization())
  await arrive(page, 'Sign in')
  const { email, password } = setup.service.demo.seller
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  // F44: an agent that has called nothing yet requests read access only.
  await arrive(page, 'Let an agent read your apps?')
  return { agent, page }
}

/** Allows the checked scopes, and lets the agent fetch its token and connect. */
async function allow(agent: AgentProgram, page: Page): Promise<void> {
  await press(page, 'Allow')
  await arrive(page, 'You can close this tab')
  const answer = await agent.answer()
  assert.equal(answer.get('state'), 'as it was')
  await agent.finish(answer)
  await agent.connect()
}

for (const library of Object.keys(LIBRARIES) as Library[]) {
  test(`an agent on ${library} is allowed in the browser, works, and ends with the sign-out`, async (t) => {
    const { agent, page } = await atConsent(t, library)
    assert.equal((await accessibilityProblems(page)).join('\n'), '')
    await page.getByText(`continue to ${new URL(agent.callback).host}`).waitFor()
    await allow(agent, page)
    const { structuredContent } = await agent.call('list_apps', {})
    const { apps } = structuredContent as { apps: { slug: string }[] }
    assert.deepEqual(apps.map(({ slug }) => slug).sort(), ['driftlog', 'tidepool'])
    await page.goto('/account/connections/')
    await page.getByText(`Agent at ${new URL(agent.callback).host}`).waitFor()
    await page.goto('/account/security/')
    await press(page, 'Sign out here')
    await page.waitForURL('/')
    await assert.rejects(agent.call('list_apps', {}), /unauthorized/i)
  })
}

test('an agent with read access asks again for what a tool needs to write', async (t) => {
  const { agent, page } = await atConsent(t, '@modelcontextprotocol/client 2')
  await allow(agent, page)
  const facts = { app_slug: 'tidepool' }
  const read = await agent.call('get_app_listing', facts)
  assert.ok(!read.isError)
  await assert.rejects(agent.call('update_app_listing', { ...facts, tagline: 'Not yet' }))
  // The library requests what was missing, in addition to what it has.
  const again = new URL(agent.authorization())
  assert.match(again.searchParams.get('scope') ?? '', /listing\.write/)
  await page.goto(again.href)
  await arrive(page, 'Let an agent manage your apps?')
})

test('a person cancels, and the agent gets the error', async (t) => {
  const { agent, page } = await atConsent(t, '@modelcontextprotocol/client 2')
  await press(page, 'Cancel')
  await arrive(page, 'You can close this tab')
  const answer = await agent.answer()
  assert.equal(answer.get('error'), 'access_denied')
  assert.equal(answer.get('state'), 'as it was')
  assert.equal(answer.get('code'), null)
  await assert.rejects(agent.connect(), /unauthorized/i)
})

test('a person disconnects one agent on the page that lists them', async (t) => {
  const { agent, page } = await atConsent(t, '@modelcontextprotocol/client 2')
  await allow(agent, page)
  await page.goto('/account/connections/')
  assert.equal((await accessibilityProblems(page)).join('\n'), '')
  const { host } = new URL(agent.callback)
  const row = page
    .getByRole('listitem')
    .filter({ hasText: `Agent at ${host}` })
    .first()
  await row.getByRole('button', { name: 'Revoke access' }).click()
  await page.getByText('revoked').waitFor()
  assert.equal(await page.getByText(`Agent at ${host}`).count(), 0)
  assert.equal((await accessibilityProblems(page)).join('\n'), '')
  await assert.rejects(agent.call('list_apps', {}), /unauthorized/i)
})
