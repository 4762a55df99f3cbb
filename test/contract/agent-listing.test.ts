import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { PriceId, ProductId } from '#platform/ids'
import { sql } from '#platform/sql'
import { SIGN_IN_LISTING } from '../../src/demo/cast.ts'
import { addApp } from '../support/apps.ts'
import { sellersTables } from '../support/listing.ts'
import { type McpAgent, mcpAgent, type ToolResult } from '../support/mcp.ts'
import { addSellerWithApp } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SLUG = 'tidepool'
const LEGACY = '7d9f2a52-0c3e-4f0b-9e55-2d4b8a6f1c30'

let service: TestService
let agent: McpAgent
let free: string
let pro: string
let lifetime: string
before(async () => {
  service = await openTestService()
  agent = await mcpAgent(service, { email: service.demo.seller.email })
  await addSellerWithApp(service, { email: service.demo.buyer.email, slug: 'lighthouse' })
  const { json } = await agent.call('list_products', { app_slug: SLUG })
  ;[free, pro, lifetime] = json.products.map((each: Product) => each.product_public_id)
})
after(() => service.close())

interface Product {
  product_public_id: ProductId
  prices: { public_id: PriceId }[]
}

/** A successful call for the cast's app. */
async function done(name: string, args: object = {}) {
  const { is_error, json } = await agent.call(name, { app_slug: SLUG, ...args })
  assert.equal(is_error, false, JSON.stringify(json))
  return json
}

/** A rejected call that wrote nothing: the paths of its errors. */
async function refused(name: string, args: object): Promise<string[]> {
  const before = await sellersTables(service.world)
  const { is_error, json } = await agent.call(name, { app_slug: SLUG, ...args })
  assert.equal(await sellersTables(service.world), before)
  assert.deepEqual([is_error, json.error], [true, 'invalid_request'], JSON.stringify(json))
  for (const { message } of json.fields) assert.match(message, /\w/)
  return json.fields.map(({ path }: { path: string }) => path)
}

const listing = async () => (await done('get_app_listing')).listing
const versions = () => [
  { product_id: free, name: 'Free', is_free: true },
  {
    product_id: pro,
    name: 'Pro',
    prices: [
      { amount: '12.00', frequency: 'month' },
      { amount: '96.00', frequency: 'year' },
    ],
  },
  { product_id: lifetime, name: 'Lifetime', prices: [{ amount: '180.00', frequency: null }] },
]

describe('get_app_listing', () => {
  test('returns the whole listing', async () => {
    const { app, listing } = await done('get_app_listing', { app_slug: 'driftlog' })
    const { categories, industries, tags, sections, features } = SIGN_IN_LISTING
    assert.deepEqual(app, { slug: 'driftlog', name: 'Driftlog' })
    assert.deepEqual(
      [listing.listing_mode, listing.categories, listing.industries, listing.tags],
      ['marketplace', categories, industries, tags],
    )
    assert.deepEqual(listing.sections, sections)
    assert.deepEqual(
      listing.features.map(({ name }: { name: string }) => name),
      features.map(({ name }) => name),
    )
  })

  test('its answer can be written back and changes nothing', async () => {
    const { tagline, description, categories, industries, tags, sections, features, ...rest } =
      await listing()
    const changes = { tagline, description, categories, industries, tags, ...rest }
    const before = await sellersTables(service.world)
    const answers = [
      await done('update_app_listing', changes),
      await done('replace_detail_sections', { sections }),
      await done('replace_feature_table', { features }),
      await done('replace_versions', { versions: versions() }),
    ]
    for (const { audit_id, changed, removed } of answers) {
      assert.deepEqual([audit_id, changed, removed], [null, [], []])
    }
    assert.equal(await sellersTables(service.world), before)
  })
})

