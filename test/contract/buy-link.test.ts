import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '#platform/sql'
import type { Agent } from '../support/agent.ts'
import { textOf } from '../support/agent.ts'
import { addApp, setOnSale } from '../support/apps.ts'
import { assertInvariants } from '../support/invariants.ts'
import { buyer, orderReference, purchase, TEXAS } from '../support/purchase.ts'
import { BAD_RETURN_URLS, GOOD_RETURN_URLS } from '../support/return-urls.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let link: string
before(async () => {
  service = await openTestService()
  link = `/buy/${service.demo.app.prices[0]!.public_id}/`
})
after(() => service.close())

const FORM = 'application/x-www-form-urlencoded'
const linkWith = (name: string, text: string) => `${link}?${name}=${encodeURIComponent(text)}`

/** Posts the form of the details page from a browser that has opened it. */
const post = (agent: Agent, fields: Record<string, string>, url = link) =>
  service.app.inject({
    method: 'POST',
    url,
    headers: { cookie: agent.cookie, 'content-type': FORM },
    payload: new URLSearchParams({ ...agent.form('Continue'), ...fields }).toString(),
  })

async function count(table: 'carts' | 'users'): Promise<number> {
  const statement = { carts: sql`select id from carts`, users: sql`select id from users` }[table]
  return (await service.world.db.rows(statement)).length
}

let emails = 0
const fresh = () => `buyer-${emails++}@example.com`

describe('when a link answers', () => {
  test('not before its app is published and external sales are enabled', async () => {
    const { client_id, price_id } = await addApp(service, { slug: 'harbor' })
    const url = `/buy/${price_id}/`
    const agent = buyer(service)
    await agent.open(url)
    for (const [is_published, external_sales_enabled, status] of [
      [false, false, 404],
      [true, false, 404],
      [false, true, 404],
      [true, true, 200],
    ] as const) {
      await setOnSale(service, client_id, { is_published, external_sales_enabled })
      assert.equal((await service.app.inject({ url })).statusCode, status)
      const posted = await post(agent, { email: fresh(), ...TEXAS }, url)
      assert.equal(posted.statusCode, status === 200 ? 303 : 404)
    }
  })

  test('returns 404 for an unknown or removed price, and for one of a removed product', async () => {
    const { db, clock } = service.world
    const one = await addApp(service, { slug: 'removed-price' })
    const two = await addApp(service, { slug: 'removed-product' })
    const now = clock.now()
    await db.run(sql`update prices set deleted_at = ${now} where id = ${one.price_id}`)
    await db.run(sql`update products set deleted_at = ${now} where id = ${two.product_id}`)
    const ids = [one.price_id, two.price_id, 'prc_0000000000000000000000', 'x', one.product_id]
    for (const id of ids) {
      const answer = await service.app.inject({
        url: `/buy/${id}/`,
        headers: { accept: 'text/html' },
      })
      assert.equal(answer.statusCode, 404)
      assert.match(textOf(answer.body), /This plan is not for sale\b.*Nothing was charged/)
    }
  })

  test('with and without the slash at its end', async () => {
    for (const url of [link, link.slice(0, -1), `${link.slice(0, -1)}?email=a@example.com`]) {
      assert.equal((await service.app.inject({ url })).statusCode, 200)
    }
  })
})

