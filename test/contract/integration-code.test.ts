/** The snippets and the buy links of an app's integration page: each works as it is shown. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import type { RequestListener } from 'node:http'
import { after, before, test } from 'node:test'
import { inspect, promisify } from 'node:util'
import { sql } from '#platform/sql'
import { type AppMode, type Snippet, snippetsOf } from '#surfaces/dashboard/snippets'
import { type Agent, textOf } from '../support/agent.ts'
import { buyer, licenseKey, orderReference, purchase } from '../support/purchase.ts'
import { BAD_RETURN_URLS, GOOD_RETURN_URLS } from '../support/return-urls.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { listen, loadSnippet, openSnippetProject } from '../support/snippet-project.ts'

// Guards point 9 of issue 11.

const PAGE = '/dashboard/apps/tidepool/integration/'
const MODES: AppMode[] = ['license_keys', 'hosted_sign_in']

let service: TestService
let seller: Agent
let bought: { key: string; svc_order: string }
before(async () => {
  service = await openTestService()
  await service.listen()
  seller = await signedIn(service, service.demo.seller)
  const page = await purchase(service, buyer(service), { email: 'snippets@example.com' })
  bought = { key: licenseKey(page), svc_order: orderReference(page) }
  process.env.PURSER_CLIENT_SECRET = service.demo.app.client_secret
})
after(() => {
  delete process.env.PURSER_CLIENT_SECRET
  return service.close()
})

/** The snippets of the cast's app. */
function snippets(mode: AppMode, oauth_login_url = 'https://tidepool.example/login'): Snippet[] {
  const { base_url, app } = service.demo
  const [price] = app.prices
  const values = { base_url, client_id: app.client_id, oauth_login_url, redirect_uri: undefined }
  return snippetsOf(mode, { ...values, price_id: price!.public_id })
}

function filesOf(mode: AppMode, name: string): Snippet['files'] {
  return snippets(mode).find((each) => each.name === name)!.files
}

function codeOf(mode: AppMode, name: string): string {
  return filesOf(mode, name)[0]!.code
}

for (const login_url of [
  'https://tidepool.example/login',
  "https://tidepool.example/it's/$in?a=`b",
]) {
  test(`every TypeScript snippet compiles, with the Login URL ${login_url}`, async () => {
    using project = openSnippetProject()
    for (const mode of MODES) {
      for (const { name, files } of snippets(mode, login_url)) {
        for (const file of files.filter((each) => each.name.endsWith('.ts'))) {
          const place = name === 'auth-js' ? file.name : `${name}/${file.name}`
          project.write(`${mode}/${place}`, file.code)
        }
      }
    }
    assert.equal(await project.check(), '')
    project.write('license_keys/planted.ts', "import { refund } from '@purser/client'\nrefund()")
    assert.match(await project.check(), /planted\.ts.*refund/)
  })
}

test('the curl snippet prints the license of an order and of a key', async () => {
  const env = {
    ...process.env,
    SVC_ORDER: bought.svc_order,
    LICENSE_KEY: bought.key,
  }
  const code = codeOf('license_keys', 'curl')
  const { stdout } = await promisify(execFile)('sh', ['-euc', code], { env })
  const [order, license] = stdout.split(/(?<=\})(?=\{)/).map((text) => JSON.parse(text))
  assert.equal(order.license_key, bought.key)
  assert.equal(license.entitled, true)
  assert.equal(license.license_id, order.license_id)
})

test('the client snippet links to the checkout, exchanges an order and checks its key', async () => {
  using purser = await loadSnippet<{
    buyUrl(purchase: string): string
    keyOfOrder(svc_order: string): Promise<string | null>
    isEntitled(key: string): Promise<boolean>
  }>(codeOf('license_keys', 'typescript'))
  assert.equal(await purser.keyOfOrder(bought.svc_order), bought.key)
  assert.equal(await purser.isEntitled(bought.key), true)
  const link = purser.buyUrl('random')
  const next = new URL(link).searchParams.get('next')
  assert.equal(next, 'https://tidepool.example/login?purchase=random')
  assert.equal((await fetch(link)).status, 200)
})

/** A browser that only keeps cookies: `go` returns where it is sent, or the page. */
function browserOf(fetchPage: (path: string, headers: Headers) => Promise<Response>) {
  const cookies = new Map<string, string>()
  return {
    cookies,
    async go(path: string) {
      const cookie = [...cookies].map((each) => each.join('=')).join('; ')
      const answer = await fetchPage(path, new Headers(cookie ? { cookie } : {}))
      for (const set of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^(\w+)=([^;]*)/.exec(set) ?? []
        cookies.set(name, value)
      }
      const { status } = answer
      return { status, location: answer.headers.get('location'), body: await answer.text() }
    },
  }
}

