/** The snippets and the buy links of an app's integration page: each works as it is shown. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import type { RequestListener } from 'node:http'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
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
after(() => service.close())

/** The snippets of the cast's app. */
function snippets(mode: AppMode, oauth_login_url = 'https://tidepool.example/login'): Snippet[] {
  const { base_url, app } = service.demo
  const [price] = app.prices
  const values = { base_url, client_id: app.client_id, oauth_login_url, redirect_uri: undefined }
  return snippetsOf(mode, { ...values, price_id: price!.public_id })
}

function codeOf(mode: AppMode, name: string): string {
  return snippets(mode).find((each) => each.name === name)!.files[0]!.code
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

test('the client snippet exchanges an order, checks its key and links to the checkout', async () => {
  using purser = await loadSnippet<{
    buy_url: string
    keyOfOrder(svc_order: string): Promise<string | null>
    isEntitled(key: string): Promise<boolean>
  }>(codeOf('license_keys', 'typescript'))
  assert.equal(await purser.keyOfOrder(bought.svc_order), bought.key)
  assert.equal(await purser.isEntitled(bought.key), true)
  assert.equal((await fetch(purser.buy_url)).status, 200)
})

test('the Express snippet lets in the buyer of a returned order, and no one else', async () => {
  using site = await loadSnippet<{ app: RequestListener }>(codeOf('license_keys', 'express'))
  await using server = await listen(site.app)
  const { url } = server
  assert.equal((await fetch(`${url}/app`)).status, 402)
  const returned = `${url}/login?svc_order=${bought.svc_order}`
  const answer = await fetch(returned, { redirect: 'manual' })
  assert.equal(answer.headers.get('location'), '/app')
  const cookie = answer.headers.get('set-cookie')!.split(';')[0]!
  assert.equal((await fetch(`${url}/app`, { headers: { cookie } })).status, 404)
})

test('the Next.js route handler stores the key of a returned order', async () => {
  using route = await loadSnippet<{ GET(request: Request): Promise<Response> }>(
    codeOf('license_keys', 'next'),
  )
  const url = `https://tidepool.example/login?svc_order=${bought.svc_order}`
  const answer = await route.GET(new Request(url))
  assert.equal(answer.status, 303)
  assert.match(answer.headers.get('set-cookie')!, new RegExp(`^license_key=${bought.key};`))
})

test('the page has the snippets of the app’s mode with its values, and never the secret', async () => {
  const { client_id, client_secret } = service.demo.app
  const setAddOn = async (is_on: boolean) =>
    await service.world.db.run(sql`update apps set addon_enabled_at = ${is_on ? service.clock.now() : null},
      addon_disabled_at = null where slug = 'tidepool'`)
  for (const mode of MODES) {
    await setAddOn(mode === 'hosted_sign_in')
    for (const { name, files } of snippets(mode)) {
      const { body } = await seller.open(`${PAGE}?snippet=${name}`)
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
    assert.match(textOf(seller.page.body), reason)
  }
})