describe('next', () => {
  test('is kept on the registered domain and the loopback', async () => {
    for (const [text, resolved] of GOOD_RETURN_URLS) {
      const agent = buyer(service)
      const page = await agent.open(linkWith('next', text))
      assert.equal(page.status, 200, text)
      assert.equal(agent.form('Continue').next, resolved)
    }
  })

  test('shows the misconfigured page for any other host, without a link to it', async () => {
    assert.ok(BAD_RETURN_URLS.length + GOOD_RETURN_URLS.length > 100)
    for (const text of BAD_RETURN_URLS) {
      const answer = await service.app.inject({ url: linkWith('next', text) })
      if (text.includes('\0')) {
        assert.equal(answer.statusCode, 400)
        continue
      }
      assert.equal(answer.statusCode, 400, text)
      assert.match(textOf(answer.body), /This link is misconfigured/)
      assert.match(textOf(answer.body), /Nothing was charged/)
      assert.equal(answer.headers.location, undefined)
      assert.ok(!answer.body.includes('evil'), text)
      assert.ok(!answer.body.includes('http-equiv'))
      const forms = [...answer.body.matchAll(/<form[^>]* action="([^"]*)"/g)]
      assert.deepEqual(
        forms.map(([, action]) => action),
        ['/language/'],
      )
      for (const [, href] of answer.body.matchAll(/href="([^"]*)"/g)) assert.match(href!, /^[/#]/)
    }
  })

  test('is refused in a crafted form as well, and opens no cart', async () => {
    const agent = buyer(service)
    await agent.open(link)
    const before = await count('carts')
    for (const next of BAD_RETURN_URLS.filter((text) => !text.includes('\0')).slice(0, 60)) {
      const answer = await post(agent, { email: fresh(), ...TEXAS, next })
      assert.equal(answer.statusCode, 400, next)
    }
    assert.equal(await count('carts'), before)
  })

  test('given twice it is misconfigured, and empty it is absent', async () => {
    const good = encodeURIComponent('https://tidepool.example/')
    const twice = await service.app.inject({ url: `${link}?next=${good}&next=${good}` })
    assert.equal(twice.statusCode, 400)
    assert.equal((await service.app.inject({ url: `${link}?next=` })).statusCode, 200)
  })

  test('replaces an existing reference with its own, and keeps everything else', async () => {
    const next =
      'https://app.tidepool.example/a%20b/?x=1&svc_order=old&x=%c3%a9+z&flag#/r?svc_order=1'
    const page = await purchase(service, buyer(service), {
      email: fresh(),
      query: `?next=${encodeURIComponent(next)}`,
    })
    const reference = orderReference(page)
    const expected =
      'https://app.tidepool.example/a%20b/?x=1&x=%c3%a9+z&flag' +
      `&svc_order=${reference}#/r?svc_order=1`
    assert.ok(page.body.includes(`href="${expected.replaceAll('&', '&amp;')}"`))
  })

  test('without it the buyer goes to the Login URL', async () => {
    const page = await purchase(service, buyer(service), { email: fresh() })
    const { sample_site_url } = service.demo
    assert.ok(page.body.includes(`${sample_site_url}/login?svc_order=${orderReference(page)}`))
  })

  test('is checked again at the end: a host that is no longer registered is not returned to', async () => {
    const { client_id, price_id } = await addApp(service, { slug: 'moving' })
    const agent = buyer(service)
    await agent.open(`/buy/${price_id}/?next=${encodeURIComponent('https://moving.example/back')}`)
    await agent.submit('Continue', { email: fresh(), ...TEXAS })
    await service.world.db.run(sql`update apps set url = 'https://moved.example',
      oauth_login_url = 'https://moved.example/login' where id = ${client_id}`)
    await agent.submit('Continue', { number: '4242424242424242', expiry: '12/30', cvc: '123' })
    const page = await agent.submit(/^Pay /)
    assert.ok(!page.body.includes('moving.example/back'))
    assert.ok(page.body.includes('https://moved.example/login?svc_order='))
  })
})

describe('email', () => {
  test('is filled in as text and nothing more', async () => {
    const before = await count('carts')
    for (const text of [
      'robin@example.com',
      '"><script>alert(1)</script>',
      "' onfocus='alert(1)",
      '{{7*7}}',
      'x'.repeat(5000),
    ]) {
      const agent = buyer(service)
      const page = await agent.open(linkWith('email', text))
      assert.equal(page.status, 200)
      assert.equal(agent.form('Continue').email, text)
      const rest = page.body.replaceAll(/ value="[^"]*"/g, '')
      assert.ok(!/alert|onfocus|xxxx/.test(rest))
    }
    assert.equal(await count('carts'), before)
  })

  test('reads the same for an email with and without an account', async () => {
    const pages = []
    for (const email of [service.demo.buyer.email, 'unknown@example.com']) {
      const { body, headers } = await service.app.inject({ url: linkWith('email', email) })
      const plain = body.replaceAll(email, 'EMAIL').replaceAll(/value="[\w-]{43}"/g, 'TOKEN')
      pages.push([plain, Object.keys(headers)])
    }
    assert.deepEqual(pages[0], pages[1])
  })
})

