import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { type BrowserTest, chargesOf, openBrowserTest } from './browser-test.ts'
import { arrive, buy, CARDS, goToConfirm, keyOnSuccess, newEmail, press } from './steps.ts'

let setup: BrowserTest
let buy_url: string
let evil: { port: number; server: Server }
/** The page of an attacker. */
let evilPage = ''

before(async () => {
  setup = await openBrowserTest()
  buy_url = setup.service.demo.app.prices[0]!.buy_url
  const port = await freePort()
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><title>Evil</title>${evilPage}`)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  evil = { port, server }
})
after(async () => {
  evil.server.close()
  await setup.close()
})

/** A page whose form submits itself to another address when it is opened. */
function selfSending(action: string, fields: Record<string, string>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input name=${name} value="${value}">`,
  )
  return `<form method=post action="${action}">${inputs.join('')}</form>
    <script>document.forms[0].submit()</script>`
}

/** The hidden fields of a page's form. */
async function secretsOf(page: Page): Promise<Record<string, string>> {
  const inputs = await page.locator('main form input[type=hidden]').all()
  const pairs = inputs.map(async (input) => [
    await input.getAttribute('name'),
    await input.getAttribute('value'),
  ])
  return Object.fromEntries(await Promise.all(pairs))
}

// Another site, whose form sends no cookies; and another port of the same site, whose does.
for (const host of ['127.0.0.1', 'localhost']) {
  test(`a page at ${host} cannot press Pay for the buyer, even with the form's tokens`, async (t) => {
    const page = await setup.newPage(t)
    const email = newEmail()
    await goToConfirm(page, { buy_url, email })
    const confirm_url = page.url()
    evilPage = selfSending(confirm_url, await secretsOf(page))
    const other = await page.context().newPage()
    const answered = other.waitForResponse((response) => response.request().method() === 'POST')
    await other.goto(`http://${host}:${evil.port}/`)
    assert.equal((await answered).status(), 403)
    await arrive(other, 'Request refused')
    assert.equal(await chargesOf(setup, email), 0)

    // The buyer's own page still works.
    await press(page, /^Pay /)
    await keyOnSuccess(page)
    assert.equal(await chargesOf(setup, email), 1)
  })

  test(`a page at ${host} cannot answer the bank, sign out or sign in for the buyer`, async (t) => {
    const page = await setup.newPage(t)
    const email = newEmail()
    await goToConfirm(page, { buy_url, email, card: CARDS.asks })
    await press(page, /^Pay /)
    await arrive(page, 'Confirm that it is you')
    const { base_url } = setup.service.world.config
    const attacks: [string, Record<string, string>][] = [
      [page.url(), { result: 'complete' }],
      [`${base_url}/signout/`, {}],
      [`${base_url}/signin/`, { email, by: 'sign_in' }],
    ]
    for (const [address, fields] of attacks) {
      evilPage = selfSending(address, fields)
      const other = await page.context().newPage()
      const answered = other.waitForResponse((response) => response.request().method() === 'POST')
      await other.goto(`http://${host}:${evil.port}/`)
      assert.equal((await answered).status(), 403, address)
    }
    assert.equal(await chargesOf(setup, email), 0)
  })
}

test('no page can be framed by another site', async () => {
  // A separate context, because the browser logs each refusal to the console.
  const context = await setup.browser.newContext({ baseURL: setup.service.world.config.base_url })
  const page = await context.newPage()
  await goToConfirm(page, { buy_url, email: newEmail() })
  for (const address of [page.url(), buy_url, '/signin/', '/account/', '/', '/nowhere/']) {
    const url = new URL(address, buy_url).href
    evilPage = `<iframe src="${url}"></iframe>`
    const framing = await context.newPage()
    await framing.goto(`http://localhost:${evil.port}/`)
    const frame = framing.frames()[1]!
    await frame.waitForURL('chrome-error://**')
    assert.equal(await frame.getByRole('heading', { level: 1 }).count(), 0, url)
    await framing.close()
  }
  await context.close()
})

test('every cookie is limited to this host, and unreadable to scripts and other sites', async (t) => {
  const page = await setup.newPage(t)
  const { code } = setup.service.demo.affiliate
  await page.goto('/apps/tidepool/')
  await page.getByRole('link', { name: 'Buy Pro monthly' }).click()
  await buy(page, { buy_url: `${buy_url}?ref=${code}`, email: newEmail() })
  const cookies = await page.context().cookies()
  const names = cookies.map(({ name }) => name.replace(/app_\w+$/, 'app')).sort()
  assert.deepEqual(names, ['__Host-browser', '__Host-ref', '__Host-session'])
  for (const { name, domain, path, secure, httpOnly, sameSite } of cookies) {
    const facts = { domain, path, secure, httpOnly, sameSite }
    const wanted = { domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' }
    assert.deepEqual(facts, wanted, name)
  }
  assert.equal(await page.evaluate('document.cookie'), '')
})

test('another browser cannot open a step of a purchase', async (t) => {
  const page = await setup.newPage(t)
  await goToConfirm(page, { buy_url, email: newEmail() })
  const other = await setup.newPage(t)
  await other.goto(page.url())
  await arrive(other, 'This checkout is not open here')
  await press(page, /^Pay /)
  await keyOnSuccess(page)
  await other.goto(page.url())
  await arrive(other, 'This checkout is not open here')
})
