import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import { saveAddresses } from '#flows/integration'
import type { ProductId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { closeSound } from '../support/invariants.ts'
import { basic, buyer, licenseKey, purchase } from '../support/purchase.ts'
import { BAD_RETURN_URLS } from '../support/return-urls.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let sellers_browser: Agent
const PAGE = '/dashboard/apps/tidepool/integration/'

before(async () => {
  service = await openTestService()
  sellers_browser = await signedIn(service, service.demo.seller)
})
after(() => closeSound(service))

/** A browser in which the seller is signed in. */
const seller = () => sellers_browser.twin()

const auditOf = async (action: string) =>
  await service.world.db.rows<{ actor: string; subject: string; request_id: string }>(
    sql`select actor, subject, request_id, detail from audit_log where action = ${action}
      order by id`,
  )

const changes = async () =>
  await apps.changesOf(service.world.db, service.demo.app.client_id, { limit: 1 })

const clientOf = async () => await apps.findClientOf(service.world.db, service.demo.app.client_id)

describe('the dashboard is for sellers', () => {
  test('a visitor without a session signs in first and returns', async () => {
    const agent = buyer(service)
    assert.equal((await agent.open(PAGE)).url, `/signin/?return_to=${encodeURIComponent(PAGE)}`)
    const { email, password } = service.demo.seller
    await agent.submit('Sign in', { email, password })
    assert.equal(agent.page.url, PAGE)
  })

  test('lists a seller’s apps, and no apps for anyone else', async () => {
    const page = await seller().open('/dashboard/')
    assert.ok(page.body.includes('href="/dashboard/apps/tidepool/"'))
    for (const person of [service.demo.buyer, service.demo.affiliate]) {
      const agent = await signedIn(service, person)
      const { status, body } = await agent.open('/dashboard/')
      assert.equal(status, 200)
      assert.match(textOf(body), /No apps yet/)
      assert.ok(!body.includes('Tidepool'))
    }
  })

  test('a session for one purchase alone is refused', async () => {
    const agent = buyer(service)
    await purchase(service, agent, { email: 'unproven@example.com' })
    for (const path of ['/dashboard/', PAGE, `${PAGE}secret/`]) {
      const { status, body } = await agent.open(path)
      assert.equal(status, 403)
      assert.match(textOf(body), /Confirm your email first/)
    }
  })

  test('returns 404 for another seller’s app', async () => {
    const { email } = service.demo.operator
    await addSellerWithApp(service, { email, slug: 'lighthouse' })
    const agent = await signedIn(service, service.demo.operator)
    assert.equal((await agent.open('/dashboard/apps/lighthouse/integration/')).status, 200)
    const before = await clientOf()
    const forms = [
      ['Save', '', { oauth_login_url: 'https://lighthouse.example/login' }],
      ['Turn on', 'add-on', { to: 'on' }],
      ['Start a preview', 'preview', { to: 'on' }],
    ] as const
    for (const path of [PAGE, `${PAGE}secret/`]) assert.equal((await agent.open(path)).status, 404)
    for (const [, path, fields] of forms) {
      await agent.open('/dashboard/apps/lighthouse/integration/')
      const { csrf_token = '' } = agent.form('Save')
      const answer = await service.app.inject({
        method: 'POST',
        url: PAGE + path,
        headers: {
          cookie: agent.cookie,
          accept: 'text/html',
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: new URLSearchParams({ ...fields, csrf_token }).toString(),
      })
      assert.equal(answer.statusCode, 404, path)
    }
    assert.deepEqual(await clientOf(), before)
  })

  test('rejects a form of another site', async () => {
    const agent = seller()
    const before = await clientOf()
    for (const path of ['', 'secret/', 'add-on', 'preview']) {
      const answer = await service.app.inject({
        method: 'POST',
        url: PAGE + path,
        headers: {
          cookie: agent.cookie,
          accept: 'text/html',
          origin: 'https://evil.example',
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: 'to=on',
      })
      assert.equal(answer.statusCode, 403, path)
    }
    assert.deepEqual(await clientOf(), before)
  })
})

describe('the URLs of an app', () => {
  const GOOD = {
    oauth_login_url: 'https://tidepool.example/login?from=purser',
    redirect_uris: [
      'https://tidepool.example/auth/callback',
      'https://tidepool.example/auth/callback/',
      'https://app.tidepool.example/CallBack?x=%7E',
      'http://localhost:3000/auth/callback',
      'http://127.0.0.1:8080/',
    ],
    post_logout_redirect_uris: ['https://tidepool.example', 'http://[::1]:5173/bye'],
  }
  const typed = (addresses: typeof GOOD) => ({
    oauth_login_url: addresses.oauth_login_url,
    redirect_uris: addresses.redirect_uris.join('\r\n'),
    post_logout_redirect_uris: `\r\n${addresses.post_logout_redirect_uris.join(' \r\n\r\n')}`,
  })

  test('are stored byte for byte, shown again, and logged', async () => {
    const agent = seller()
    await agent.open(PAGE)
    const page = await agent.submit('Save', typed(GOOD))
    assert.equal(page.status, 200)
    assert.match(textOf(page.body), /URLs saved\./)
    const client = await clientOf()
    const app = await apps.find(service.world.db, service.demo.app.client_id)
    assert.deepEqual(
      { ...GOOD, oauth_login_url: app?.oauth_login_url },
      {
        oauth_login_url: GOOD.oauth_login_url,
        redirect_uris: client.redirect_uris,
        post_logout_redirect_uris: client.post_logout_redirect_uris,
      },
    )
    for (const address of [...GOOD.redirect_uris, ...GOOD.post_logout_redirect_uris]) {
      assert.ok(textOf(page.body).includes(address), address)
    }
    const [change] = await changes()
    assert.equal(change?.action, 'integration.updated')
    assert.equal(change?.agent, null)
    assert.deepEqual(change?.after, GOOD)
  })

  test('keep what an agent changed since the page was opened', async () => {
    const agent = seller()
    await agent.open(PAGE)
    const { app } = service.demo
    const { redirect_uris, post_logout_redirect_uris } = await clientOf()
    const shown = {
      redirect_uris: redirect_uris.join('\r\n'),
      post_logout_redirect_uris: post_logout_redirect_uris.join('\r\n'),
    }
    const added = [...redirect_uris, 'https://tidepool.example/added']
    const { email } = service.demo.seller
    const { id: user_id } = (await identity.findByEmail(service.world.db, email))!
    const actor = { kind: 'agent', user_id, agent: 'a test', request_id: 'req_agent' } as const
    const facts = { app: { id: app.client_id }, changes: { redirect_uris: added } }
    await saveAddresses(service.world, actor, facts)
    await agent.submit('Save', { ...shown, oauth_login_url: 'http://tidepool.example/' })
    assert.equal(agent.page.status, 422)
    await agent.submit('Save', { ...shown, oauth_login_url: 'https://tidepool.example/other' })
    assert.match(textOf(agent.page.body), /URLs saved\./)
    assert.deepEqual((await clientOf()).redirect_uris, added)
  })

  test('are all validated, and none is saved if one is invalid', async () => {
    const agent = seller()
    const before = await clientOf()
    await agent.open(PAGE)
    const page = await agent.submit('Save', {
      oauth_login_url: '',
      redirect_uris: ['https://tidepool.example/ok', 'https://evil.example/cb'].join('\n'),
      post_logout_redirect_uris: 'https://tidepool.example/bye#top',
    })
    assert.equal(page.status, 422)
    const pageText = textOf(page.body)
    for (const fault of [
      'Enter the URL of the page that starts sign-in.',
      'https://evil.example/cb must be an HTTPS URL on tidepool.example, or a URL on localhost.',
      'https://tidepool.example/bye#top must not have a fragment (#).',
    ]) {
      assert.ok(pageText.includes(fault), fault)
    }
    assert.ok(pageText.includes('https://tidepool.example/ok'), 'what was typed stays on the page')
    assert.deepEqual(await clientOf(), before)
  })

  test('are rejected with what is wrong, if they are on the own host', () => {
    const { app } = service.demo
    const redirect_uris = [
      'https://tidepool.example:8443/cb',
      'https://robin@tidepool.example/cb',
      'https://tidepool.example/ü',
      '',
      'http://tidepool.example:8443/cb',
    ]
    const lists = { redirect_uris, post_logout_redirect_uris: [] }
    const login = { oauth_login_url: 'https://tidepool.example/' }
    const faults = apps.addressFaults(app, { ...login, ...lists })
    assert.deepEqual(
      faults.map(({ message }) => message),
      [
        'https://tidepool.example:8443/cb must not have a port, except on localhost.',
        'https://robin@tidepool.example/cb must not have a user name or password.',
        'Write https://tidepool.example/ü as https://tidepool.example/%C3%BC',
        'Must not be empty.',
        'http://tidepool.example:8443/cb must be an HTTPS URL on tidepool.example, or a URL on localhost.',
      ],
    )
  })

  test('are rejected where a return address would be, each with its own path', async () => {
    const { app } = service.demo
    for (const address of BAD_RETURN_URLS) {
      const faults = apps.addressFaults(app, {
        oauth_login_url: address,
        redirect_uris: ['https://tidepool.example/cb', address],
        post_logout_redirect_uris: [address],
      })
      assert.deepEqual(
        faults.map(({ path }) => path),
        ['oauth_login_url', 'redirect_uris[1]', 'post_logout_redirect_uris[0]'],
        address,
      )
    }
    const many = Array.from({ length: 51 }, (_, index) => `https://tidepool.example/${index}`)
    const faults = apps.addressFaults(app, { ...GOOD, redirect_uris: many })
    assert.deepEqual(
      faults.map(({ path }) => path),
      ['redirect_uris'],
    )
  })
})

describe('a new client secret', () => {
  const validate = async (client_secret: string) => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/api/v1/licenses/validate',
      headers: basic(service, { client_secret }),
      payload: { key: 'key_unknown' },
    })
    return answer.json().error
  }
  const shown = (agent: Agent) =>
    /id="client_secret"[^>]*>([\w-]{43})</.exec(agent.page.body)?.[1] ?? ''
  let present: string
  beforeEach(() => {
    present ??= service.demo.app.client_secret
  })

  test('is shown once, works at once, and the previous one stops at once', async () => {
    const agent = seller()
    await agent.open(PAGE)
    await agent.press('Rotate secret')
    assert.equal(await validate(present), 'unknown_key', 'asking alone changes nothing')
    const page = await agent.submit('Rotate secret')
    const secret = shown(agent)
    assert.equal(page.headers['cache-control'], 'no-store')
    assert.equal(await validate(present), 'invalid_client')
    assert.equal(await validate(secret), 'unknown_key')
    present = secret
    for (const path of [PAGE, `${PAGE}secret/`]) {
      assert.ok(!(await agent.open(path)).body.includes(secret))
    }
  })

  test('is stored as a hash only, and logged without its value', async () => {
    const { secret_hash } = await clientOf()
    assert.deepEqual(secret_hash, sha256(present))
    const [change] = await changes()
    assert.equal(change?.action, 'integration.secret_rotated')
    assert.ok(!JSON.stringify(change).includes(present))
  })

  test('is created once by a form that is sent twice', async () => {
    const agent = seller()
    await agent.open(`${PAGE}secret/`)
    const tab = agent.tab()
    await agent.submit('Rotate secret')
    present = shown(agent)
    const again = await tab.submit('Rotate secret')
    assert.equal(again.status, 409)
    assert.match(textOf(again.body), /The secret was already rotated/)
    assert.equal(await validate(present), 'unknown_key')
    await tab.submit('Rotate secret')
    assert.equal(await validate(present), 'invalid_client')
    present = shown(tab)
  })
})

