import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { reconcile } from '#flows/payment'
import type { CartId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Seen, textOf } from '../support/agent.ts'
import { addCode } from '../support/discounts.ts'
import { assertInvariants } from '../support/invariants.ts'
import { buyer, enterCard, goToConfirm, purchase, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { otherApp } from '../support/subscriber.ts'

let service: TestService
let link: string
before(async () => {
  service = await openTestService()
  link = `/buy/${service.demo.app.prices[0]!.public_id}/`
})
after(() => service.close())

let emails = 0
const fresh = () => `page-${emails++}@example.com`

/** The order summary beside a step, as HTML. */
const summaryOf = ({ body }: Seen) => /<aside.*<\/aside>/s.exec(body)![0]

/** Every kind of page that a buyer can see, by name. */
async function seeEveryPage(): Promise<Record<string, Seen>> {
  const pages: Record<string, Seen> = {}
  const agent = buyer(service)
  pages.details = await agent.open(link)
  pages.faults = await agent.submit('Continue', { email: 'x', country: 'US', zip: '0' })
  pages.misconfigured = await buyer(service).open(`${link}?next=https://evil.example/`)
  pages.nothing = await buyer(service).open('/buy/prc_none/')
  await agent.open(link)
  pages.card = await agent.submit('Continue', { email: fresh(), ...TEXAS })
  pages.card_faults = await agent.submit('Continue', { number: '1' })
  pages.card_abroad = await enterCard(agent, '4000001240000000')
  await agent.open(pages.card_abroad.url.replace('card-entered', 'card'))
  pages.confirm = await enterCard(agent, '4000000000000002')
  pages.declined = await agent.submit(/^Pay /)
  await agent.open(pages.declined.url.replace('confirm', 'card'))
  await enterCard(agent, '4000002760003184')
  pages.challenge = await agent.submit(/^Pay /)
  const member = buyer(service)
  await member.open(link)
  const { email } = service.demo.buyer
  pages.sign_in = await member.submit('Continue', { email, ...TEXAS })
  pages.wrong_password = await member.submit('Sign in', { password: 'not the password' })
  pages.success = await purchase(service, buyer(service), { email: fresh() })
  const waiting = buyer(service)
  pages.processing = await purchase(service, waiting, {
    email: fresh(),
    card: '4999990000000015',
  })
  const stale = buyer(service)
  await stale.open(link)
  pages.refused_form = await stale.submit('Continue', { csrf_token: '' })
  return pages
}

describe('every page', () => {
  let pages: Record<string, Seen>
  before(async () => {
    pages = await seeEveryPage()
  })

  test('is the one that was asked for', () => {
    const expected: Record<string, [status: number, says: RegExp]> = {
      details: [200, /Your details/],
      faults: [422, /five-digit US ZIP/],
      misconfigured: [400, /This link is misconfigured/],
      nothing: [404, /This plan is not for sale/],
      card: [200, /Enter your card/],
      card_faults: [400, /Use a test card/],
      card_abroad: [422, /outside the United States/],
      confirm: [200, /Confirm your order/],
      declined: [200, /Your card was declined/],
      challenge: [200, /Confirm that it is you/],
      sign_in: [200, /Welcome back/],
      wrong_password: [422, /The password is incorrect/],
      success: [200, /License key/],
      processing: [202, /Processing your payment/],
      refused_form: [403, /no longer valid.*allow cookies/],
    }
    assert.deepEqual(Object.keys(pages).sort(), Object.keys(expected).sort())
    for (const [name, [status, says]] of Object.entries(expected)) {
      assert.equal(pages[name]?.status, status, name)
      assert.match(textOf(pages[name]!.body), says, name)
    }
  })

  test('allows no inline script or style, no frame around it and no cache of it', () => {
    for (const [name, { headers, body }] of Object.entries(pages)) {
      const policy = new Map(
        String(headers['content-security-policy'])
          .split('; ')
          .map((directive) => {
            const [key = '', ...values] = directive.split(' ')
            return [key, values.join(' ')]
          }),
      )
      assert.equal(policy.get('default-src'), "'none'", name)
      assert.equal(policy.get('script-src'), "'self'", name)
      assert.equal(policy.get('style-src'), "'self'", name)
      assert.equal(policy.get('frame-ancestors'), "'none'", name)
      assert.equal(policy.get('base-uri'), "'none'", name)
      assert.equal(policy.get('form-action'), "'self'", name)
      assert.ok(!/unsafe|\*/.test(String(headers['content-security-policy'])), name)
      assert.equal(headers['cache-control'], 'no-store', name)
      assert.equal(headers['x-content-type-options'], 'nosniff', name)
      assert.equal(headers['referrer-policy'], 'same-origin', name)
      assert.match(String(headers['content-type']), /^text\/html; charset=utf-8$/, name)
      assert.match(String(headers['x-request-id']), /^req_\w{22}$/, name)
      assert.ok(
        !/<script(?![^>]* src="\/)|<style|\sstyle="|\son[a-z]+="|javascript:/i.test(body),
        name,
      )
    }
  })

  test('loads nothing from anywhere else', () => {
    for (const [name, { body }] of Object.entries(pages)) {
      for (const [, address] of body.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="([^"]*)"/g)) {
        assert.match(address!, /^(\/[^/]|data:)/, name)
      }
    }
  })
})

