import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addSeconds } from '#platform/calendar'
import { sql } from '#platform/sql'
import { openSitemaps } from '#surfaces/public-site/sitemap'
import { statusOf } from '#surfaces/public-site/status'
import { addApp } from '../support/apps.ts'
import { buyer } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

const get = (url: string) => service.app.inject({ url })

// Guards F55
describe('files at fixed addresses', () => {
  test('answer with their types, and may be cached', async () => {
    for (const [url, type] of [
      ['/robots.txt', /^text\/plain/],
      ['/sitemap.xml', /^application\/xml/],
      ['/favicon.ico', /^image\/x-icon/],
      ['/favicon.svg', /^image\/svg\+xml/],
      ['/apple-touch-icon.png', /^image\/png/],
      ['/site.webmanifest', /^application\/manifest\+json/],
      ['/.well-known/security.txt', /^text\/plain/],
    ] as const) {
      const answer = await get(url)
      assert.equal(answer.statusCode, 200, url)
      assert.match(String(answer.headers['content-type']), type)
      assert.match(String(answer.headers['cache-control']), /^public, max-age=\d+$/)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  })

  test('favicon.ico has the mark in three sizes', async () => {
    const { rawPayload } = await get('/favicon.ico')
    assert.equal(rawPayload.readUInt16LE(2), 1)
    const count = rawPayload.readUInt16LE(4)
    const sizes = Array.from({ length: count }, (_, index) => rawPayload[6 + 16 * index])
    assert.deepEqual(sizes, [16, 32, 48])
  })

  test('robots.txt names the sitemap and keeps private pages out', async () => {
    const { base_url } = service.world.config
    const { body } = await get('/robots.txt')
    assert.ok(body.includes(`Sitemap: ${base_url}/sitemap.xml`))
    for (const path of ['/account/', '/dashboard/', '/admin/', '/buy/', '/manage/']) {
      assert.ok(body.includes(`Disallow: ${path}\n`), path)
    }
  })

  test('security.txt is valid for half a year from now (RFC 9116)', async () => {
    const { body } = await get('/.well-known/security.txt')
    const expires = new Date(/^Expires: (.+)$/m.exec(body)![1]!)
    const days = (expires.getTime() - service.clock.now().getTime()) / 86_400_000
    assert.ok(days > 178 && days <= 180, `${days} days`)
    assert.match(body, /^Contact: mailto:\S+@\S+$/m)
  })
})

// Guards F55
describe('the sitemap', () => {
  const addressesIn = (xml: string) =>
    [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address!)

  test('lists the public pages and the product pages of apps, and each of them answers', async () => {
    await addApp(service, { slug: 'outside' })
    await addApp(service, { slug: 'hidden', is_published: false })
    const { base_url } = service.world.config
    const addresses = addressesIn((await get('/sitemap.xml')).body)
    assert.ok(addresses.includes(`${base_url}/`))
    assert.ok(addresses.includes(`${base_url}/apps/tidepool/`))
    for (const slug of ['outside', 'hidden']) {
      assert.ok(!addresses.includes(`${base_url}/apps/${slug}/`), slug)
    }
    for (const address of addresses) {
      const answer = await get(address.slice(base_url.length))
      assert.equal(answer.statusCode, 200, address)
      assert.ok(answer.body.includes(`<link rel="canonical" href="${address}"`), address)
      assert.doesNotMatch(answer.body, /name="robots" content="noindex"/)
    }
  })

  test('becomes an index of files when it is long, without a gap or an address twice', async () => {
    const { world } = service
    await world.db.run(sql`update apps set listing_mode = 'marketplace', is_published = true`)
    const all = addressesIn(await openSitemaps(world, []).first())
    const split = openSitemaps(world, [], all.length - 1)
    const files = addressesIn(await split.first())
    assert.equal(files.length, 2)
    const parts = [await split.page(1), await split.page(2)].map((text) => addressesIn(text!))
    assert.equal(parts[0]!.length, all.length - 1)
    assert.deepEqual(parts.flat(), all)
    assert.equal(await split.page(3), undefined)
    assert.equal((await get('/sitemaps/2.xml')).statusCode, 404)
    assert.equal((await get('/sitemaps/0.xml')).statusCode, 404)
  })
})

// Guards F55
describe('public pages', () => {
  const dataIn = (body: string) =>
    [...body.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(([, text]) =>
      JSON.parse(text!),
    )

  test('have a title, a picture and an address for link previews', async () => {
    for (const path of ['/', '/apps/tidepool/', '/docs/', '/changelog/', '/status/', '/terms/']) {
      const { body } = await buyer(service).open(path)
      for (const name of ['og:title', 'og:url', 'og:image']) {
        assert.match(
          body,
          new RegExp(`<meta property="${name}" content="[^"]+"`),
          `${path} ${name}`,
        )
      }
      assert.match(body, /<meta name="twitter:card" content="summary"/)
    }
  })

  test('describe the app with its offers, and the site with who runs it', async () => {
    const [app] = dataIn((await buyer(service).open('/apps/tidepool/')).body)
    assert.equal(app['@type'], 'SoftwareApplication')
    assert.equal(app.name, 'Tidepool')
    const prices = service.demo.app.prices.length
    assert.ok(app.offers.length >= prices, `${app.offers.length} offers`)
    for (const offer of app.offers) assert.match(offer.price, /^\d+\.\d\d$/)
    const types = dataIn((await buyer(service).open('/')).body).map((each) => each['@type'])
    assert.deepEqual(types, ['WebSite', 'Organization'])
  })

  test('cannot be broken out of by the name of an app', async () => {
    const name = '</script><script>alert(1)</script>'
    await service.world.db.run(sql`update apps set name = ${name} where slug = 'tidepool'`)
    const { body } = await buyer(service).open('/apps/tidepool/')
    assert.ok(!body.includes('<script>alert'))
    assert.equal(dataIn(body)[0].name, name)
  })
})

// Guards F55
test('the status page names each part, and says so when payments or emails wait', async () => {
  assert.match((await get('/status/')).body, /All systems are operational/)
  const failing = async () =>
    (await statusOf(service.world)).filter(({ works }) => !works).map(({ part }) => part)
  assert.deepEqual(await failing(), [])
  const hour_ago = addSeconds(service.clock.now(), -3600)
  await service.world.db.run(sql`insert into emails (id, cause, kind, subject_id, queued_at)
    values ('email_waits', 'waits', 'sign_in', 'x', ${hour_ago})`)
  assert.deepEqual(await failing(), ['emails'])
})