describe('the hosted sign-in add-on', () => {
  const DAY = 86_400
  const pageText = async (agent: Agent) => textOf((await agent.open(PAGE)).body)
  let buyers = 0
  const feeOfSale = async () => {
    const email = `add-on-${buyers++}@example.com`
    await purchase(service, buyer(service), { email, query: '?ref=coast-walks' })
    return await service.world.db.one<{ fee: number; commission: number }>(
      sql`select fee, commission from invoices where user_id =
        (select id from users where email_normalized = ${email})`,
    )
  }

  before(() =>
    service.world.db.run(sql`update apps set addon_enabled_at = null, addon_disabled_at = null
      where id = ${service.demo.app.client_id}`),
  )

  test('is off until it is turned on, and then free for three months, once', async () => {
    const agent = seller()
    assert.match(await pageText(agent), /Free for 3 months from the day you first turn it on/)
    await agent.submit('Turn on', { to: 'on' })
    assert.match(textOf(agent.page.body), /Free until June 10, 2026 \./)
    assert.deepEqual(await feeOfSale(), { fee: 110, commission: 27 })

    service.clock.pass(40 * DAY)
    sellers_browser = await signedIn(service, service.demo.seller)
    const later = seller()
    await later.open(PAGE)
    await later.submit('Turn off', { to: 'off' })
    assert.match(textOf(later.page.body), /The free months apply once, until June 10, 2026 ?\./)
    await later.submit('Turn on', { to: 'on' })
    assert.match(textOf(later.page.body), /Free until June 10, 2026 \./)
  })

  test('adds 2% of a sale after its free months, while it is on', async () => {
    service.clock.pass(52 * DAY)
    sellers_browser = await signedIn(service, service.demo.seller)
    const agent = seller()
    assert.match(await pageText(agent), /The add-on costs 2% of each sale.*ended on June 10, 2026/)
    assert.deepEqual(await feeOfSale(), { fee: 134, commission: 33 })
    await agent.submit('Turn off', { to: 'off' })
    assert.deepEqual(await feeOfSale(), { fee: 110, commission: 27 })
    await agent.submit('Turn on', { to: 'on' })
    assert.deepEqual(await feeOfSale(), { fee: 134, commission: 33 })
  })

  test('is logged each time it is turned on or off, and not when a button is pressed twice', async () => {
    const agent = seller()
    await agent.open(PAGE)
    const tab = agent.tab()
    await agent.submit('Turn off', { to: 'off' })
    await tab.submit('Turn off', { to: 'off' })
    assert.equal((await auditOf('app.add_on_enabled')).length, 3)
    assert.equal((await auditOf('app.add_on_disabled')).length, 3)
  })
})