/** The number of rows of everything that a form could create. */
async function everything(): Promise<unknown> {
  return await service.world.db.one(sql`select
    (select count(*) from carts) as carts, (select max(updated_at) from carts) as touched,
    (select count(*) from attempts) as attempts, (select count(*) from orders) as orders,
    (select count(*) from sandbox.charges) as charges, (select count(*) from emails) as emails,
    (select count(*) from sessions) as sessions, (select count(*) from users) as users`)
}

describe('a form that this site did not draw for this browser', () => {
  test('is refused on every step and changes nothing', async () => {
    const agent = buyer(service)
    // A checkout is confirmed at most six times a minute, so each needs a checkout of its own.
    const confirmations: string[] = []
    while (confirmations.length < 12) {
      await goToConfirm(service, agent, { email: fresh() })
      confirmations.push(agent.page.url)
    }
    const own = agent.form(/^Pay /)
    const base = agent.page.url.replace(/confirm.*/, '')
    const other = buyer(service)
    const forms = [
      link,
      `${base}confirm`,
      `${base}sign-in`,
      `${base}sign-in-link`,
      `${base}receipt`,
      '/signin/',
      '/signout/',
      `/manage/${service.demo.app.client_id}/receipt`,
    ]
    await other.open(link)
    const tokens = ['', 'x', other.form('Continue').csrf_token!, own.csrf_token!.slice(1)]
    const before = await everything()
    let sent = 0
    const send = (url: string, headers: object, csrf_token: string | undefined) =>
      service.app.inject({
        method: 'POST',
        url,
        remoteAddress: `10.78.0.${++sent}`,
        headers: {
          cookie: agent.cookie,
          accept: 'text/html',
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        payload: new URLSearchParams({
          ...own,
          email: service.demo.buyer.email,
          ...TEXAS,
          ...(csrf_token === undefined ? {} : { csrf_token }),
        }).toString(),
      })
    for (const url of forms) {
      const confirmed = confirmations[Symbol.iterator]()
      const next = () => (url.endsWith('/confirm') ? confirmed.next().value! : url)
      for (const token of tokens) assert.equal((await send(next(), {}, token)).statusCode, 403, url)
      for (const foreign of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: 'https://tidepool.example' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: service.world.config.base_url, 'sec-fetch-site': 'cross-site' },
      ]) {
        const answer = await send(next(), foreign, undefined)
        assert.equal(answer.statusCode, 403, `${url} ${JSON.stringify(foreign)}`)
        assert.equal(answer.headers['set-cookie'], undefined)
      }
      // Without this browser's cookies, even with its token; and it keeps the cookies that it has.
      const bare = await send(next(), { cookie: '', accept: 'text/html' }, undefined)
      assert.deepEqual([bare.statusCode, bare.headers['set-cookie']], [403, undefined], url)
    }
    assert.deepEqual(await everything(), before)
    assert.match(textOf((await agent.submit(/^Pay /)).body), /License key/)
  })

  test('shows the same order summary on the card page and on the confirmation page', async () => {
    const app = await otherApp(service, { trial_days: 7 })
    const { code } = await addCode(service, app.client_id)
    for (const address of [link, `/buy/${app.price_id}/?discount=${code}`]) {
      const agent = buyer(service)
      await agent.open(address)
      const card = await agent.submit('Continue', { email: fresh(), ...TEXAS })
      assert.match(card.url, /\/sandbox\/card-entries\//)
      const summary = summaryOf(card)
      assert.match(textOf(summary), /per month.* Sales tax \(TX\) .* Due today \$/)
      assert.equal(summaryOf(await enterCard(agent)), summary)
    }
  })

  test('applies no discount code that a longer text begins with', async () => {
    const app = await otherApp(service, {})
    const { code } = await addCode(service, app.client_id, { code: 'C'.repeat(32) })
    for (const [entered, pattern] of [
      [code, /Discount code C{32} is applied/],
      [`${code}C`, /Not applied\. This code does not exist/],
      [`${code}${'x'.repeat(500)}`, /Not applied\. This code does not exist/],
    ] as const) {
      const agent = buyer(service)
      await agent.open(`/buy/${app.price_id}/?discount=${entered}`)
      await agent.submit('Continue', { email: fresh(), ...TEXAS })
      assert.match(textOf((await enterCard(agent)).body), pattern)
      await agent.open(`/buy/${app.price_id}/`)
      await agent.submit('Continue', { email: fresh(), ...TEXAS })
      await enterCard(agent)
      assert.match(textOf((await agent.submit('Apply', { discount: entered })).body), pattern)
    }
  })

  test('is signed in as the new account from the first sight of the license on', async () => {
    const agent = buyer(service)
    const email = fresh()
    const first = await purchase(service, agent, { email })
    for (const { url, body } of [first, await agent.open(first.url)]) {
      assert.match(url, /\/success$/)
      assert.match(textOf(body), new RegExp(`Signed in as ${email}`))
    }
  })

  test('an order is confirmed by a form alone, never by opening an address', async () => {
    const agent = buyer(service)
    await goToConfirm(service, agent, { email: fresh() })
    const { agreement, csrf_token } = agent.form(/^Pay /)
    const before = await everything()
    for (const method of ['GET', 'HEAD'] as const) {
      await service.app.inject({
        method,
        url: `${agent.page.url}?agreement=${agreement}&csrf_token=${csrf_token}`,
        headers: { cookie: agent.cookie },
      })
    }
    assert.deepEqual(await everything(), before)
  })
})