describe('update_app_listing', () => {
  test('changes what is given, names what left the lists, and is on record as the agent’s', async () => {
    const { listing, removed, audit_id } = await done('update_app_listing', {
      tagline: 'Low water, simply',
      tags: ['tides', 'brand new'],
    })
    assert.deepEqual([listing.tagline, listing.tags], ['Low water, simply', ['tides', 'brand new']])
    assert.deepEqual(removed, [
      { kind: 'tag', id: null, name: 'beaches' },
      { kind: 'tag', id: null, name: 'field notes' },
    ])
    const change = await service.world.db.one<{ action: string; agent: string; email: string }>(
      sql`select c.action, c.agent, u.email from app_changes c join users u on u.id = c.user_id
        where c.id = ${audit_id}`,
    )
    const { email } = service.demo.seller
    assert.deepEqual(change, { action: 'listing.updated', agent: 'test-agent', email })
  })

  test('reports all broken limits at once, each at its field', async () => {
    const at = await refused('update_app_listing', {
      tagline: 'x'.repeat(121),
      description: 'x'.repeat(1001),
      categories: ['fine', 'x'.repeat(41)],
      tags: 'tides',
      listing_mode: 'both',
      name: 'Another name',
    })
    assert.deepEqual(at.toSorted(), [
      'categories[1]',
      'description',
      'listing_mode',
      'name',
      'tagline',
      'tags',
    ])
  })

  test('names the same limit for a list that is too long and one that is far too long', async () => {
    for (const count of [11, 21, 500]) {
      const tags = Array.from({ length: count }, (_, at) => `tag ${at}`)
      const { json } = await agent.call('update_app_listing', { app_slug: SLUG, tags })
      const message = `Use at most 10 items. This list has ${count}.`
      assert.deepEqual(json.fields, [{ path: 'tags', message }])
    }
  })

  test('refuses external listing without approval, and warns before leaving it', async () => {
    await addApp(service, { slug: 'harbor', external_sales_enabled: false })
    const call = async (listing_mode: string, more: object = {}) =>
      await agent.call('update_app_listing', { app_slug: 'harbor', listing_mode, ...more })
    const rehearsed = await call('marketplace', { dry_run: true })
    assert.match(rehearsed.json.warnings[0], /only support/)
    assert.equal((await call('external')).is_error, false)
    assert.equal((await call('marketplace')).is_error, false)
    const { json } = await call('external')
    assert.deepEqual(
      json.fields.map(({ path }: { path: string }) => path),
      ['listing_mode'],
    )
  })
})

describe('replace_detail_sections', () => {
  test('reports errors of format and of content in one list', async () => {
    const at = await refused('replace_detail_sections', {
      sections: [
        { title: 'Fine', body: '<p>Fine</p>' },
        { title: 'x'.repeat(121), body: 'x'.repeat(4001) },
        { body: '<script>x</script>' },
        { title: 7, body: 'Fine', color: 'red' },
        'no section',
      ],
    })
    assert.deepEqual(at.toSorted(), [
      'sections',
      'sections[1].body',
      'sections[1].title',
      'sections[2].body',
      'sections[2].title',
      'sections[3].color',
      'sections[3].title',
      'sections[4]',
    ])
  })

  test('HTML is stored clean, and an empty list clears', async () => {
    const body = '<p style="color:red">Go <a href="https://tides.example/">there</a><img src=x></p>'
    const { listing, removed } = await done('replace_detail_sections', {
      sections: [{ title: 'Why', body }],
    })
    assert.deepEqual(listing.sections, [
      {
        title: 'Why',
        body:
          '<p>Go <a href="https://tides.example/" rel="nofollow noopener noreferrer" ' +
          'target="_blank">there</a></p>',
      },
    ])
    assert.equal(removed.length, 2)
    const cleared = await done('replace_detail_sections', { sections: [] })
    assert.deepEqual(cleared.removed, [{ kind: 'section', id: null, name: 'Why' }])
  })
})

describe('replace_feature_table', () => {
  test('accepts either id of a product, and returns the permanent one', async () => {
    await service.world.db.run(sql`update products set legacy_id = ${LEGACY} where id = ${pro}`)
    const { listing, removed } = await done('replace_feature_table', {
      features: [{ name: 'Log', product_ids: [LEGACY, lifetime] }, { name: 'Bare' }],
    })
    assert.deepEqual(listing.features, [
      { name: 'Log', description: '', product_ids: [pro, lifetime] },
      { name: 'Bare', description: '', product_ids: [] },
    ])
    assert.equal(removed.length, 3)
  })

  test('refuses unknown products and products of other apps alike', async () => {
    const driftlog = await done('list_products', { app_slug: 'driftlog' })
    const product_ids = [driftlog.products[0].product_public_id, 'prod_none', pro, pro]
    const features = [{ name: 'x'.repeat(201), description: 'x'.repeat(501), product_ids }]
    assert.deepEqual(await refused('replace_feature_table', { features }), [
      'features[0].name',
      'features[0].description',
      'features[0].product_ids[0]',
      'features[0].product_ids[1]',
      'features[0].product_ids[3]',
    ])
  })
})