describe('the preview entitlement', () => {
  const validate = async (key: string) => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/api/v1/licenses/validate',
      headers: basic(service, { client_secret: secret }),
      payload: { key },
    })
    return answer.json()
  }
  const secret = 'the secret of this part of the test'
  before(() => apps.replaceSecret(service.world.db, service.demo.app.client_id, secret))

  test('is started for a plan, validates as a preview, and ends canceled', async () => {
    const agent = seller()
    const page = await agent.open(PAGE)
    const product_id = /<option value="(prod_\w+)"[^>]*>Lifetime</.exec(page.body)?.[1] ?? ''
    await agent.submit('Start a preview', { product_id })
    assert.match(textOf(agent.page.body), /Preview started\..*Plan Lifetime/)
    const key = licenseKey(agent.page)
    const state = await validate(key)
    assert.deepEqual(
      [state.entitled, state.status, state.period_end, state.product_public_id],
      [true, 'preview', null, product_id],
    )
    await agent.submit('End the preview')
    const ended = await validate(key)
    assert.deepEqual(
      [ended.entitled, ended.status, ended.canceled_at],
      [false, 'canceled', service.clock.now().toISOString().slice(0, 10)],
    )
    assert.deepEqual((await auditOf('license.preview_ended')).length, 1)
    await agent.submit('Start a preview', { product_id })
    assert.equal((await validate(licenseKey(agent.page))).status, 'preview')
    assert.equal((await validate(key)).status, 'canceled')
  })

  test('is only for plans that the app sells', async () => {
    const agent = seller()
    await agent.open(PAGE)
    await agent.submit('End the preview')
    const free = await service.world.db.one<{ id: ProductId }>(
      sql`select id from products where is_free and app_id = ${service.demo.app.client_id}`,
    )
    for (const product_id of ['', 'prod_unknown', free.id]) {
      const tab = agent.tab()
      assert.equal((await tab.submit('Start a preview', { product_id })).status, 404)
    }
  })

  test('appears on no page of purchases, active or ended', async () => {
    const agent = seller()
    for (const path of ['/account/', `/manage/${service.demo.app.client_id}/`]) {
      assert.match(textOf((await agent.open(path)).body), /No purchase/)
    }
  })
})
