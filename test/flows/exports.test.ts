import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { declareExport, type Export } from '#http/exports'
import { startTask } from '#http/tasks'
import { type InvoiceId, parseId, type SellerId, type TaskId, type UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { findFile, sweepFiles } from '#platform/task-files'
import type { TaskName } from '#platform/tasks'
import { signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { eventually } from '../support/eventually.ts'
import { exportBy } from '../support/exports.ts'
import { buyer } from '../support/purchase.ts'
import { buy } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SALES = '/dashboard/apps/tidepool/sales/'
const DAY = 86_400

let service: TestService
let seller: Agent
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  seller = await signedIn(service, service.demo.seller)
})
// Bulk rows exist in this table only, so the invariants do not apply.
after(() => service.close())

const userOf = async (who: 'seller' | 'operator') =>
  (
    await service.world.db.one<{ id: UserId }>(
      sql`select id from users where email_normalized = ${service.demo[who].email}`,
    )
  ).id

/** Copies an invoice with its postings, all at the same time. */
async function multiply({ db }: World, invoice_id: InvoiceId, copies: number): Promise<void> {
  await db.run(sql`insert into carts select (jsonb_populate_record(c, jsonb_build_object(
      'id', c.id || '_' || copy))).*
    from carts c, generate_series(1, ${copies}::int) copy
    where c.id = (select cart_id from invoices where id = ${invoice_id})`)
  await db.run(sql`insert into invoices select (jsonb_populate_record(i, jsonb_build_object(
      'id', i.id || '_' || copy, 'number', nextval('invoice_numbers'),
      'cart_id', i.cart_id || '_' || copy, 'order_id', i.order_id || '_' || copy))).*
    from invoices i, generate_series(1, ${copies}::int) copy where i.id = ${invoice_id}`)
  await db.run(sql`insert into ledger_transactions (id, at, event, subject)
    select t.id || '_' || copy, t.at, t.event, t.subject || '_' || copy
    from ledger_transactions t, generate_series(1, ${copies}::int) copy
    where t.event = 'sale' and t.subject = ${invoice_id}`)
}

