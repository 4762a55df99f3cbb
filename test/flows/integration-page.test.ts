import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import { saveAddresses } from '#flows/integration'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { setOnSale } from '../support/apps.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { basic } from '../support/purchase.ts'
import { BAD_RETURN_URLS } from '../support/return-urls.ts'
import { signedIn } from '../support/seller.ts'
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

const changes = async () =>
  await apps.changesOf(service.world.db, service.demo.app.client_id, { limit: 1 })

const clientOf = async () => await apps.getClientOf(service.world.db, service.demo.app.client_id)

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
    assert.match(agent.text, /URLs saved\./)
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
      ' https://tidepool.example/cb',
      'https://tidepool.example/50%',
      'http://tidepool.example:8443/cb',
      'https://tidepool.example/cb?next=https://tidepool.example/a',
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
        'https://tidepool.example/cb must not begin or end with a space.',
        'https://tidepool.example/50% must write a percent sign as %25.',
        'http://tidepool.example:8443/cb must be an HTTPS URL on tidepool.example, or a URL on localhost.',
      ],
    )
  })

  test('are rejected if one entry is a list', () => {
    const [one, other] = ['https://tidepool.example/a', 'http://localhost:3000/b']
    for (const separator of [',', ', ', ' ', ';']) {
      const entry = `${one}${separator}${other}`
      const addresses = { ...GOOD, redirect_uris: [entry] }
      assert.deepEqual(apps.addressFaults(service.demo.app, addresses), [
        {
          path: 'redirect_uris[0]',
          message: `${entry} has several URLs. Enter each one separately.`,
        },
      ])
    }
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
    assert.match(textOf(page.body), /The previous secret no longer works\./)
    assert.equal(await validate(present), 'invalid_client')
    assert.equal(await validate(secret), 'unknown_key')
    present = secret
    for (const path of [PAGE, `${PAGE}secret/`]) {
      assert.ok(!(await agent.open(path)).body.includes(secret))
    }
  })

  test('names no previous secret if it is the first one', async () => {
    const { db } = service.world
    const app_id = service.demo.app.client_id
    await db.run(sql`update clients set secret_hash = null where app_id = ${app_id}`)
    const agent = seller()
    await agent.open(`${PAGE}secret/`)
    const page = await agent.submit('Create secret')
    present = shown(agent)
    assert.equal(await validate(present), 'unknown_key')
    assert.doesNotMatch(textOf(page.body), /previous secret/)
    await agent.open('/dashboard/apps/tidepool/changes/')
    assert.match(agent.text, /Client secret created .* Client secret replaced/)
  })

  test('is stored as a hash only, and logged without its value', async () => {
    const { secret_hash } = await clientOf()
    assert.deepEqual(secret_hash, sha256(present))
    const [change] = await changes()
    assert.equal(change?.action, 'integration.secret_created')
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

test('a Buy link starts a preview once the app is on sale, and the page says so', async () => {
  const app_id = service.demo.app.client_id
  const agent = seller()
  const on = { is_published: true, external_sales_enabled: true }
  for (const off of ['is_published', 'external_sales_enabled']) {
    await setOnSale(service, app_id, { ...on, [off]: false })
    const { body } = await agent.open(PAGE)
    assert.match(textOf(body), /Once the app is on sale, opening one of your Buy links/)
  }
  await setOnSale(service, app_id, on)
  assert.match(textOf((await agent.open(PAGE)).body), /Opening one of your Buy links/)
})

test('the pages of a suspended app say so, and its plans are reviewed as their prices are public', async () => {
  const { db } = service.world
  const { id, seller_id } = await apps.get(db, service.demo.app.client_id)
  const agent = seller()
  const suspensions = [
    (at: Date | null) => apps.setSuspended(db, id, at),
    (at: Date | null) => apps.setSellerSuspended(db, seller_id, at),
  ]
  for (const suspend of suspensions) {
    await suspend(service.clock.now())
    const integration = textOf((await agent.open(PAGE)).body)
    assert.match(integration, /Tidepool is suspended It is not for sale/)
    assert.match(integration, /After the suspension, opening one of your Buy links/)
    assert.doesNotMatch(integration, /Opening one of your Buy links/)
    const plans = textOf((await agent.open('/dashboard/apps/tidepool/plans/')).body)
    assert.match(plans, /Tidepool is suspended It is not for sale/)
    assert.match(plans, /Review changes/)
    assert.equal((await apps.get(db, id)).is_on_sale, false)
    await suspend(null)
  }
  assert.equal((await apps.get(db, id)).is_on_sale, true)
})