describe('another browser', () => {
  test('answers 404 at every step of another buyer’s cart, before and after the purchase', async () => {
    const agent = buyer(service)
    await goToConfirm(service, agent, { email: fresh() })
    const cart = agent.page.url.split('/')[2]!
    const other = buyer(service)
    await other.open(link)
    const { csrf_token = '' } = other.form('Continue')
    let sent = 0
    const look = async (agent: { cookie: string }, id: string) => {
      const answers = []
      const headers = { cookie: agent.cookie, accept: 'text/html' }
      const pages = [
        'sign-in',
        'card',
        'card-entered',
        'confirm',
        'resume',
        'processing',
        'success',
      ]
      for (const page of pages) {
        answers.push(await service.app.inject({ url: `/checkout/${id}/${page}`, headers }))
      }
      for (const page of ['confirm', 'sign-in', 'sign-in-link', 'receipt']) {
        answers.push(
          await service.app.inject({
            method: 'POST',
            url: `/checkout/${id}/${page}`,
            remoteAddress: `10.79.0.${++sent}`,
            headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
            payload: new URLSearchParams({ csrf_token, agreement: 'x' }).toString(),
          }),
        )
      }
      return answers.map(({ statusCode, body, headers }) => {
        const { 'x-request-id': id, ...rest } = headers
        const plain = body.replaceAll(String(id), 'req_')
        return { statusCode, body: plain, names: Object.keys(rest).sort() }
      })
    }
    const unknown = await look(other, 'cart_0000000000000000000000')
    for (const { statusCode } of unknown) assert.equal(statusCode, 404)
    assert.match(textOf(unknown[0]!.body), /only in the browser in which it began/)
    assert.deepEqual(await look(other, cart), unknown)
    assert.deepEqual(await look({ cookie: '' }, cart).then((all) => all[0]?.statusCode), 404)
    await agent.submit(/^Pay /)
    assert.deepEqual(await look(other, cart), unknown)
    assert.match(textOf((await agent.open(`/checkout/${cart}/success`)).body), /License key/)
  })
})

test('a receipt asked for too often names the wait that the limiter will have', async () => {
  const agent = buyer(service)
  const { body } = await purchase(service, agent, { email: fresh() })
  assert.match(textOf(body), /Sold securely by Purser Demo, Inc\./)
  for (let count = 0; count < 5; count++) {
    await agent.submit('Resend receipt email')
    assert.match(agent.text, /We sent the receipt to \S+ again/)
  }
  await agent.submit('Resend receipt email')
  assert.match(agent.text, /already sent several times\. .* try again in (60|59) minutes/)
})

test('a step that is too early or too late redirects to the current step', async () => {
  const agent = buyer(service)
  await agent.open(link)
  const entry = await agent.submit('Continue', { email: fresh(), ...TEXAS })
  const card_entry_id = entry.url.split('/').at(-1)
  const { id } = await service.world.db.one<{ id: CartId }>(
    sql`select id from carts where card_entry_id = ${card_entry_id}`,
  )
  for (const step of ['confirm', 'success', 'card-entered', 'card']) {
    const page = await agent.open(`/checkout/${id}/${step}`)
    assert.match(textOf(page.body), /Enter your card/, step)
  }
  await enterCard(agent)
  await agent.submit(/^Pay /)
  for (const step of ['confirm', 'card', 'card-entered', 'sign-in', 'resume', 'processing']) {
    const page = await agent.open(`/checkout/${id}/${step}`)
    assert.equal(page.url, `/checkout/${id}/success`, step)
  }
})

test('keeps every invariant', async () => {
  service.clock.pass(16 * 60)
  await reconcile(service.world)
  await assertInvariants(service)
})
