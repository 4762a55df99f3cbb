import { performance } from 'node:perf_hooks'
import type { Db } from '#platform/db'
import { sql } from '#platform/sql'
import type { DemoFacts } from '../src/demo/seed.ts'
import type { Service } from '../src/service.ts'
import { type GrowthBrowsers, openBrowsers } from './growth-browser.ts'

/** What no page should exceed, in milliseconds. */
const MEDIAN_MS = 100
const P99_MS = 300
const REQUESTS = 25
/** A slow page is requested less often. */
const SECONDS_A_PAGE = 3
/** How many views of a list are measured: filters, sorts and pages that it links to. */
const VIEWS = 10
const BARE = '/signin/'
/** A table of more rows than this is never read completely for a page. */
const LARGE_ROWS = 10_000

/** Searches by what people know; each is tried on every page with a search field. */
const SEARCHES = ['g12', 'g77@growth.example', '77', 'tidepool', 'tidpool', 'no such thing']

/** Routes that are not pages, or whose object this database does not contain. */
const NOT_MEASURED = /^\/(dashboard|admin|affiliate)\/.*(\.csv|\.pdf|\/bank|:task_id\/)$/

/**
 * Opens every page of sellers, affiliates, staff and the marketplace, with every filter that it
 * links to, and prints how long each takes. A new route is measured without a line here.
 */
export async function measurePages(service: Service, demo: DemoFacts): Promise<void> {
  const browsers = await openBrowsers(service, demo)
  const values = await valuesOf(service.world.db)
  const bare = await measure(service, browsers.visitor, BARE)
  const before = await wholeReads(service.world.db)
  const missing: string[] = []
  let views = 0
  let slow = 0
  printHead(bare)
  for (const route of pageRoutes(service)) {
    const path = pathOf(route, values)
    const browser = browserOf(browsers, route)
    const first = await open(service, browser, path)
    if (first.status >= 500)
      throw new Error(`${path}: ${first.status}\n${first.body.slice(0, 2_000)}`)
    if (first.status !== 200) {
      missing.push(`${route}: ${first.status}`)
      continue
    }
    for (const view of [path, ...viewsOf(path, first.body)]) {
      views++
      if (printLine(view, await measure(service, browser, view), bare)) slow++
    }
  }
  console.log(`\n${views} views, ${slow} above ${MEDIAN_MS} ms (median) or ${P99_MS} ms (p99)`)
  const read = [...(await wholeReads(service.world.db))].filter(
    ([table, count]) => count > (before.get(table) ?? 0),
  )
  console.log(
    read.length === 0
      ? `no table of more than ${LARGE_ROWS.toLocaleString('en-US')} rows was read completely`
      : `read completely: ${read.map(([table]) => table).join(', ')}`,
  )
  if (missing.length > 0) console.log(`\nnot a page here: ${missing.join(', ')}`)
}

/** Pages of the three areas, from the router. */
function pageRoutes({ app }: Service): string[] {
  const routes = app.declared_routes
    .filter(({ methods }) => methods.includes('GET'))
    .map(({ url }) => url)
  return [...new Set(routes)].filter(
    (url) =>
      /^\/((dashboard|admin|affiliate|apps)\/|$|sitemap)/.test(url) && !NOT_MEASURED.test(url),
  )
}

function browserOf(browsers: GrowthBrowsers, route: string) {
  if (route.startsWith('/admin/')) return browsers.staff
  if (route.startsWith('/dashboard/')) return browsers.seller
  return route.startsWith('/affiliate/') ? browsers.affiliate : browsers.visitor
}

type Values = Record<string, string>

