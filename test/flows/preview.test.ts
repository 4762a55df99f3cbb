import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import { confirm } from '#flows/checkout'
import { startPreview } from '#flows/preview'
import { parseId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { forceStatus } from '../support/licenses.ts'
import { ownerOf } from '../support/listing.ts'
import {
  basic,
  buyer,
  chargedAmounts,
  enterCard,
  licenseKey,
  orderReference,
  purchase,
  TEXAS,
} from '../support/purchase.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let link: string
let sellers_browser: Agent
/** The calls of the processor, by name. */
const calls: string[] = []

before(async () => {
  service = await openTestService({
    processor: (sandbox) =>
      new Proxy(sandbox, {
        get(target, name, self) {
          const value = Reflect.get(target, name, self)
          if (typeof value === 'function' && name !== 'declareRoutes') calls.push(String(name))
          return value
        },
      }),
  })
  link = `/buy/${service.demo.app.prices[0]!.public_id}/`
  sellers_browser = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

/** A browser in which the app's seller is signed in. */
const seller = () => sellers_browser.twin()

const NOTICE = /Preview: nothing is charged\./

/** Goes through the seller's own buy link page by page, and returns the last page. */
async function previewPurchase(agent: Agent, address = link) {
  const seen = [await agent.open(address)]
  seen.push(await agent.submit('Continue', TEXAS))
  assert.match(agent.text, /No card is needed/)
  seen.push(await agent.press('Continue'))
  assert.match(agent.text, /Confirm your order/)
  seen.push(await agent.submit('Finish the preview'))
  for (const page of seen) assert.match(textOf(page.body), NOTICE, page.url)
  return agent.page
}

async function validate(key: string) {
  const answer = await service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: basic(service),
    payload: { key },
  })
  return { status: answer.statusCode, json: answer.json() }
}

async function readOrder(reference: string) {
  const answer = await service.app.inject({
    url: `/api/v1/orders/${reference}`,
    headers: basic(service),
  })
  return { status: answer.statusCode, json: answer.json() }
}

/** The number of rows of everything related to money or emails. */
async function revenue() {
  return await service.world.db.one(sql`select (select count(*) from orders) as orders,
    (select count(*) from attempts) as attempts, (select count(*) from charges) as charges,
    (select count(*) from ledger_entries) as entries, (select count(*) from cards) as cards,
    (select count(*) from emails) as emails`)
}

describe("the seller's preview of their own buy link", () => {
  test('creates a license with status preview, without revenue and without the processor', async () => {
    const before = await revenue()
    const agent = seller()
    calls.length = 0
    const page = await previewPurchase(agent)
    assert.match(textOf(page.body), /Your preview of Tidepool Pro is ready/)
    assert.deepEqual(
      calls.filter((name) => name !== 'name'),
      [],
    )
    assert.deepEqual(await revenue(), before)

    const key = licenseKey(page)
    const { status, json } = await validate(key)
    assert.equal(status, 200)
    assert.deepEqual(
      { ...json, license_id: '', product_id: '', product_public_id: '' },
      {
        entitled: true,
        status: 'preview',
        license_id: '',
        product_id: '',
        product_public_id: '',
        period_end: null,
        canceled_at: null,
      },
    )
    assert.equal(json.product_id, json.product_public_id)
    const order = await readOrder(orderReference(page))
    assert.deepEqual(order, { status: 200, json: { ...json, license_key: key } })
  })

  test('pressing the last button twice changes nothing', async () => {
    const agent = seller()
    await agent.open(link)
    await agent.submit('Continue', TEXAS)
    await agent.press('Continue')
    const tab = agent.tab()
    const first = licenseKey(await agent.submit('Finish the preview'))
    assert.equal(licenseKey(await tab.submit('Finish the preview')), first)
    assert.equal((await validate(first)).json.status, 'preview')
  })

  test('repeated, keeps the license with a new key, and the old key stops working', async () => {
    const agent = seller()
    const first = await previewPurchase(agent)
    const { json } = await validate(licenseKey(first))
    const lifetime = `/buy/${service.demo.app.prices[2]!.public_id}/`
    const second = await previewPurchase(agent, lifetime)
    assert.match(textOf(second.body), /Your preview of Tidepool Lifetime is ready/)
    assert.equal((await validate(licenseKey(first))).json.error, 'unknown_key')
    const again = await validate(licenseKey(second))
    assert.equal(again.json.license_id, json.license_id)
    assert.notEqual(again.json.product_id, json.product_id)
    const { rows } = await service.world.db.raw(
      "select count(*)::int as n from licenses where status = 'preview'",
    )
    assert.deepEqual(rows, [{ n: 1 }])
  })

  test('repeated, is not undone by a rotation that a server repeats', async () => {
    const agent = seller()
    const { json } = await validate(licenseKey(await previewPurchase(agent)))
    const rotate = async () => {
      const answer = await service.app.inject({
        method: 'POST',
        url: `/api/v1/licenses/${json.license_id}/regenerate-key`,
        headers: { ...basic(service), 'idempotency-key': 'its response was lost' },
      })
      return answer.json()
    }
    const { rotated_at } = await rotate()
    service.clock.pass(60)
    const latest = licenseKey(await previewPurchase(agent))
    assert.deepEqual(await rotate(), { ...json, license_key: latest, rotated_at })
    assert.equal((await validate(latest)).status, 200)
  })

  test('redirects to the return address of the link, like a purchase', async () => {
    const agent = seller()
    const next = encodeURIComponent('https://tidepool.example/thanks?plan=pro')
    const page = await previewPurchase(agent, `${link}?next=${next}`)
    assert.match(page.body, /https:\/\/tidepool\.example\/thanks\?plan=pro&amp;svc_order=/)
  })

  test("is for the seller's own account, whatever email is entered", async () => {
    const agent = seller()
    await agent.open(`${link}?email=person@example.com`)
    assert.ok(!agent.page.body.includes('person@example.com'))
    await agent.submit('Continue', { ...TEXAS, email: 'person@example.com' })
    await agent.press('Continue')
    assert.ok(agent.text.includes(service.demo.seller.email))
  })

  test('starts after signing in as well', async () => {
    const { email, password } = service.demo.seller
    const agent = buyer(service)
    await agent.open(link)
    await agent.submit('Continue', { email, ...TEXAS })
    await agent.submit('Sign in', { password })
    assert.match(agent.text, /No card is needed/)
    assert.match(agent.text, NOTICE)
  })

  test('needs the session until the end: after a sign-out nothing is finished', async () => {
    const agent = seller()
    await agent.open(link)
    await agent.submit('Continue', TEXAS)
    await agent.press('Continue')
    agent.cookies.delete('__Host-session')
    const granted = sql`select count(*)::int as n from audit_log
      where action = 'license.preview_granted'`
    const before = await service.world.db.one(granted)
    const open = agent.tab()
    assert.match((await agent.open(agent.page.url)).url, /\/sign-in$/)
    const { csrf_token = '' } = agent.form(/^Sign in$/)
    assert.match((await open.submit('Finish the preview', { csrf_token })).url, /\/sign-in$/)
    assert.deepEqual(await service.world.db.one(granted), before)
  })

  test('is recorded in the audit log', async () => {
    const agent = seller()
    const { json } = await validate(licenseKey(await previewPurchase(agent)))
    const line = await service.world.db.one<{ actor: string; request_id: string; detail: unknown }>(
      sql`select actor, request_id, detail from audit_log where subject = ${json.license_id}
        and action = 'license.preview_granted' order by id desc limit 1`,
    )
    assert.match(line.actor, /^usr_/)
    assert.match(line.request_id, /^req_/)
    assert.deepEqual(line.detail, { product_id: json.product_id, by: 'walkthrough' })
  })
})

test('many concurrent previews leave one license and one working key', async () => {
  const { world, demo } = service
  const app = await apps.get(world.db, demo.app.client_id)
  const plans = await catalog.products(world.db, app.id)
  const user_id = await ownerOf(world.db, app)
  const actor = { session: { user_id, app_id: null }, request_id: 'req_test' }
  const paid = plans.filter(({ is_free }) => !is_free)
  const grants = Array.from({ length: 8 }, (_, index) =>
    startPreview(world, actor, { app, product_id: paid[index % paid.length]!.id }),
  )
  assert.deepEqual(await Promise.all(grants), Array(8).fill(true))
  const previews = await world.db.rows<licensing.License>(sql`select id as license_id, key_sealed
    from licenses where status = 'preview' and app_id = ${app.id}`)
  assert.equal(previews.length, 1)
  const key = licensing.showKey(world.keys, previews[0]!)
  assert.equal((await validate(key)).json.license_id, previews[0]!.license_id)
})

describe('no one else gets a preview', () => {
  /** Each kind of visitor who could open another seller's link. */
  const others: [who: string, browser: () => Promise<Agent>][] = [
    ['a visitor without an account', async () => buyer(service)],
    ['a buyer', async () => await signedIn(service, service.demo.buyer)],
    ['an affiliate', async () => await signedIn(service, service.demo.affiliate)],
    [
      "another app's developer",
      async () => {
        const { email } = service.demo.operator
        await addSellerWithApp(service, { email, slug: 'lighthouse' })
        return await signedIn(service, service.demo.operator)
      },
    ],
    [
      'a buyer of another plan, in a session for that alone',
      async () => {
        const agent = buyer(service)
        await purchase(service, agent, { email: 'limited@example.com' })
        await forceStatus(service, 'canceled', { email: 'limited@example.com' })
        return agent
      },
    ],
  ]
  for (const [who, browser] of others) {
    test(`${who} buys, and pays`, async () => {
      const agent = await browser()
      await agent.open(link)
      assert.doesNotMatch(agent.text, NOTICE)
      const email = /name="email"[^>]*value="([^"]+)"/.exec(agent.page.body)?.[1]
      const address = email ?? `preview-${who.length}@example.com`
      await agent.submit('Continue', { ...TEXAS, email: address })
      assert.match(agent.text, /Enter your card/)
      await enterCard(agent)
      assert.doesNotMatch(agent.text, NOTICE)
      const page = await agent.submit(/^Pay /)
      assert.match((await validate(licenseKey(page))).json.status, /^active$/)
      assert.equal((await chargedAmounts(service, address)).at(-1), 1260)
    })
  }

  test("another person with the seller's email gets neither a preview nor a charge", async () => {
    const { email } = service.demo.seller
    const agent = buyer(service)
    await agent.open(link)
    await agent.submit('Continue', { email, ...TEXAS })
    const cart = agent.page.url.replace(/sign-in$/, '')
    for (const step of ['card', 'confirm', 'success']) {
      await agent.open(cart + step)
      assert.doesNotMatch(agent.text, NOTICE)
    }
    await agent.open(`${cart}card`)
    await enterCard(agent)
    await agent.submit(/^Pay /)
    assert.match(agent.page.url, /\/sign-in\?notice=not_charged$/)
    assert.deepEqual(await chargedAmounts(service, email), [])
  })

  test("another person with the URL of the seller's cart gets a 404", async () => {
    const agent = seller()
    const page = await previewPurchase(agent)
    const elsewhere = await signedIn(service, service.demo.seller)
    assert.equal((await elsewhere.open(page.url)).status, 404)
    assert.equal((await buyer(service).open(page.url)).status, 404)
  })
})

test('a seller with a card on the cart is still never charged', async () => {
  const { email, password } = service.demo.seller
  const agent = buyer(service)
  await agent.open(link)
  await agent.submit('Continue', { email, ...TEXAS })
  const cart = agent.page.url.replace(/sign-in$/, '')
  await agent.open(`${cart}card`)
  await enterCard(agent)
  const paying = agent.tab()
  const { agreement = '' } = paying.form(/^Pay /)
  await agent.open(`${cart}sign-in`)
  await agent.submit('Sign in', { password })
  const cart_id = parseId('cart', cart.split('/')[2]!)
  const confirmed = await confirm(service.world, { cart_id, agreement, return_url: link })
  assert.deepEqual(confirmed, { outcome: 'preview' })
  await paying.submit(/^Pay /)
  assert.deepEqual(await chargedAmounts(service, email), [])
  assert.match(paying.text, NOTICE)
})
