import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as payouts from '#domain/payouts'
import type { PayoutId } from '#platform/ids'
import { type Sql, sql } from '#platform/sql'
import { statementCsv, statementPdf } from '../../src/surfaces/payouts/statement.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { buyAndRefundTwice } from '../support/excess.ts'
import { testId } from '../support/ids.ts'
import { payeeOf } from '../support/payees.ts'
import { readPdf } from '../support/pdf.ts'
import { reading } from '../support/planning.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'

const LINES = 250
const MANY_LINES = 2250
const RECEIPTS = 30

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

/** Too many to be summed each time a page is opened. */
const TOO_MANY_LINES = 5_001

/** Puts a payout with many lines on record. */
async function payMany(lines = LINES): Promise<PayoutId> {
  const { db, clock } = service.world
  const { owner, account } = await payeeOf(service, 'seller')
  const now = clock.now()
  const id = testId(`po_${String(lines).padStart(22, '0')}`)
  const name = sql`${`many-${lines}-`}::text || n`
  await db.run(sql`insert into ledger_transactions (id, at, event, subject)
    select ${name}, ${now}, 'sale', ${name} from generate_series(1, ${lines}::int) n`)
  await db.run(sql`insert into ledger_entries
      (transaction_id, position, account, owner, amount, currency)
    select ${name}, p, case p when 1 then ${account} else 'bank' end,
      case p when 1 then ${owner} else '' end, case p when 1 then -100 else 100 end, 'usd'
    from generate_series(1, ${lines}::int) n, generate_series(1, 2) p`)
  await db.run(sql`insert into payouts (id, owner, account, amount, cause, status, created_at)
    values (${id}, ${owner}, ${account}, ${lines * 100}, 'request', 'paid', ${now})`)
  await db.run(sql`insert into payout_lines (transaction_id, position, payout_id, line)
    select ${name}, 1, ${id}, n from generate_series(1, ${lines}::int) n`)
  await payouts.recordGross(db, id)
  return id
}

// F28
test('a long payout statement has pages, and its files are complete', async () => {
  const path = `/dashboard/payouts/${await payMany()}/`
  const agent = await signedIn(service, service.demo.seller)
  const rows = () => agent.page.body.match(/<tr/g)!.length - 2
  await agent.open(path)
  assert.equal(rows(), 100)
  assert.match(agent.text, /Total of all pages \$250\.00 \$0\.00 \$250\.00/)
  await agent.press('Next')
  await agent.press('Next')
  assert.match(agent.text, /Page 3 of 3/)
  assert.equal(rows(), 50)
  const longer = `/dashboard/payouts/${await payMany(TOO_MANY_LINES)}/`
  await agent.open(longer)
  assert.match(agent.text, /Total of all pages \$5,001\.00 \$0\.00 \$5,001\.00/)
  await agent.open(`${path}?page=99`)
  assert.match(agent.text, /Page 3 of 3/)
  const csv = await agent.open(`${path}statement.csv`)
  assert.equal(csv.body.trim().split('\r\n').length, LINES + 1)
  const pdf = await agent.open(`${path}statement.pdf`)
  assert.equal(pdf.status, 200)
})

test('the files of a longer statement are read in parts, and are complete', async () => {
  const { world } = service
  const { db } = world
  const id = await payMany(MANY_LINES)
  const payout = (await payouts.payoutsOf(db, await payeeOf(service, 'seller'), { limit: 2 })).find(
    (each) => each.id === id,
  )!
  const counts: number[] = []
  const rows = async <Row>(query: Sql) => {
    const read = await db.rows<Row>(query)
    counts.push(read.length)
    return read
  }
  const counted = { ...world, db: { ...db, rows } } as typeof world
  let csv = ''
  for await (const part of statementCsv(counted, 'seller', payout)) csv += part
  assert.equal(new Set(csv.match(/many-2250-\d+/g)).size, MANY_LINES)
  assert.deepEqual(counts, [1000, 1000, 250])
  const { text } = await readPdf(await statementPdf(counted, 'seller', payout))
  assert.equal(text.match(/\$1\.00 \$0\.00 \$1\.00/g)?.length, MANY_LINES)
  assert.match(text, /Total \$2,250\.00 \$0\.00 \$2,250\.00/)
})

test('the payouts of a seller and of an affiliate have pages', async () => {
  const { db, clock } = service.world
  for (const kind of ['seller', 'affiliate'] as const) {
    const { owner, account } = await payeeOf(service, kind)
    await db.run(sql`insert into payouts (id, owner, account, amount, cause, status, created_at)
      select 'po_' || ${kind}::text || n, ${owner}, ${account}, 2500 + n, 'weekly', 'paid',
        ${clock.now()} from generate_series(1, 120) n`)
    const agent = await signedIn(service, service.demo[kind])
    await agent.open(kind === 'seller' ? '/dashboard/payouts/' : '/affiliate/')
    const amounts = () =>
      [...agent.page.body.matchAll(/Payout \d+: \$(\d+\.\d\d)/g)].map(([, amount]) => amount)
    const pages = [amounts()]
    while (/>\s*Older\s*</.test(agent.page.body)) {
      await agent.press('Older')
      pages.push(amounts())
    }
    assert.deepEqual(
      pages.slice(0, 2).map((page) => page.length),
      [50, 50],
    )
    const all = Array.from({ length: 120 }, (_, index) => (26.2 - index / 100).toFixed(2))
    assert.deepEqual(pages.flat().slice(0, 120), all)
    await agent.press('Latest')
    assert.equal(amounts()[0], '26.20')
  }
})

