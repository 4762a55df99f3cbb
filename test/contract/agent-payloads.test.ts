import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { tools } from '../../src/surfaces/mcp/tools.ts'
import { AGENT_PAYLOADS, LONG } from '../support/budget.ts'
import { type McpAgent, mcpAgent } from '../support/mcp.ts'
import { addSellerWithApp } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const TABLES = [
  'apps',
  'clients',
  'sellers',
  'products',
  'prices',
  'secret_claims',
  'listing_sections',
  'listing_features',
  'listing_feature_products',
  'listing_names',
  'listing_app_names',
]
const REFUSALS = ['invalid_request', 'unknown_app']

let service: TestService
let agent: McpAgent
let products: string[]

before(async () => {
  service = await openTestService()
  const { email } = service.demo.buyer
  await addSellerWithApp(service, { email, slug: 'lighthouse' })
  agent = await mcpAgent(service, { email: service.demo.seller.email })
  const { rows } = await service.world.db.raw('select id from products order by id')
  products = (rows as { id: string }[]).map(({ id }) => id)
})
after(async () => {
  await service.close()
})

/** Changes with every written row, and with nothing else. */
async function signature(): Promise<string> {
  const parts = TABLES.map(
    (table) => `select md5(string_agg(xmin::text, ',' order by ctid)) as sum from ${table}`,
  )
  const log = 'select count(*)::text from app_changes'
  const { rows } = await service.world.db.raw([...parts, log].join(' union all '))
  return JSON.stringify(rows)
}

const SITE = 'https://tidepool.example'
const longish = fc
  .constantFrom(119, 120, 121, 200, 201, 500, 501, 1000, 1001, 4000, 4001)
  .map((length) => 'é'.repeat(length))
const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('Pro', 'Team', 'pro', 'Tides', '', ' ', 'A\nB') },
  { weight: 2, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 2, arbitrary: longish },
  {
    weight: 2,
    arbitrary: fc.constantFrom('<p>One</p>', '<script>x</script>', '<a href="javascript:x">y</a>'),
  },
)
const address = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(`${SITE}/a`, `${SITE}/b`, 'http://localhost:1/c') },
  fc.constantFrom('https://evil.example/', 'javascript:x', `${SITE}/#x`, `http://${SITE}`, '//x'),
  text,
)
/** Occasionally replaces a value with one of another shape. */
const mostly = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) })
const some = <Value>(arbitrary: fc.Arbitrary<Value>, maxLength = 4) =>
  mostly(fc.array(mostly(arbitrary), { maxLength }))
const product = () =>
  fc.constantFrom(...products, 'prod_x', '0a5bd5b1-9b2a-4a3a-8f3e-000000000000', '')
const price = () =>
  fc.record(
    {
      amount: mostly(fc.constantFrom('12.00', '96.00', '1.00', '0.99', '1', '-1.00', '1e3')),
      frequency: mostly(fc.constantFrom('month', 'year', 'week', 'day', null, 'hour')),
    },
    { requiredKeys: [] },
  )
const version = () =>
  fc.record(
    {
      product_id: mostly(product()),
      name: mostly(text),
      is_free: mostly(fc.boolean()),
      prices: some(price()),
    },
    { requiredKeys: [] },
  )

/** Arguments that resemble those of any tool, valid and invalid. */
const args = () =>
  fc.record(
    {
      app_slug: fc.oneof(
        { weight: 12, arbitrary: fc.constant('tidepool') },
        mostly(fc.constantFrom('lighthouse', 'nowhere', '', "' or 1=1 --")),
      ),
      dry_run: mostly(fc.boolean()),
      oauth_login_url: mostly(address),
      redirect_uris: some(address),
      post_logout_redirect_uris: some(address),
      tagline: mostly(text),
      description: mostly(text),
      categories: some(text),
      industries: some(text),
      tags: some(text),
      listing_mode: mostly(fc.constantFrom('marketplace', 'external', 'both')),
      sections: some(fc.record({ title: mostly(text), body: mostly(text) }), 6),
      features: some(
        fc.record(
          { name: mostly(text), description: mostly(text), product_ids: some(product()) },
          { requiredKeys: [] },
        ),
      ),
      versions: some(version()),
      product_id: mostly(product()),
      nonsense: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: ['app_slug'] },
  )

/** A tool, mostly with arguments of its own. */
const call = () =>
  fc.tuple(fc.constantFrom(...tools), args(), fc.nat(9)).map(([tool, all, stray]) => ({
    name: tool.name,
    args: Object.fromEntries(
      Object.entries(all).filter(([name]) => name in tool.input.shape || stray === 0),
    ),
  }))

test(
  `${AGENT_PAYLOADS} generated calls: none is a bug, and none that is refused writes anything`,
  LONG,
  async () => {
    let before = await signature()
    const count = { done: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(call(), async ({ name, args }) => {
        const { status, is_error, json } = await agent.call(name, args)
        const after = await signature()
        const summary = `${name} ${JSON.stringify(args)}: ${JSON.stringify(json)}`
        // A NUL and a poisoned prototype are refused before any tool is called.
        const isUnreadable =
          status === 400 && /\\u0000|__proto__|constructor/.test(JSON.stringify(args))
        assert.ok(status === 200 || isUnreadable, summary)
        if (is_error && !isUnreadable) assert.ok(REFUSALS.includes(json.error), summary)
        if (is_error || json.dry_run) assert.equal(after, before, summary)
        count[is_error ? 'refused' : 'done']++
        before = after
      }),
      { numRuns: AGENT_PAYLOADS, seed: 2026, endOnFailure: true },
    )
    assert.ok(
      count.done > AGENT_PAYLOADS / 20 && count.refused > AGENT_PAYLOADS / 5,
      JSON.stringify(count),
    )
  },
)
