import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import * as catalog from '#domain/catalog'
import * as grants from '#domain/grants'
import type { AppId } from '#platform/ids'
import { type Caller, callTool } from '../../src/surfaces/mcp/call.ts'
import { tools } from '../../src/surfaces/mcp/tools.ts'
import { FUZZ_CALLS, LONG } from '../support/budget.ts'
import { ownApp } from '../support/listing.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SITE = 'https://tidepool.example'
const TABLES = [
  'apps',
  'clients',
  'sellers',
  'products',
  'prices',
  'app_changes',
  'secret_claims',
  'listing_sections',
  'listing_features',
  'listing_feature_products',
  'listing_names',
  'listing_app_names',
  'audit_log',
]

type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined }
type Args = { [key: string]: Json | undefined }

let service: TestService
let caller: Caller
let app_id: AppId
before(async () => {
  service = await openTestService()
  const { app, actor } = await ownApp(service)
  app_id = app.id
  caller = {
    bearer: {
      user_id: actor.user_id,
      client_id: grants.AGENT_CLIENT,
      scopes: [...grants.AGENT_SCOPES],
      expires_at: new Date(service.clock.now().getTime() + 3_600_000),
    },
    request_id: 'req_fuzz',
    agent: 'fuzz',
  }
})
after(() => service.close())

/** Placeholder for the product on sale at that index when the call is made. */
const LIVE = /^live:(\d)$/

const amounts = fc.constantFrom('1.00', '12.00', '96.00', '99999.99')
const frequencies = fc.constantFrom('day', 'week', 'month', 'year', null)
const prices = fc.uniqueArray(fc.record({ amount: amounts, frequency: frequencies }), {
  minLength: 1,
  maxLength: 3,
  selector: ({ frequency }) => frequency,
})
const product = fc.constantFrom('live:0', 'live:1', 'live:2')
const word = fc.constantFrom('Pro', 'Team', 'Solo', 'Tides & more', 'Ångström', '潮汐表', '😀')

/** For each write tool, arguments that are valid, or nearly. */
const GOOD: Record<string, fc.Arbitrary<Args>> = {
  update_integration_settings: fc.record({
    oauth_login_url: fc.constantFrom(`${SITE}/login`, 'http://localhost:4999/login'),
    redirect_uris: fc.constantFrom([], [`${SITE}/auth/callback`]),
  }),
  regenerate_client_secret: fc.constant({}),
  update_app_listing: fc.record({
    tagline: word,
    description: word,
    categories: fc.uniqueArray(word, { maxLength: 3 }),
    industries: fc.uniqueArray(word, { maxLength: 3 }),
    tags: fc.uniqueArray(word, { maxLength: 3 }),
    listing_mode: fc.constantFrom('marketplace', 'external'),
  }),
  replace_detail_sections: fc.record({
    sections: fc.array(
      fc.record({ title: word, body: fc.constantFrom('<p>One</p>', '<ul><li>Two</ul>', 'Three') }),
      { maxLength: 4 },
    ),
  }),
  replace_feature_table: fc.record({
    features: fc.array(
      fc.record({
        name: word,
        description: word,
        product_ids: fc.uniqueArray(product, { maxLength: 2 }),
      }),
      { maxLength: 4 },
    ),
  }),
  replace_versions: fc.record({
    versions: fc
      .uniqueArray(fc.tuple(product, prices), {
        minLength: 1,
        maxLength: 3,
        selector: ([id]) => id,
      })
      .map((list) =>
        list.map(([product_id, each]) =>
          product_id === 'live:0'
            ? { product_id, name: 'Free', is_free: true }
            : { product_id, name: `Plan ${product_id}`, is_free: false, prices: each },
        ),
      ),
  }),
  update_product_description: fc.record({ product_id: product, description: word }),
}

const HOSTILE: Json[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  'x'.repeat(121),
  'x'.repeat(5000),
  '\u0000',
  '\ud800',
  'a\u202eb',
  'a\nb',
  '1e3',
  '0.99',
  '-12.00',
  '１２.００',
  '<script>alert(1)</script>',
  "' or 1=1 --",
  '__proto__',
  'prod_0000000000000000000000',
  '00000000-0000-4000-8000-000000000000',
  'live:1',
  'javascript:alert(1)',
  'https://evil.example/',
  [],
  [[]],
  {},
  { length: 3 },
  { toString: null, constructor: 1 },
  Array.from({ length: 200 }, () => 'x'),
  Array.from({ length: 60 }, (_, index) => ({ name: `P${index}`, prices: [] })),
]

