import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as listing from '#domain/listing'
import { sql } from '#platform/sql'
import { textOf } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { buyer } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

// F8
test('leads from card and page of an external app to its website, and sells nothing', async () => {
  const url = 'https://lighthouse.example'
  const app = await addApp(service, { slug: 'lighthouse', name: 'Lighthouse', url })
  const agent = buyer(service)
  const list = (mode: string) =>
    service.world.db.run(sql`update apps set listing_mode = ${mode} where id = ${app.client_id}`)
  await list('marketplace')
  const page = await agent.open('/apps/lighthouse/')
  assert.match(page.body, new RegExp(`href="/buy/${app.price_id}/`))
  await list('external')
  const home = await agent.open('/')
  assert.ok(home.body.includes(`href="${url}"`), 'its card leads to the website')
  assert.ok(!home.body.includes('/apps/lighthouse/'))
  const external = await agent.open('/apps/lighthouse/')
  assert.match(textOf(external.body), /Go to lighthouse\.example/)
  assert.doesNotMatch(external.body, /\/buy\//)
  assert.doesNotMatch(textOf(external.body), /Plans|\$/)
})

/** The names of the apps that a search of the home page shows, in order. */
async function found(query: string): Promise<string[]> {
  const { body } = await buyer(service).open(`/?${query}`)
  const cards = /id="apps"[\s\S]*?<\/section>/.exec(body)?.[0] ?? ''
  return [...cards.matchAll(/<span class="text-lg[^"]*">([^<]+)</g)].map(([, name]) => name!)
}

// Guards F55
test('a search finds apps by name, text, tag and misspelled name, the name first', async () => {
  const { db } = service.world
  const calendar = await addApp(service, { slug: 'almanac', name: 'Almanac' })
  const diary = await addApp(service, { slug: 'logbook', name: 'Logbook' })
  await db.run(sql`update apps set tagline = 'Calendars for sailors',
    description = 'Better than a logbook.' where id = ${calendar.client_id}`)
  await db.run(sql`update apps set tagline = 'Write down your days', listing_mode = 'marketplace'
    where id = ${diary.client_id}`)
  assert.deepEqual(await found('q=logbook'), ['Logbook', 'Almanac'])
  assert.deepEqual(await found('q=sailor'), ['Almanac'])
  assert.deepEqual(await found('q=almanak'), ['Almanac'])
  assert.deepEqual(await found('q=tidpool'), ['Tidepool'])
  assert.deepEqual(await found('q=Field%20notes'), ['Tidepool'])
  assert.deepEqual(await found('q=submarine'), [])
  assert.deepEqual(await found('category=outdoors'), ['Driftlog', 'Tidepool'])
  assert.deepEqual(await found('q=tide&category=Outdoors'), ['Tidepool'])
})

test('a category of a product page is found, also if many others have more apps', async () => {
  const { db } = service.world
  const now = service.clock.now()
  const rare = await addApp(service, { slug: 'rare', name: 'Rare' })
  const own = { app_id: rare.client_id, kind: 'category', names: ['Zoology'] } as const
  await listing.setNames(db, now, own)
  const common = Array.from({ length: 20 }, (_, number) => `Common ${number}`)
  for (const slug of ['common-1', 'common-2']) {
    const app = await addApp(service, { slug, name: slug })
    await listing.setNames(db, now, { app_id: app.client_id, kind: 'category', names: common })
  }
  const page = await buyer(service).open('/apps/rare/')
  assert.match(page.body, /href="\/\?category=Zoology#apps"/)
  assert.deepEqual(await found('category=Zoology'), ['Rare'])
  const { body } = await buyer(service).open('/?category=Zoology')
  assert.match(body, /<a [^>]*aria-current="page"[^>]*>Zoology</)
  assert.deepEqual(await found('category=Common%203'), ['common-1', 'common-2'])
})

test('a search finds accents however they are typed', async () => {
  const { db } = service.world
  const app = await addApp(service, { slug: 'kiosk', name: 'Kiosk' })
  const own = { app_id: app.client_id, kind: 'tag', names: ['Caf\u00e9'] } as const
  await listing.setNames(db, service.clock.now(), own)
  for (const text of ['Caf\u00e9', 'CAFE\u0301']) {
    assert.deepEqual(await found(`q=${encodeURIComponent(text)}`), ['Kiosk'], text)
  }
})

test('a search shows no app that is not published, and takes any text', async () => {
  await addApp(service, { slug: 'hidden', name: 'Hiddenapp', is_published: false })
  assert.deepEqual(await found('q=Hiddenapp'), [])
  for (const text of ["'", '"', '\\', '(', '!|&', 'a'.repeat(5000), '%F0%9F%8C%8A']) {
    const { status } = await buyer(service).open(`/?q=${text}`)
    assert.equal(status, 200, text.slice(0, 20))
  }
})

test('apps are listed a page at a time, and the last page follows the first', async () => {
  for (let number = 0; number < 25; number++) {
    await addApp(service, { slug: `many-${number}`, name: `Many ${number}` })
  }
  const first = await found('q=Many')
  const second = await found('q=Many&page=2')
  assert.equal(first.length, 24)
  assert.equal(new Set([...first, ...second]).size, 25)
})