/**
 * Follows buyers of a snippet's site: each purchase returns to the browser that began it, another
 * person's order is adopted only by those who say so, and a launch shows a page.
 */
async function checkReturns(newBrowser: () => ReturnType<typeof browserOf>): Promise<void> {
  const [price, other] = service.demo.app.prices
  const { svc_order } = bought
  const returnFrom = async (browser: ReturnType<typeof browserOf>, id: string) => {
    const location = (await browser.go(`/buy/${id}`)).location!
    assert.ok(location.startsWith(`${service.demo.base_url}/buy/${id}/?`), location)
    assert.equal((await fetch(location)).status, 200)
    const next = new URL(new URL(location).searchParams.get('next')!)
    next.searchParams.set('svc_order', svc_order)
    return next.pathname + next.search
  }
  const owner = newBrowser()
  const first = await returnFrom(owner, price!.public_id)
  const second = await returnFrom(owner, other!.public_id)
  for (const back of [first, second]) {
    owner.cookies.delete('license_key')
    await owner.go(back)
    assert.equal(owner.cookies.get('license_key'), bought.key)
  }

  const visitor = newBrowser()
  for (const link of [first, `/login?svc_order=${svc_order}`, first]) {
    const asked = await visitor.go(link)
    assert.equal(asked.status, 200)
    assert.equal(visitor.cookies.has('license_key'), false)
    const [, own] = /href="([^"]+)"/.exec(asked.body) ?? []
    assert.ok(own?.startsWith('?'), asked.body)
    await visitor.go(`/login${own}`)
    assert.equal(visitor.cookies.get('license_key'), bought.key)
    visitor.cookies.delete('license_key')
  }

  assert.equal((await newBrowser().go('/buy/pro')).status, 404)
  // Purser opens the Login URL without an order too, and checks that it shows a page.
  assert.equal((await newBrowser().go('/login')).status, 200)
}

test('the Express snippet lets in the buyer who returns, and no one else', async () => {
  using site = await loadSnippet<{ app: RequestListener }>(codeOf('license_keys', 'express'))
  await using server = await listen(site.app)
  const newBrowser = () =>
    browserOf((path, headers) => fetch(server.url + path, { headers, redirect: 'manual' }))
  await checkReturns(newBrowser)
  const browser = newBrowser()
  assert.equal((await browser.go('/app')).status, 401)
  browser.cookies.set('license_key', 'key_unknown')
  assert.equal((await browser.go('/app')).status, 401)
  browser.cookies.set('license_key', bought.key)
  assert.equal((await browser.go('/app')).status, 404)
  await checkUnknownOrder(newBrowser())
})

/** Opens the return page with an order that Purser does not know: it leads back to the plans. */
async function checkUnknownOrder(browser: ReturnType<typeof browserOf>): Promise<void> {
  const { location } = await browser.go('/buy/prc_1')
  const back = new URL(new URL(location!).searchParams.get('next')!)
  const { status, body } = await browser.go(`/login${back.search}&svc_order=forged`)
  assert.equal(status, 404)
  assert.match(body, /^This order is not known\. .+<a href="\/">Try again<\/a>$/)
}

test('an error of Purser that is not about the visitor is a 502 of the Express snippet', async (t) => {
  const { mock: log } = t.mock.method(console, 'error', () => {})
  const secret = process.env.PURSER_CLIENT_SECRET
  process.env.PURSER_CLIENT_SECRET = 'wrong'
  using site = await loadSnippet<{ app: RequestListener }>(codeOf('license_keys', 'express'))
  process.env.PURSER_CLIENT_SECRET = secret
  await using server = await listen(site.app)
  const browser = browserOf((path, headers) =>
    fetch(server.url + path, { headers, redirect: 'manual' }),
  )
  await browser.go('/buy/prc_1')
  const query = new URLSearchParams({
    svc_order: bought.svc_order,
    purchase: browser.cookies.get('purchase')!,
  })
  const { status, body } = await browser.go(`/login?${query}`)
  assert.deepEqual([status, body], [502, 'Something went wrong. Try again.'])
  assert.match(inspect(log.calls[0]?.arguments), /invalid_client/)
})