/** One way to corrupt arguments: a place in their tree, and a change. */
const spoiling = fc.record({
  place: fc.nat(1000),
  how: fc.constantFrom('replace', 'remove', 'repeat', 'add'),
  value: fc.constantFrom(...HOSTILE),
})
type Spoiling = { place: number; how: string; value: Json }

interface Place {
  holder: Json[] | Args
  key: string
}

function placesOf(value: Json | undefined): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesOf((holder as Args)[key])])
}

function spoil(args: Args, { place, how, value }: Spoiling): void {
  const places = placesOf(args)
  const { holder, key } = places[place % Math.max(1, places.length)] ?? { holder: args, key: 'x' }
  const at = holder as Args
  if (how === 'replace') at[key] = structuredClone(value)
  else if (how === 'add' && !Array.isArray(holder)) at[`${key}_too`] = structuredClone(value)
  else if (Array.isArray(holder) && how === 'repeat') holder.push(structuredClone(at[key]!))
  else if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete at[key]
}

/** Arguments with the placeholders of live products replaced by their ids. */
function resolve(value: Args, ids: string[]): Args {
  return JSON.parse(JSON.stringify(value), (_key, each) => {
    const place = typeof each === 'string' ? LIVE.exec(each)?.[1] : undefined
    return place === undefined ? each : (ids[Number(place)] ?? 'prod_none')
  })
}

/** Changes with every written row, and with nothing else. */
async function signature(): Promise<string> {
  const parts = TABLES.map(
    (table) => `(select count(*) || ':' || coalesce(max(xmin::text::bigint), 0) from ${table})`,
  )
  const { rows } = await service.world.db.raw(`select concat_ws(' ', ${parts.join(', ')}) as text`)
  return (rows[0] as { text: string }).text
}

const call = fc.constantFrom(...Object.keys(GOOD)).chain((name) =>
  fc.record({
    name: fc.constant(name),
    args: GOOD[name]!,
    spoilings: fc.array(spoiling, { maxLength: 3 }),
    app_slug: fc.oneof(
      { weight: 20, arbitrary: fc.constant('tidepool') },
      fc.constantFrom('driftlog', 'nowhere', '', '\u0000', '\ud800'),
    ),
    dry_run: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  }),
)

test('has valid arguments for every tool that writes', () => {
  assert.deepEqual(
    Object.keys(GOOD),
    tools.filter(({ writes }) => writes).map(({ name }) => name),
  )
})

test(
  `${FUZZ_CALLS} spoiled calls: none is a bug, and what is refused or rehearsed writes nothing`,
  LONG,
  async () => {
    const seen: Record<string, number> = {}
    let ids: string[] = []
    let before = await signature()
    const refresh = async () => {
      ids = (await catalog.products(service.world.db, app_id)).map(({ id }) => id)
    }
    await refresh()
    await fc.assert(
      fc.asyncProperty(call, async ({ name, args, spoilings, app_slug, dry_run }) => {
        const given = { app_slug, ...structuredClone(args) }
        for (const each of spoilings) spoil(given, each)
        const tool = tools.find((each) => each.name === name)!
        const sent = { ...resolve(given, ids), dry_run }
        const { isError = false, content } = await callTool(service.world, caller, {
          tool,
          args: structuredClone(sent),
        })
        const [part] = content
        const json = JSON.parse(part?.type === 'text' ? part.text : '')
        const summary = `${name} ${JSON.stringify(sent)}: ${JSON.stringify(json)}`
        const now = await signature()
        if (isError) assert.match(json.error, /^(invalid_request|unknown_app)$/, summary)
        if (json.error === 'invalid_request') assert.ok(json.fields.length > 0, summary)
        if (isError || dry_run || json.audit_id === null) assert.equal(now, before, summary)
        else assert.notEqual(now, before, summary)
        const outcome = json.error ?? (dry_run ? 'rehearsed' : 'done')
        seen[outcome] = (seen[outcome] ?? 0) + 1
        if (now !== before && name === 'replace_versions') await refresh()
        before = now
      }),
      { numRuns: FUZZ_CALLS, seed: 2026, endOnFailure: true },
    )
    for (const outcome of ['invalid_request', 'unknown_app', 'rehearsed', 'done']) {
      assert.ok((seen[outcome] ?? 0) > FUZZ_CALLS / 200, JSON.stringify(seen))
    }
  },
)