const COMMISSIONS = 50_000

/** Posts commissions of 1 cent, 2 cents and so on to the cast's affiliate, one an hour. */
async function earnMany(): Promise<payouts.Payee> {
  const { db, clock } = service.world
  const payee = await payeeOf(service, 'affiliate')
  await db.tx(
    async (tx) => {
      await tx.run(sql`insert into ledger_transactions (id, at, event, subject)
        select 'earned-' || n, ${clock.now()}::timestamptz - (50001 - n) * interval '1 hour', 'sale',
          'earned-' || n from generate_series(1, ${COMMISSIONS}::int) n`)
      await tx.run(sql`insert into ledger_entries
          (transaction_id, position, account, owner, amount, currency)
        select 'earned-' || n, p, case p when 1 then ${payee.account} else 'fees' end,
          case p when 1 then ${payee.owner} else '' end, case p when 1 then -n else n end, 'usd'
        from generate_series(1, ${COMMISSIONS}::int) n, generate_series(1, 2) p order by n.n`)
    },
    { patient: true },
  )
  await db.raw('vacuum analyze ledger_entries, ledger_transactions')
  return payee
}

// Point 13 of issue 11
test('the commissions of an affiliate continue after a line, and no page reads all of them', async () => {
  const payee = await earnMany()
  const agent = await signedIn(service, service.demo.affiliate)
  const shown = () => {
    const [list = ''] = /<section id="commissions".*?<\/table>/s.exec(agent.page.body) ?? []
    return [...textOf(list).matchAll(/\$([\d,]+\.\d\d)/g)].map(([, amount]) => amount)
  }
  await agent.open('/affiliate/')
  assert.deepEqual([shown().length, shown()[0], shown().at(-1)], [50, '500.00', '499.51'])
  await agent.press('Older')
  assert.deepEqual([shown().length, shown()[0], shown().at(-1)], [50, '499.50', '499.01'])
  await agent.press('Latest')
  assert.equal(shown()[0], '500.00')
  const { db } = service.world
  const { before } = await db.one<{ before: number }>(sql`select number as before
    from ledger_entries where transaction_id = 'earned-30' and position = 1`)
  const last = await payouts.accountLines(db, payee, { limit: 51, before })
  assert.deepEqual(
    last.map(({ amount }) => amount),
    Array.from({ length: 29 }, (_, index) => 29 - index),
  )
  await agent.open('/affiliate/?before=x')
  assert.equal(shown()[0], '500.00')

  const most: number[] = []
  for (const number of [undefined, 60_000]) {
    const page = { limit: 51, before: number }
    await payouts.accountLines(reading(db, most), payee, page)
  }
  assert.ok(Math.max(...most) <= 51, `${most} rows were read for a page`)
})

/** Copies the invoice of a subscriber's purchase, day by day. */
async function payDaily({ license_id }: Subscriber, count = RECEIPTS): Promise<void> {
  const { db } = service.world
  const columns = await db.rows<{ name: string }>(sql`select column_name as name
    from information_schema.columns where table_name = 'invoices' and table_schema = 'public'
      and is_generated = 'NEVER'`)
  const changed: Record<string, string> = {
    id: "'inv_' || lpad(number || '0' || n, 22, '0')",
    number: 'number + n',
    kind: "'renewal'",
    cart_id: 'null',
    period_index: 'period_index + n',
    paid_at: "paid_at + n * interval '1 day'",
  }
  const names = columns.map(({ name }) => name)
  await db.raw(
    `insert into invoices (${names.join(', ')}) overriding system value
     select ${names.map((name) => changed[name] ?? name).join(', ')}
     from invoices, generate_series(1, ${count - 1}) n where license_id = $1`,
    [license_id],
  )
  await db.raw("select setval('invoice_numbers', (select max(number) from invoices))")
}

test('a long list of receipts has pages on the manage page, newest first', async () => {
  const subscriber = await subscribe(service)
  await payDaily(subscriber)
  const { agent, app } = subscriber
  const shown = () => agent.page.body.match(/Receipt \(PDF\)/g)?.length
  await agent.open(`/manage/${app.client_id}/?next=${encodeURIComponent('http://localhost:4999/')}`)
  assert.equal(shown(), 12)
  await agent.press('Next')
  await agent.press('Next')
  assert.match(agent.text, /Page 3 of 3/)
  assert.equal(shown(), 6)
  assert.match(agent.text, /purchase March 10, 2026/)
  assert.match(agent.page.url, /next=http/, 'the way back to the app stays')
})