describe('replace_versions', () => {
  const buyPage = async (price_id: PriceId) =>
    (await service.app.inject(`/buy/${price_id}/`)).statusCode

  test('a dry run lists what would be removed and which links would stop working, and changes nothing', async () => {
    const [one, two] = versions()
    const before = await sellersTables(service.world)
    const result = await done('replace_versions', { versions: [one, two], dry_run: true })
    assert.equal(await sellersTables(service.world), before)
    const { public_id } = service.demo.app.prices[2]!
    assert.deepEqual(result.removed, [
      { kind: 'version', id: lifetime, name: 'Lifetime' },
      { kind: 'price', id: public_id, name: 'Lifetime, 180.00 USD once' },
    ])
    assert.deepEqual([result.dead_buy_links, result.audit_id], [[public_id], null])
    assert.equal(await buyPage(public_id), 200)
  })

  test('the write does what the dry run listed', async () => {
    const [one, two] = versions()
    const dearer = {
      ...two!,
      product_id: LEGACY,
      prices: [{ amount: '14.00', frequency: 'month' }],
    }
    const args = { versions: [dearer, one] }
    const rehearsed = await done('replace_versions', { ...args, dry_run: true })
    const { audit_id, ...result } = await done('replace_versions', args)
    assert.match(audit_id, /^chg_/)
    assert.deepEqual({ ...result, dry_run: true, audit_id: null }, rehearsed)
    assert.deepEqual(
      result.versions.map((version: Product) => version.product_public_id),
      [pro, free],
    )
    const [month, year, once] = service.demo.app.prices.map(({ public_id }) => public_id)
    assert.equal(result.versions[0].prices[0].public_id, month)
    assert.deepEqual(result.dead_buy_links, [year, once])
    const page = await service.app.inject(`/buy/${month}/`)
    assert.match(page.body, /\$14\.00/)
    for (const dead of [year, once]) assert.equal(await buyPage(dead!), 404)
    const { products } = await done('list_products')
    assert.deepEqual(
      products.map(({ is_active }: { is_active: boolean }) => is_active),
      [true, true, false],
    )
  })

  test('reports errors of format, of content and of unknown ids in one list', async () => {
    const at = await refused('replace_versions', {
      versions: [
        { product_id: free, name: 'Free', is_free: true, prices: [{ amount: '1.00' }] },
        {
          product_id: 'prod_none',
          name: 'x'.repeat(101),
          prices: [{ amount: 12, frequency: 'day' }],
        },
        { product_id: lifetime, name: 'Gone', prices: [{ amount: '1.001', frequency: 'once' }] },
        { prices: [{ amount: '5.00', frequency: 'day' }], images: [] },
      ],
    })
    assert.deepEqual(at.toSorted(), [
      'versions[0].prices',
      'versions[0].prices[0].frequency',
      'versions[1].name',
      'versions[1].prices[0].amount',
      'versions[1].product_id',
      'versions[2].prices[0].amount',
      'versions[2].prices[0].frequency',
      'versions[2].product_id',
      'versions[3].images',
      'versions[3].name',
    ])
  })

  test('at least one version must remain', async () => {
    assert.deepEqual(await refused('replace_versions', { versions: [] }), ['versions'])
    assert.deepEqual(await refused('replace_versions', {}), ['versions'])
  })
})

describe('update_product_description', () => {
  test('changes one description, and returns the previous one', async () => {
    const args = { product_id: LEGACY, description: 'Every beach.' }
    const { products, changed } = await done('update_product_description', args)
    assert.equal(products[0].description, 'Every beach.')
    assert.deepEqual(
      changed.map(({ path, after }: { path: string; after: string }) => [path, after]),
      [['description', 'Every beach.']],
    )
  })

  test('a product that is no longer sold is unknown, and so is one that never existed', async () => {
    for (const product_id of [lifetime, 'prod_none', '']) {
      const args = { product_id, description: 'x'.repeat(1001) }
      const at = await refused('update_product_description', args)
      assert.deepEqual(at, ['product_id', 'description'])
    }
  })
})

test('an app of another seller answers exactly like an unknown one, whatever is sent', async () => {
  const calls: [string, object][] = [
    ['get_app_listing', {}],
    ['update_app_listing', { tagline: 'x' }],
    ['replace_detail_sections', { sections: [] }],
    ['replace_feature_table', { features: [] }],
    ['replace_versions', { versions: versions() }],
    ['update_product_description', { product_id: pro, description: '' }],
  ]
  const before = await sellersTables(service.world)
  for (const [name, args] of calls) {
    const answers: ToolResult[] = []
    for (const app_slug of ['lighthouse', 'nowhere']) {
      answers.push(await agent.call(name, { ...args, app_slug }))
    }
    assert.deepEqual(answers[0], answers[1])
    assert.equal(answers[0]!.json.error, 'unknown_app')
  }
  assert.equal(await sellersTables(service.world), before)
})