describe('the buyer’s details', () => {
  const submit = async (fields: Record<string, string>) => {
    const agent = buyer(service)
    await agent.open(link)
    const before = await count('carts')
    const answer = await post(agent, { email: fresh(), ...TEXAS, ...fields })
    return { answer, pageText: textOf(answer.body), opened: (await count('carts')) - before }
  }

  test('a buyer outside of the United States is refused, whatever the ZIP says', async () => {
    for (const country of ['CA', 'GB', 'us', 'USA', '', 'XX', 'United States']) {
      const { answer, pageText, opened } = await submit({ country })
      assert.equal(answer.statusCode, 422, country)
      assert.match(pageText, /United States only\. Nothing was charged\./)
      assert.equal(opened, 0)
    }
  })

  test('a buyer who chooses a territory is led to United States, with the ZIP code kept', async () => {
    const { answer, pageText, opened } = await submit({ country: 'PR', zip: '00901' })
    assert.equal(answer.statusCode, 422)
    assert.match(pageText, /For Puerto Rico, select United States\. It is selected now\./)
    assert.match(answer.body, /<option[^>]*selected[^>]*>United States</)
    assert.match(answer.body, /value="00901"/)
    assert.equal(opened, 0)
    const again = await submit({ zip: '00901' })
    assert.deepEqual([again.answer.statusCode, again.opened], [303, 1])
  })

  // F1, F2: 99999 was among these; any five digits under a prefix of the United States are
  // accepted.
  test('refuses a ZIP code outside the United States, and reads one with four more digits', async () => {
    for (const zip of [
      '00000',
      '00499',
      '96940',
      '96941',
      '96960',
      '7870',
      '787011',
      'K1A 0B1',
      '',
      '78701-',
      'Texas',
    ]) {
      const { answer, pageText, opened } = await submit({ zip })
      assert.equal(answer.statusCode, 422, zip)
      assert.match(pageText, /five-digit US ZIP/)
      assert.equal(opened, 0)
    }
    for (const zip of [
      '78701',
      ' 78701 ',
      '78701-1234',
      '75036',
      '85288',
      '99999',
      '00901',
      '09025',
    ]) {
      const { answer, opened } = await submit({ zip })
      assert.deepEqual([answer.statusCode, opened], [303, 1], zip)
    }
  })

  test('refuses an invalid address and shows all errors at once', async () => {
    for (const email of [
      '',
      'a',
      'a@',
      '@b.co',
      'a@b',
      'a b@c.co',
      'a@b..co',
      'a@b@c.co',
      'a,b@c.co',
    ]) {
      const { answer, pageText } = await submit({ email })
      assert.equal(answer.statusCode, 422, email)
      assert.match(pageText, /Enter an email address/)
    }
    const { answer, pageText } = await submit({ email: 'x', country: 'US', zip: '0' })
    assert.equal(answer.statusCode, 422)
    for (const sentence of [/Enter an email address/, /five-digit US ZIP/]) {
      assert.match(pageText, sentence)
    }
  })

  test('what was typed is still there, and escaped', async () => {
    const { answer } = await submit({ email: '"><b>x', zip: '<i>' })
    assert.ok(!/<b>x|<i>/.test(answer.body))
    assert.ok(answer.body.includes('value="&quot;>&lt;b>x"') || answer.body.includes('&lt;b&gt;x'))
  })
})

test('keeps every invariant', () => assertInvariants(service))
