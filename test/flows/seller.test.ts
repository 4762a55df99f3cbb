import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import type { ProductId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { basic, buyer, licenseKey, purchase } from '../support/purchase.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let sellers_browser: Agent
const PAGE = '/dashboard/apps/tidepool/integration/'

before(async () => {
  service = await openTestService()
  sellers_browser = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

/** A browser in which the seller is signed in. */
const seller = () => sellers_browser.twin()

const auditOf = async (action: string) =>
  await service.world.db.rows<{ actor: string; subject: string; request_id: string }>(
    sql`select actor, subject, request_id, detail from audit_log where action = ${action}
      order by id`,
  )

const clientOf = async () => await apps.getClientOf(service.world.db, service.demo.app.client_id)

describe('the dashboard is for sellers', () => {
  test('a visitor without a session signs in first and returns', async () => {
    const agent = buyer(service)
    assert.equal((await agent.open(PAGE)).url, `/signin/?return_to=${encodeURIComponent(PAGE)}`)
    const { email, password } = service.demo.seller
    await agent.submit('Sign in', { email, password })
    assert.equal(agent.page.url, PAGE)
  })

  test('a form that is sent after signing out saves nothing, and the sign-in page says so', async () => {
    const agent = await signedIn(service, service.demo.seller)
    await agent.open('/dashboard/apps/tidepool/listing/')
    await agent.twin().submit('Sign out')
    await agent.submit('Save listing', { tagline: 'Written too late' })
    assert.match(agent.text, /This browser was signed out\. Nothing was changed\./)
    const { email, password } = service.demo.seller
    await agent.submit('Sign in', { email, password })
    assert.equal(agent.page.url, '/dashboard/')
    assert.doesNotMatch((await agent.open('/apps/tidepool/')).body, /Written too late/)
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

describe('the form of a seller’s details', () => {
  test('names the field of each error above it', async () => {
    const agent = seller()
    await agent.open('/dashboard/seller/')
    const long = 'x'.repeat(201)
    await agent.submit('Save', { legal_name: long, address: long })
    for (const name of ['Legal name', 'Address']) {
      const sentence = `${name}: Use at most 200 characters. This text has 201.`
      assert.ok(agent.text.includes(sentence), agent.text)
    }
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
    assert.match(agent.text, /Free until June 10, 2026 \./)
    assert.deepEqual(await feeOfSale(), { fee: 110, commission: 27 })

    service.clock.pass(40 * DAY)
    sellers_browser = await signedIn(service, service.demo.seller)
    const later = seller()
    await later.open(PAGE)
    await later.submit('Turn off', { to: 'off' })
    assert.match(later.text, /The free months apply once, until June 10, 2026 ?\./)
    await later.submit('Turn on', { to: 'on' })
    assert.match(later.text, /Free until June 10, 2026 \./)
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
    assert.match(agent.text, /Preview started\..*Plan Lifetime/)
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