/** What the panel with an id shows on each of its pages. */
async function pagesOf(agent: Agent, path: string, id: string, item: RegExp): Promise<string[][]> {
  const shown = () => {
    const [, after = ''] = agent.page.body.split(`<section id="${id}"`)
    const [panel = ''] = after.split('<section id=')
    return { items: [...panel.matchAll(item)].map(([found]) => found), panel }
  }
  await agent.open(path)
  const pages = [shown().items]
  for (;;) {
    const [, older] = /href="([^"]+)"[^>]*>\s*Older/.exec(shown().panel) ?? []
    if (!older) break
    await agent.open(older.replaceAll('&amp;', '&'))
    assert.match(agent.page.body, /href="[^"]*"[^>]*>(<svg.*?<\/svg>)?\s*Latest/s)
    pages.push(shown().items)
  }
  return pages
}

/** The sizes of pages whose items are all different. */
function sizesOf(pages: string[][]): number[] {
  assert.equal(new Set(pages.flat()).size, pages.flat().length, 'no item is on two pages')
  return pages.map(({ length }) => length)
}

test('the payouts and the activity on staff’s page of a seller have pages', async () => {
  const { db, clock } = service.world
  const { owner, account } = await payeeOf(service, 'affiliate')
  const { owner: seller_id } = await payeeOf(service, 'seller')
  await db.run(sql`insert into payouts (id, owner, account, amount, cause, status, created_at)
    select 'po_of_other_' || n, ${owner}, ${account}, 90000 + n, 'weekly', 'paid', ${clock.now()}
    from generate_series(1, 5) n`)
  await db.run(sql`insert into audit_log (at, actor, action, subject, detail, channel, seller_id)
    select ${clock.now()}::timestamptz + n * interval '1 minute', 'command', 'app.restored',
      'app_' || n, '{}', 'command', ${seller_id} from generate_series(1, 25) n`)
  const staff = await signedIn(service, service.demo.operator)
  const path = `/admin/sellers/${seller_id}/`
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from payouts where owner = ${seller_id}`,
  )
  const payoutPages = await pagesOf(staff, path, 'payouts', /payout \d+/g)
  assert.equal(sizesOf(payoutPages)[0], 10)
  assert.equal(payoutPages.flat().length, count)
  const activity = await pagesOf(staff, path, 'activity', /app_\d+</g)
  assert.deepEqual(sizesOf(activity.slice(0, 3)), [10, 10, 5])
  assert.ok(staff.text.includes('Latest'))
})

test('the invoices and the timeline of a customer have pages', async () => {
  const subscriber = await subscribe(service)
  await payDaily(subscriber, 70)
  const { slug } = service.demo.app
  const agent = await signedIn(service, service.demo.seller)
  const path = `/dashboard/apps/${slug}/customers/${subscriber.license_id}/`
  const invoices = await pagesOf(agent, path, 'invoices', /sales\/inv_\w+/g)
  assert.deepEqual(sizesOf(invoices), [50, 20])
  await agent.open(path)
  const headings = [...agent.page.body.matchAll(/<h2[^>]*>([^<]+)/g)].map(([, heading]) => heading)
  const actions = headings.indexOf('Actions')
  assert.ok(actions !== -1 && actions < headings.indexOf('Invoices'), 'a phone shows them first')
  const timeline = await pagesOf(agent, path, 'timeline', /<li/g)
  assert.equal(timeline.length, 2)
  await agent.open(`/dashboard/apps/${slug}/`)
  assert.match(
    agent.page.body,
    new RegExp(`href="/dashboard/apps/${slug}/sales/">Show all in Sales`),
  )
})

test('the settlements of what a buyer received too much have pages', async () => {
  const { db, clock } = service.world
  const bought = await buyAndRefundTwice(service, 500)
  await db.run(sql`insert into excess_repayments
      (id, user_id, amount, way, reference, paid_on, recorded_by, created_at)
    select 'exr_many' || n, ${bought.user_id}, 1, 'check', 'Check ' || n, '2026-03-01', 'usr_1',
      ${clock.now()}::timestamptz - n * interval '1 minute' from generate_series(1, 60) n`)
  const staff = await signedIn(service, service.demo.operator)
  const path = `/admin/excess/${bought.user_id}/`
  assert.deepEqual(sizesOf(await pagesOf(staff, path, 'history', /Check \d+/g)), [50, 10])
})

test('the removed images of an app have pages', async () => {
  const { db, clock } = service.world
  const { client_id, slug } = service.demo.app
  await db.run(sql`insert into app_images
      (id, app_id, kind, alt, width, height, created_at, removed_at, is_restorable)
    select 'img_' || lpad(n::text, 22, '0'), ${client_id}, 'screenshot', 'Removed image ' || n, 640,
      480, ${clock.now()}, ${clock.now()}::timestamptz - n * interval '1 minute', true
    from generate_series(1, 20) n`)
  const agent = await signedIn(service, service.demo.seller)
  const path = `/dashboard/apps/${slug}/listing/images/`
  const pages = await pagesOf(agent, path, 'removed', />Removed image \d+/g)
  assert.deepEqual(sizesOf(pages), [12, 8])
})
