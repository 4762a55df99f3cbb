/** An app whose pages redirect onward to another origin of its own, in each installed browser. */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import { enableSignIn } from '../../src/demo/seed.ts'
import { EVERY_VIEW } from '../support/budget.ts'
import { eventually } from '../support/eventually.ts'
import { type Firefox, type FirefoxTab, findFirefox, launchFirefox } from '../support/firefox.ts'
import { buyer, purchase } from '../support/purchase.ts'
import { discover, type SignInTest, startSignIn } from '../support/sign-in.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'

const OWNER = { email: 'owner@example.org', password: 'three calm herons wade' }
const NO_FIREFOX = EVERY_VIEW
  ? 'There is no Firefox here: install one (on Debian: apt-get install firefox-esr).'
  : 'npm run test:all runs it'

let setup: BrowserTest
let firefox: Firefox | undefined
let side: SignInTest['app_side']
let app_url: string
let onward_url: string
const servers: Server[] = []

before(async () => {
  setup = await openBrowserTest()
  // Firefox takes twice as long as everything else here, so `npm test` leaves it to `npm run
  // test:all`.
  const found = EVERY_VIEW ? findFirefox() : undefined
  firefox = found ? await launchFirefox(found) : undefined
  onward_url = await listen(() => undefined)
  app_url = await listen((path) => `${onward_url}${path}`)
  const { service } = setup
  const { client_id, client_secret } = service.demo.app
  await enableSignIn(service.world, { client_id, site_url: app_url })
  await apps.setLoginUrl(service.world.db, client_id, `${app_url}/login`)
  side = await discover(service, { client_id, client_secret })
  await addOwner()
})

after(async () => {
  await firefox?.close()
  for (const server of servers) server.close()
  await setup.close()
})

/** A site that redirects to `onward`, or shows a page. */
async function listen(onward: (path: string) => string | undefined): Promise<string> {
  const server = createServer((request, response) => {
    const location = onward(request.url!)
    if (location) response.writeHead(303, { location }).end()
    else response.setHeader('content-type', 'text/html').end('<h1>Arrived</h1>')
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A person with a license and a password. */
async function addOwner(): Promise<void> {
  const { service } = setup
  const { db, clock } = service.world
  await purchase(service, buyer(service), { email: OWNER.email })
  const { id: user_id } = (await identity.findByEmail(db, OWNER.email))!
  const password_hash = await identity.hashPassword(OWNER.password)
  await identity.setPassword(db, clock.now(), { user_id, password_hash })
  await identity.proveMailbox(db, clock.now(), user_id)
}

/** A person in any of the browsers. */
interface Person {
  open(url: string): Promise<void>
  fill(label: string, value: string): Promise<void>
  /** Presses the button, or follows the link, with this text. */
  press(label: string): Promise<void>
  url(): Promise<string>
}

const BROWSERS: Record<string, (t: TestContext) => Promise<Person | undefined>> = {
  async Chromium(t) {
    const page = await setup.newPage(t)
    return {
      open: async (url) => void (await page.goto(url)),
      fill: (label, value) => page.getByLabel(label).fill(value),
      press: (label) => {
        const options = { name: label, exact: true }
        return page.getByRole('button', options).or(page.getByRole('link', options)).click()
      },
      url: async () => page.url(),
    }
  },
  async Firefox() {
    return firefox && onTab(await firefox.newPage())
  },
}

function onTab(tab: FirefoxTab): Person {
  const until = (what: string, source: string) =>
    // A page that unloads during the query responds with an error.
    eventually(what, () => tab.run(source).then(Boolean, () => false)).then(() => undefined)
  const find = (selector: string, label: string) =>
    `[...document.querySelectorAll('${selector}')]
      .find((each) => each.textContent.trim() === '${label}')`
  return {
    open: (url) => tab.open(url),
    url: () => tab.url(),
    fill: (label, value) =>
      until(
        label,
        `() => { const field = ${find('label', label)}?.control
          if (field) field.value = '${value}'
          return !!field }`,
      ),
    press: (label) =>
      until(
        label,
        `() => { const found = ${find('button, a', label)}
          found?.click()
          return !!found }`,
      ),
  }
}

async function signIn(person: Person): Promise<void> {
  await person.fill('Email', OWNER.email)
  await person.fill('Password', OWNER.password)
  await person.press('Sign in')
}

async function arrivedAt(person: Person, path: string): Promise<URLSearchParams> {
  return await eventually(`${onward_url}${path}`, async () => {
    const url = await person.url()
    return url.startsWith(`${onward_url}${path}`) && new URL(url).searchParams
  })
}

for (const [name, enter] of Object.entries(BROWSERS)) {
  test(`F30: ${name} follows Allow and Cancel to an app that redirects onward`, async (t) => {
    const person = await enter(t)
    if (!person) return t.skip(NO_FIREFOX)
    const callback = `${app_url}/auth/callback`
    await person.open((await startSignIn(side, callback, { prompt: 'consent' })).url.href)
    await signIn(person)
    await person.press('Allow')
    assert.ok((await arrivedAt(person, '/auth/callback?code')).get('code'))
    await person.open((await startSignIn(side, callback, { prompt: 'consent' })).url.href)
    await person.press('Cancel')
    const parameters = await arrivedAt(person, '/auth/callback?error')
    assert.equal(parameters.get('error'), 'access_denied')
  })

  test(`F30: ${name} follows both answers to a sign-out onward`, async (t) => {
    const person = await enter(t)
    if (!person) return t.skip(NO_FIREFOX)
    await person.open((await startSignIn(side, `${app_url}/auth/callback`)).url.href)
    await signIn(person)
    await arrivedAt(person, '/auth/callback?code')
    const { client_id } = setup.service.demo.app
    for (const [answer, state] of [
      ['Stay signed in', 'stays'],
      ['Sign out', 'leaves'],
    ] as const) {
      const requested = { client_id, post_logout_redirect_uri: `${app_url}/`, state }
      const { end_session_endpoint } = side.serverMetadata()
      await person.open(`${end_session_endpoint}?${new URLSearchParams(requested)}`)
      await person.press(answer)
      await arrivedAt(person, `/?state=${state}`)
    }
  })

  test(`F30: ${name} follows an owner who is sent back onward`, async (t) => {
    const person = await enter(t)
    if (!person) return t.skip(NO_FIREFOX)
    await person.open(setup.service.demo.app.prices[1]!.buy_url)
    await person.fill('Email', OWNER.email)
    await person.fill('ZIP code', '78701')
    await person.press('Continue')
    await person.fill('Password', OWNER.password)
    await person.press('Sign in')
    assert.ok((await arrivedAt(person, '/login?')).get('svc_order'))
  })
}