describe('an export', () => {
  // Threat 47
  test('deletes the oldest files of its account beyond ten, and of no other', async () => {
    const { db } = service.world
    const files = async (user_id: UserId) =>
      await db.rows<{ task_id: TaskId }>(sql`select f.task_id from task_files f
        join tasks t on t.id = f.task_id where t.user_id = ${user_id} order by f.made_at`)
    const other = await signedIn(service, service.demo.operator)
    await other.open('/admin/audit/')
    await exportBy(other, 'Export CSV')
    const agent = seller.twin()
    const urls: string[] = []
    for (let at = 0; at < 12; at++) {
      await agent.open('/dashboard/apps/driftlog/sales/')
      const { task_url } = await exportBy(agent, 'Export CSV')
      urls.push(task_url)
      service.clock.pass(1)
    }
    assert.equal((await files(await userOf('seller'))).length, 10)
    assert.equal((await files(await userOf('operator'))).length, 1)
    for (const [at, status] of [
      [0, 410],
      [1, 410],
      [2, 200],
      [11, 200],
    ] as const) {
      assert.equal((await agent.open(`${urls[at]}ready/`)).status, status, String(at))
    }
    await agent.open(`${urls[0]}ready/`)
    assert.match(agent.text, /kept for 7 days, the latest 10 of each account/)
  })

  test('of nothing is only a header', async () => {
    const agent = seller.twin()
    await agent.open('/dashboard/apps/driftlog/sales/')
    const { file, rows } = await exportBy(agent, 'Export CSV')
    assert.equal(rows.length, 0)
    assert.match(file.body, /^invoice,date,status,[^\r]+\r\n$/)
  })

  test('of several thousand invoices lists each once, newest first', async () => {
    const { invoice_id } = await buy(service, { price: 2 })
    await multiply(service.world, invoice_id, 2_345)
    const agent = seller.twin()
    await agent.open(SALES)
    const { file, rows } = await exportBy(agent, 'Export CSV')
    assert.equal(rows.length, 2_346)
    assert.equal(new Set(rows.map((row) => row.invoice_id)).size, 2_346)
    const listed = rows.map((row) => row.invoice!)
    assert.deepEqual(listed, [...listed].sort().reverse())
    assert.equal(file.body.match(/^invoice,/gm)?.length, 1)
    assert.equal(file.headers['content-length'], String(Buffer.byteLength(file.body)))
    assert.match(String(file.headers['content-type']), /^text\/csv/)
    assert.equal(file.headers['content-disposition'], 'attachment; filename="tidepool-sales.csv"')
    assert.equal(file.headers['cache-control'], 'no-store')
    assert.equal(file.headers['x-content-type-options'], 'nosniff')
    await agent.open(SALES)
    await agent.runTask('Export CSV')
    assert.match(agent.text, /Rows 2,346 Size [\d.]+ [KM]B Expires March 17, 2026/)
  })

  test("of a month's tax lists each line once, even if all have the same time", async () => {
    const agent = await signedIn(service, service.demo.operator)
    await agent.open('/admin/tax/2026-03/')
    const { rows } = await exportBy(agent, 'Export transactions (CSV)')
    assert.equal(rows.length, 2_346)
    assert.equal(new Set(rows.map((row) => row.transaction_id)).size, 2_346)
    await agent.open('/admin/tax/2026-03/')
    const states = await exportBy(agent, 'Export states (CSV)')
    assert.deepEqual(
      states.rows.map(({ state, gross_sales }) => [state, gross_sales]),
      [['TX', (2_346 * 180).toFixed(2)]],
    )
  })

  test('is visible only to its owner, and to staff only while they are staff', async () => {
    const agent = seller.twin()
    await agent.open(SALES)
    const own = await exportBy(agent, 'Export CSV')
    const staff = await signedIn(service, service.demo.operator)
    await staff.open('/admin/tax/2026-03/')
    const taxExport = await exportBy(staff, 'Export states (CSV)')
    for (const path of ['', 'ready/', 'file']) {
      assert.equal((await staff.open(own.task_url + path)).status, 404, path)
      assert.equal((await seller.twin().open(taxExport.task_url + path)).status, 404, path)
      const other = buyer(service)
      assert.match((await other.open(own.task_url + path)).url, /^\/signin\//, path)
    }
    const rank = (role: string | null) =>
      service.world.db.run(sql`update users set staff_role = ${role}
        where email_normalized = ${service.demo.operator.email}`)
    for (const role of [null, 'support']) {
      await rank(role)
      assert.equal((await staff.open(`${taxExport.task_url}file`)).status, 404)
    }
    await rank('finance')
    assert.equal((await staff.open(`${taxExport.task_url}file`)).status, 200)
  })

  test('of an app is visible only to a member of its seller', async () => {
    const { db } = service.world
    const { email, agent } = await signUp(service)
    const { seller_id } = await db.one<{ seller_id: SellerId }>(
      sql`select seller_id from apps where slug = 'tidepool'`,
    )
    const user_id = (await identity.findByEmail(db, email))!.id
    const member = { seller_id, user_id, role: 'support' } as const
    await sellers.addMember(db, service.clock.now(), member)
    for (const list of ['sales', 'customers', 'licenses', 'subscriptions']) {
      await agent.open(`/dashboard/apps/tidepool/${list}/`)
      const { task_url } = await exportBy(agent, 'Export CSV')
      await sellers.removeMember(db, member)
      for (const path of ['ready/', 'file']) {
        assert.equal((await agent.open(task_url + path)).status, 404, list)
      }
      await sellers.addMember(db, service.clock.now(), member)
      assert.equal((await agent.open(`${task_url}file`)).status, 200, list)
    }
  })

  test('is kept for seven days; then its page says so and links back', async () => {
    const { db } = service.world
    const agent = seller.twin()
    await agent.open(SALES)
    const { task_url } = await exportBy(agent, 'Export CSV')
    await sweepFiles(db, new Date(service.clock.now().getTime() + (7 * DAY - 1) * 1000))
    assert.equal((await agent.open(`${task_url}file`)).status, 200)
    await sweepFiles(db, new Date(service.clock.now().getTime() + 7 * DAY * 1000))
    const gone = await agent.open(`${task_url}file`)
    assert.deepEqual([gone.status, gone.url], [410, `${task_url}ready/`])
    assert.match(textOf(gone.body), /This export has expired.*kept for 7 days/)
    await agent.press('Back')
    assert.equal(agent.page.url, SALES)
    const { count } = await db.one<{ count: number }>(sql`select count(*) from task_file_parts`)
    assert.equal(count, 0)
  })

  test('that is running is opened, not started again', async () => {
    const { db, clock } = service.world
    const user_id = await userOf('seller')
    await db.run(sql`insert into tasks
      (id, kind, user_id, app_id, request, status, created_at, updated_at)
      select 'task_000000000000000000busy', 'export_sales', ${user_id}, id, '{"slug": "tidepool"}', 'running',
        ${clock.now()}::timestamptz + interval '1 second', ${clock.now()}
      from apps where slug = 'tidepool'`)
    const agent = seller.twin()
    await agent.open(SALES)
    await agent.submit('Export CSV')
    assert.equal(agent.page.url, '/tasks/task_000000000000000000busy/')
    await agent.open('/dashboard/apps/driftlog/sales/')
    await exportBy(agent, 'Export CSV')
  })

  test('is refused after sixty in an hour', async () => {
    const limit = { name: 'exports', points: 60, seconds: 3600 }
    await service.world.limits.consume(limit, await userOf('operator'), 60)
    const agent = await signedIn(service, service.demo.operator)
    await agent.open('/admin/tax/2026-03/')
    const refused = await agent.submit('Export states (CSV)')
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers['retry-after']) > 0)
  })
})

