import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Sql, sql } from '#platform/sql'
import { signUp } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { buyer } from '../support/purchase.ts'
import { addSellerSide, type SellerSide } from '../support/seller-side.ts'
import { openTestService, type TestService } from '../support/service.ts'

// Two sellers with two members each and other people, against every route (issue 11, threat 59)

let service: TestService
let harbor: SellerSide
let lantern: SellerSide
/** With an account, and no part in a seller. */
let person: Agent
before(async () => {
  service = await openTestService()
  await service.listen()
  harbor = await addSellerSide(service, { slug: 'harbor', role: 'support' })
  lantern = await addSellerSide(service, { slug: 'lantern', role: 'developer' })
  person = (await signUp(service)).agent
  await emailsSent()
  // The tests compare rows, which nothing but their requests may change.
  await service.world.jobs.stop()
})
after(() => service.close())

/** Waits for the emails of the sales: they are about sellers too. */
async function emailsSent(): Promise<void> {
  for (let unsent = 1; unsent > 0; await setTimeout(50)) {
    const found = await service.world.db.one<{ unsent: number }>(sql`select
      count(*)::int as unsent from emails where sent_at is null`)
    unsent = found.unsent
  }
}

interface Route {
  method: 'GET' | 'POST'
  url: string
}

/** Ends the session that the test needs. */
const SIGN_OUT = ['/signout/', '/o/session/end/sign-out', '/o/session/end/confirm']

/** Every route of the service, so that a new one is covered without a line here. */
function routes(): Route[] {
  return service.app.declared_routes.flatMap(({ methods, url }) =>
    methods
      .filter((method): method is Route['method'] => method === 'GET' || method === 'POST')
      .map((method) => ({ method, url }))
      .filter(() => url !== '*' && !SIGN_OUT.includes(url)),
  )
}

/** The path of a route with these values; `id` is the ID of what the path is about. */
function pathOf({ url }: Route, ids: Record<string, string>): string {
  const [, about = ''] = /\/(payouts|changes|tasks)\/:id/.exec(url) ?? []
  const of_path: Record<string, string> = { payouts: 'payout_id', changes: 'change_id' }
  const values = {
    ...ids,
    id: ids[of_path[about] ?? 'task_id']!,
    action: 'refund',
    month: '2026-01',
  }
  return url.replaceAll(/:(\w+)(\([^)]*\))?/g, (_, name: keyof typeof values) => {
    return values[name] ?? String(name)
  })
}

/** A person with a browser, and a token for its forms. */
interface Visitor {
  agent: Agent
  csrf_token: string
}

async function visitor(agent: Agent): Promise<Visitor> {
  const { body } = await agent.open('/account/security/')
  return { agent, csrf_token: /name="csrf_token" value="([^"]+)"/.exec(body)?.[1] ?? '' }
}

let requests = 0
/** What forms about an ID need besides it. */
const FIELDS = { do: 'undo', reason: 'The buyer asked for it.' }

async function send({ agent, csrf_token }: Visitor, route: Route, ids: Record<string, string>) {
  const url = pathOf(route, ids)
  const payload = new URLSearchParams({ ...ids, ...FIELDS, csrf_token }).toString()
  const { method } = route
  const answer = await service.app.inject({
    method,
    url,
    // The limits count by network.
    remoteAddress: `10.${100 + (requests >> 16)}.${(requests >> 8) & 255}.${requests++ & 255}`,
    headers: {
      cookie: agent.cookie,
      accept: 'text/html',
      ...(method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
    ...(method === 'POST' ? { payload } : {}),
  })
  return { url, status: answer.statusCode, body: answer.body, to: answer.headers.location }
}

/** The secrets of a seller that a response has, other than those that its request had. */
function leaks(body: string, sent: string, { secrets }: SellerSide): string[] {
  return secrets.filter((each) => body.includes(each) && !sent.includes(each))
}

/** All rows about a seller, by table: each that has one of its IDs. */
async function rowsOf({ ids, secrets }: SellerSide): Promise<Record<string, string>> {
  const { db } = service.world
  const tables = await db.rows<{ name: string }>(sql`select table_name as name
    from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`)
  const { slug: _, ...known } = ids
  const texts = [...Object.values(known), ...secrets].map((each) => `%${each}%`)
  const found: Record<string, string> = {}
  for (const { name } of tables.filter((each) => !NOT_COMPARED.includes(each.name))) {
    const table = new Sql(`"${name}" t`, [])
    const { rows } = await db.one<{ rows: string }>(sql`select
      coalesce(string_agg(t::text, chr(10) order by t::text), '') as rows from ${table}
      where t::text like any(${texts})`)
    found[name] = rows
  }
  return found
}

/**
 * What visits of a buy link count, what visitors do in their own name, and what is summed later.
 */
const NOT_COMPARED = [
  ...['metric_days', 'metric_changes', 'audit_log', 'sessions'],
  ...['license_uses', 'payee_balances', 'payee_unsummed'],
]

/** A route that is about something of one seller only. */
const isOfSeller = ({ url }: Route) => /^\/dashboard\/.*:|^\/tasks\//.test(url)
/** A route that is about something inside of an app. */
const isInsideApp = ({ url }: Route) =>
  isOfSeller({ method: 'GET', url }) && /:(?!slug|action)/.test(url)

/** What a visitor reaches of a seller with these values; an empty list is right. */
async function reached(
  who: Visitor,
  of: SellerSide,
  facts: { ids: Record<string, string>; of: typeof isOfSeller },
) {
  const before = await rowsOf(of)
  const wrong: string[] = []
  for (const route of routes()) {
    const { url, status, body, to } = await send(who, route, facts.ids)
    const sent = route.method === 'POST' ? url + JSON.stringify(facts.ids) : url
    const name = `${route.method} ${route.url}`
    for (const each of leaks(body + String(to), sent, of)) wrong.push(`${name}: shows ${each}`)
    if (facts.of(route) && !REFUSALS.includes(status)) wrong.push(`${name}: ${status}`)
    if (status >= 500) wrong.push(`${name}: ${status}`)
  }
  const after = await rowsOf(of)
  for (const [table, rows] of Object.entries(before)) {
    if (after[table] !== rows) wrong.push(`${table} was changed`)
  }
  return wrong
}

/** Not found, or for members of the own seller, a page that names the roles that have access. */
const REFUSALS = [404, 403]

describe('no route of the service', () => {
  test('leads a member of a seller to another seller, by its paths or IDs', async () => {
    for (const [mine, other] of [
      [harbor, lantern],
      [lantern, harbor],
    ] as const) {
      for (const agent of mine.members.values()) {
        const who = await visitor(agent)
        assert.deepEqual(await reached(who, other, { ids: other.ids, of: isOfSeller }), [])
        const ids = { ...other.ids, slug: mine.ids.slug! }
        assert.deepEqual(await reached(who, other, { ids, of: isInsideApp }), [])
        assert.equal((await agent.open(`/dashboard/apps/${mine.ids.slug}/`)).status, 200)
      }
    }
  })

  test('leads other people to a seller, with an account or without one', async () => {
    for (const side of [harbor, lantern]) {
      const facts = { ids: side.ids, of: isOfSeller }
      assert.deepEqual(await reached(await visitor(person), side, facts), [])
      const signed_out = await visitor(buyer(service))
      assert.deepEqual(await reached(signed_out, side, { ids: side.ids, of: () => false }), [])
    }
  })
})