test('the Next.js route handlers store the key of the buyer who returns, and of no one else', async () => {
  type Handler<Context> = (request: Request, context: Context) => Promise<Response>
  const [login, buy] = filesOf('license_keys', 'next')
  using arrival = await loadSnippet<{ GET: Handler<unknown> }>(login!.code)
  using departure = await loadSnippet<{ GET: Handler<{ params: Promise<{ price: string }> }> }>(
    buy!.code,
  )
  const newBrowser = () =>
    browserOf((path, headers) => {
      const request = new Request(`https://tidepool.example${path}`, { headers })
      const [, price] = /^\/buy\/(.*)/.exec(path) ?? []
      if (price === undefined) return arrival.GET(request, {})
      return departure.GET(request, { params: Promise.resolve({ price }) })
    })
  await checkReturns(newBrowser)
  await checkUnknownOrder(newBrowser())
})

test('the Next.js code answers 502 and logs the error where Purser refuses the client secret', async (t) => {
  const { mock: log } = t.mock.method(console, 'error', () => {})
  const [login] = filesOf('license_keys', 'next')
  const code = login!.code.replace('process.env.PURSER_CLIENT_SECRET', "'wrong'")
  using arrival = await loadSnippet<{ GET(request: Request): Promise<Response> }>(code)
  const address = `https://tidepool.example/login?purchase=own&svc_order=${bought.svc_order}`
  const answer = await arrival.GET(new Request(address, { headers: { cookie: 'purchase=own' } }))
  assert.deepEqual([answer.status, await answer.text()], [502, 'Something went wrong. Try again.'])
  assert.match(inspect(log.calls[0]?.arguments), /invalid_client/)
})

test('the page has the snippets of the app’s mode with its values, and never the secret', async () => {
  const { client_id, client_secret } = service.demo.app
  const setAddOn = async (is_on: boolean) =>
    await service.world.db.run(sql`update apps set addon_enabled_at = ${is_on ? service.clock.now() : null},
      addon_disabled_at = null where slug = 'tidepool'`)
  for (const mode of MODES) {
    await setAddOn(mode === 'hosted_sign_in')
    for (const { name, label, files } of snippets(mode)) {
      const { body } = await seller.open(`${PAGE}?snippet=${name}`)
      assert.ok(textOf(body).includes(`Code for ${label}`), 'a phone folds the others behind it')
      const shown = [...body.matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(([, code]) => textOf(code!))
      assert.equal(shown.length, files.length, `${mode} ${name}`)
      assert.ok(body.includes(client_id))
      assert.ok(!body.includes(client_secret))
    }
    const { body } = await seller.open(PAGE)
    assert.equal(body.includes('snippet=auth-js'), mode === 'hosted_sign_in')
  }
  await setAddOn(false)
})

/** Builds a link on the page; the texts of its faults if it is refused. */
async function build(fields: Record<string, string>): Promise<string | undefined> {
  const price = service.demo.app.prices[0]!.public_id
  const { body } = await seller.open(`${PAGE}?${new URLSearchParams({ price, ...fields })}`)
  const href = /href="([^"]*)"[^>]*>Open<\/a>/.exec(body)?.[1]
  return href === undefined ? undefined : textOf(href)
}

test('a built link opens the checkout with what was entered', async () => {
  const { code } = service.demo.affiliate
  const fields = { next: 'https://tidepool.example/a?b=1&c=%20#d', email: 'a+b@example.com' }
  const link = (await build({ ...fields, ref: code }))!
  const shopper = buyer(service)
  const page = await shopper.open(link)
  assert.equal(page.status, 200)
  const form = shopper.form('Continue')
  assert.equal(form.email, fields.email)
  assert.equal(form.next, fields.next)
  assert.ok(shopper.cookies.has('__Host-ref'))
})

test('a link is built exactly where the checkout accepts its return URL', async () => {
  await service.world.db.run(sql`update apps set url = 'https://tidepool.example'
    where slug = 'tidepool'`)
  for (const [next] of GOOD_RETURN_URLS) {
    const link = await build({ next })
    assert.ok(link, next)
    assert.equal((await buyer(service).open(link)).status, 200, next)
  }
  for (const next of BAD_RETURN_URLS.filter((text) => text.trim() === text)) {
    assert.equal(await build({ next }), undefined, next)
  }
})

test('a link with a code that the checkout would ignore is refused, with the reason', async () => {
  for (const [field, value, reason] of [
    ['ref', 'unknown-code', /No affiliate has this code/],
    ['discount', 'NO-SUCH-CODE', /This code does not exist/],
    ['email', 'not an email', /Enter an email address/],
    ['price', 'prc_unknown', /Choose a plan/],
  ] as const) {
    assert.equal(await build({ [field]: value }), undefined)
    assert.match(seller.text, reason)
  }
})