describe('a long export', () => {
  /** Pages that the test releases one by one. */
  class Pages {
    requested = 0
    #gates = [0, 1, 2].map(() => Promise.withResolvers<void>())

    open(page: number) {
      this.#gates[page]!.resolve()
    }

    async *read() {
      for (const [page, gate] of this.#gates.entries()) {
        this.requested++
        await gate.promise
        yield Array.from({ length: 1000 }, (_, row) => `${page * 1000 + row}`)
      }
    }
  }

  const kinds = (async function* () {
    for (let count = 0; ; count++) yield `slow_${count}`
  })()

  /** Starts an export of three pages, and returns its progress page. */
  async function begin(pages: Pages): Promise<{ id: TaskId; url: string }> {
    const { world } = service
    const kind = (await kinds.next()).value as string as TaskName
    const table: Export<string> = {
      kind,
      title: 'Exporting shells',
      columns: [{ name: 'shell', of: (row) => row }],
      nameOf: () => 'shells.csv',
      open: async () => ({ total: 3000, pages: pages.read() }),
      back: () => SALES,
    }
    declareExport(world, table)
    const task = { kind, user_id: await userOf('seller'), app_id: null, request: {} }
    const url = await world.db.tx((tx) => startTask(world, tx, task))
    return { id: parseId('task', url.split('/')[2]!), url }
  }

  const partsOf = async (id: string) =>
    (
      await service.world.db.one<{ count: number }>(
        sql`select count(*) from task_file_parts where task_id = ${id}`,
      )
    ).count

  const statusOf = async (id: string) =>
    (await service.world.db.one<{ status: string }>(sql`select status from tasks where id = ${id}`))
      .status

  test('shows how many rows are done, and keeps one page of them in memory', async () => {
    const pages = new Pages()
    const { id, url } = await begin(pages)
    const agent = seller.twin()
    for (let page = 0; page < 3; page++) {
      await eventually('the next page to be asked for', async () => pages.requested === page + 1)
      const expected = page === 0 ? /0 of 3,000 rows/ : new RegExp(`${page},000 of 3,000 rows`)
      const watched = await agent.open(url)
      assert.equal(watched.status, 202)
      assert.match(textOf(watched.body), expected)
      // The header, and every page before the requested one, are stored by now.
      assert.equal(await partsOf(id), page + 1)
      assert.equal((await agent.open(`${url}file`)).status, 404, 'no part of a file is served')
      assert.equal(await findFile(service.world.db, id), undefined)
      pages.open(page)
    }
    await eventually('the file', async () => (await agent.open(url)).status !== 202)
    assert.match(agent.text, /Your export is ready.*Rows 3,000/)
    const file = await agent.press('Download')
    assert.equal(file.body.split('\r\n').length, 1 + 3000 + 1)
  })

  test('that is stopped leaves no file, and says so', async () => {
    const pages = new Pages()
    const { id, url } = await begin(pages)
    await eventually('the first page to be asked for', async () => pages.requested === 1)
    const agent = seller.twin()
    await agent.open(url)
    const isOver = agent.submit('Stop')
    await eventually('the stop', async () => (await statusOf(id)) === 'failed')
    pages.open(0)
    await isOver
    assert.match(agent.text, /The task was stopped\. No file was created\./)
    assert.equal(await partsOf(id), 0)
    assert.equal((await agent.open(`${url}ready/`)).status, 404)
  })

  test('that fails leaves no file, and can be tried again', async () => {
    const pages = new Pages()
    pages.read = async function* () {
      yield ['1']
      throw new Error('the table cannot be read')
    }
    const { id, url } = await begin(pages)
    const agent = seller.twin()
    await eventually('the end', async () => (await agent.open(url)).status === 200)
    assert.match(
      agent.text,
      /The task failed before it finished\. No file was created\. Try again\./,
    )
    assert.equal(await partsOf(id), 0)
  })
})