/** A value of each parameter, of rows that this database contains; `admin_…` in the admin area. */
async function valuesOf(db: Db): Promise<Values> {
  const [job] = await db.rows<{ queue: string; job_id: string }>(
    sql`select name as queue, id as job_id from pgboss.job where name not like '\\_\\_pgboss%'
      order by created_on desc limit 1`,
  )
  const values = await db.one<Values>(sql`select a.id as app_id, a.slug, a.seller_id,
      (select max(id) from invoices i where i.app_id = a.id and i.number is not null) as invoice_id,
      (select id from licenses l where l.app_id = a.id and l.status = 'active'
        order by created_at desc limit 1) as license_id,
      (select d.id from disputes d join charges c on c.id = d.charge_id
        join invoices i on i.id = c.invoice_id where i.app_id = a.id
        order by d.id desc limit 1) as dispute_id,
      (select max(user_id) from seller_members m where m.seller_id = a.seller_id
        and m.role = 'support') as user_id,
      (select id from users where staff_role is not null limit 1) as admin_user_id,
      (select min(user_id) from buyer_balances where amount > 0) as excess_user_id,
      (select max(id) from app_changes c where c.app_id = a.id) as change_id,
      (select id from payouts p where p.owner = a.seller_id order by created_at desc limit 1)
        as payout_id,
      to_char(now() - interval '2 months', 'YYYY-MM') as month, 'TX' as state,
      'replace-key' as action, 'apps-1.xml' as file
    from apps a where a.slug = 'big'`)
  return { ...values, ...job }
}

function pathOf(route: string, values: Values): string {
  return route.replaceAll(/:(\w+)(\(\^?[^)]*\))?/g, (_, name: string) => {
    const own = name === 'id' ? (route.includes('/payouts/') ? 'payout_id' : 'change_id') : name
    const area = /^\/admin\/(excess)\//.exec(route)?.[1] ?? 'admin'
    const staff = route.startsWith('/admin/') ? values[`${area}_${own}`] : undefined
    return staff ?? values[own] ?? name
  })
}

/** The same page with the queries that it links to, and searched. */
function viewsOf(path: string, body: string): string[] {
  const hrefs = [...body.matchAll(/href="([^"#]*)(?:#[^"]*)?"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
  const options = [...body.matchAll(/<select[^>]*name="(\w+)"[^>]*>(.*?)<\/select>/gs)].flatMap(
    ([, name, inside = '']) =>
      [...inside.matchAll(/<option[^>]*value="([^"]+)"/g)].map(([, value]) => `?${name}=${value}`),
  )
  const own = [...hrefs, ...options]
    .map((href) => (href.startsWith('?') ? path + href : href))
    .filter((href) => href.startsWith(`${path}?`))
  const searches = /<input[^>]*name="q"/.test(body)
    ? SEARCHES.map((text) => `${path}?q=${encodeURIComponent(text)}`)
    : []
  return [...[...new Set(own)].slice(0, VIEWS), ...searches]
}

async function open({ app }: Service, browser: GrowthBrowsers['visitor'], url: string) {
  const headers = { cookie: browser.cookie, accept: 'text/html' }
  const answer = await app.inject({ method: 'GET', url, headers })
  return { status: answer.statusCode, body: answer.body }
}

/** Milliseconds. */
interface Durations {
  median: number
  p99: number
  requests: number
}

async function measure(
  service: Service,
  browser: GrowthBrowsers['visitor'],
  url: string,
): Promise<Durations> {
  await open(service, browser, url)
  const times: number[] = []
  const end = performance.now() + SECONDS_A_PAGE * 1000
  while (times.length < REQUESTS && (performance.now() < end || times.length < 3)) {
    const start = performance.now()
    const { status } = await open(service, browser, url)
    if (status >= 400) throw new Error(`${url}: ${status}`)
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.ceil(times.length * share) - 1]!
  return { median: at(0.5), p99: at(0.99), requests: times.length }
}

/** How often each large table was read completely since the server started. */
async function wholeReads(db: Db): Promise<Map<string, number>> {
  await db.raw('select pg_stat_force_next_flush()')
  const rows = await db.rows<{ table: string; count: number }>(sql`
    select s.schemaname || '.' || s.relname as table, s.seq_scan as count
    from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where c.reltuples > ${LARGE_ROWS}`)
  return new Map(rows.map(({ table, count }) => [table, count]))
}

function printHead(bare: Durations): void {
  console.log(`\n${'page'.padEnd(96)}   median      p99  ratio to a bare page`)
  printLine(BARE, bare, bare)
}

/** Prints the durations of a view, and returns whether they exceed the limits. */
function printLine(path: string, { median, p99 }: Durations, bare: Durations): boolean {
  const is_slow = median > MEDIAN_MS || p99 > P99_MS
  const ratio = (median / bare.median).toFixed(1).padStart(6)
  const figures = `${median.toFixed(1).padStart(8)} ${p99.toFixed(1).padStart(8)} ${ratio}`
  console.log(`${path.padEnd(96)} ${figures}${is_slow ? '  slow' : ''}`)
  return is_slow
}
