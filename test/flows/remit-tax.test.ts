import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import * as ledger from '#domain/ledger'
import * as tax from '#domain/tax'
import { fileMonth, fileWholeMonth, taxOwed } from '#flows/remit-tax'
import { addSeconds } from '#platform/calendar'
import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { KILL_STRIDE } from '../support/budget.ts'
import { openTestDatabase } from '../support/database.ts'
import { exportBy } from '../support/exports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { killableDatabase, untilKilled } from '../support/killable-database.ts'
import { buy, refund } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let user_id: UserId
before(async () => {
  service = await openTestService({ db: killableDatabase(await openTestDatabase()) })
  const row = sql`select id from users where email_normalized = ${service.demo.operator.email}`
  user_id = (await service.world.db.one<{ id: UserId }>(row)).id
})
after(() => assertInvariantsAndClose(service))

const PLACES = { TX: '78701', NY: '10001', WA: '98101', CA: '94103' } as const

/** The lifetime plan, $180.00 before tax, to a state. */
const sellTo = (state: keyof typeof PLACES) =>
  buy(service, { price: 2, address: { country: 'US', zip: PLACES[state] } })
/** Lets time pass to the first of a month, and the hour until the month before can be filed. */
const toMonth = (month: string) => {
  const at = new Date(`${month}-01T01:00:00Z`)
  service.clock.pass((at.getTime() - service.clock.now().getTime()) / 1000)
}
const file = (state: string, month: string, filing_reference = `${state}-1`) =>
  fileMonth(
    service.world,
    { kind: 'staff', user_id, request_id: 'req_1' },
    { state, month, filing_reference },
  )
const owedTo = async (state: string) =>
  (await taxOwed(service.world, { state })).map(({ month, collected, carried, amount, status }) => [
    month,
    collected,
    carried,
    amount,
    status,
  ])
const payableTo = (state: string) =>
  ledger.balanceOf(service.world.db, 'tax_payable', `US-${state}`)

describe('a state’s month', () => {
  test('is filed once it is over, with the tax of its sales', async () => {
    const bought = await sellTo('TX')
    await sellTo('NY')
    await sellTo('CA')
    assert.deepEqual(await owedTo('TX'), [['2026-03', 900, 0, 900, 'open']])
    assert.deepEqual(await owedTo('CA'), [], 'California taxes no software')
    assert.deepEqual(await file('TX', '2026-03'), { outcome: 'open' })
    toMonth('2026-04')
    // Given back in April: it lessens April, not March.
    await refund(service, bought)
    const filed = await file('TX', '2026-03', 'TX-WEBFILE-77')
    assert.ok(filed.outcome === 'filed')
    const { id, state, month, collected, carried, amount } = filed.remittance
    assert.deepEqual([state, month, collected, carried, amount], ['TX', '2026-03', 900, 0, 900])
    assert.equal(await payableTo('TX'), 900, 'what went back since is owed by the state')
    const [entry] = await service.world.db.rows<{ actor: string; detail: object }>(
      sql`select actor, detail from audit_log where subject = ${id}`,
    )
    assert.deepEqual(entry, {
      actor: user_id,
      detail: { state: 'TX', month: '2026-03', amount: 900, filing_reference: 'TX-WEBFILE-77' },
    })
    assert.deepEqual(await file('TX', '2026-03'), { outcome: 'already_filed' })
    assert.deepEqual(await file('WA', '2026-03'), { outcome: 'nothing_collected' })
  })

  test('that is negative is filed as zero, and deducted from the next', async () => {
    toMonth('2026-05')
    assert.deepEqual((await owedTo('TX')).at(-1), ['2026-04', -900, 0, 0, 'due'])
    await sellTo('TX')
    await sellTo('TX')
    toMonth('2026-06')
    assert.deepEqual(await file('TX', '2026-05'), { outcome: 'waiting' })
    const april = await file('TX', '2026-04')
    assert.ok(april.outcome === 'filed' && april.remittance.amount === 0)
    assert.deepEqual((await owedTo('TX')).at(-1), ['2026-05', 1800, -900, 900, 'due'])
    const may = await file('TX', '2026-05')
    assert.ok(may.outcome === 'filed' && may.remittance.amount === 900)
    assert.equal(await payableTo('TX'), 0)
  })

  test('is paid once, even if several people file it at the same time', async () => {
    await sellTo('WA')
    toMonth('2026-07')
    const filed = await Promise.all(Array.from({ length: 6 }, () => file('WA', '2026-06')))
    assert.deepEqual(filed.map(({ outcome }) => outcome).sort(), [
      ...Array(5).fill('already_filed'),
      'filed',
    ])
  })
})

test('a whole month is filed state by state, and continues after an interruption', async () => {
  toMonth('2027-02')
  for (const state of ['TX', 'NY', 'WA'] as const) await sellTo(state)
  toMonth('2027-03')
  const staff = { kind: 'staff', user_id, request_id: 'req_2' } as const
  const order = { month: '2027-02', batch_reference: 'BATCH-9' }
  assert.equal(
    await fileWholeMonth(service.world, staff, order),
    2,
    'New York owes March 2026 first',
  )
  await file('NY', '2026-03')
  const filedStates: string[] = []
  const filed = await fileWholeMonth(service.world, staff, order, async ({ state }) => {
    filedStates.push(state)
  })
  assert.deepEqual([filed, filedStates], [1, ['NY']])
  const filings = await tax.listRemittances(service.world.db, { month: '2027-02' })
  assert.deepEqual(
    filings.map(({ filing_reference }) => filing_reference),
    ['BATCH-9-NY', 'BATCH-9-TX', 'BATCH-9-WA'],
  )
})

describe('the operator’s pages', () => {
  let agent: Agent
  beforeEach(async () => {
    agent = await signedIn(service, service.demo.operator)
  })

  test('are for staff only', async () => {
    for (const who of [service.demo.seller, service.demo.buyer]) {
      const other = await signedIn(service, who)
      assert.equal((await other.open('/admin/tax/')).status, 404)
      assert.equal((await other.open('/admin/tax/2026-03/')).status, 404)
      await other.open('/account/security/')
      const csrf_token = other.form(/./).csrf_token!
      const refused = await service.app.inject({
        method: 'POST',
        url: '/admin/tax/2026-03/export',
        headers: {
          cookie: other.cookie,
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: new URLSearchParams({ csrf_token, of: 'states' }).toString(),
      })
      assert.equal(refused.statusCode, 404)
    }
  })

  test('show every month, and require a confirmation number', async () => {
    await sellTo('TX')
    toMonth('2027-04')
    agent = await signedIn(service, service.demo.operator)
    const page = await agent.open('/admin/tax/')
    // F4
    assert.match(textOf(page.body), /County and city taxes are not collected/)
    assert.match(textOf(page.body), /March 2027 \$9\.00 .*\$9\.00 Due/)
    await agent.open('/admin/tax/2027-03/TX/')
    await agent.submit('File and pay', { filing_reference: ' ' })
    assert.equal(agent.page.status, 422)
    assert.match(agent.text, /Enter the state’s confirmation number/)
    await agent.submit('File and pay', { filing_reference: 'TX-\u202e321' })
    assert.equal(agent.page.status, 422)
    assert.match(agent.text, /Must not contain control characters\./)
    await agent.submit('File and pay', { filing_reference: 'TX-123' })
    assert.match(agent.text, /Filed and paid\..*Confirmation TX-123/)
    await agent.submit('Save confirmation', { filing_reference: ' ' })
    assert.equal(agent.page.status, 422)
    assert.match(agent.text, /Confirmation TX-123 /)
    await agent.submit('Save confirmation', { filing_reference: 'TX-124' })
    assert.match(agent.text, /Confirmation corrected\..*Confirmation TX-124 /)
    await agent.submit('Save confirmation', { filing_reference: 'TX-124' })
    assert.match(agent.text, /The confirmation is unchanged\./)
    const corrections = await service.world.db.rows<{ detail: object }>(sql`select detail
      from audit_log where action = 'tax.filing_corrected'`)
    assert.deepEqual(
      corrections.map(({ detail }) => detail),
      [
        {
          state: 'TX',
          month: '2027-03',
          former_reference: 'TX-123',
          filing_reference: 'TX-124',
        },
      ],
    )
    assert.equal((await agent.open('/admin/tax/2027-13/')).status, 404)
    assert.equal((await agent.open('/admin/tax/2027-03/ZZ/')).status, 404)
  })

  test('show what a month carries over, and open the invoice of each line', async () => {
    await agent.open('/admin/tax/2026-04/')
    assert.match(agent.text, /TX \$0\.00 .* −\$9\.00 \$0\.00 \$0\.00 −\$9\.00 to later months/)
    await agent.open('/admin/tax/2026-05/')
    assert.match(agent.text, /TX \$360\.00 .* \$18\.00 \$0\.00 −\$9\.00 \$9\.00 Filed/)
    await agent.open('/admin/tax/2026-04/TX/')
    assert.match(
      agent.text,
      /Refunds before tax −\$180\.00 Taxed part of refunds −\$144\.00 Tax charged/,
    )
    const carried = /Carried over from earlier months \$0\.00 Carried over to later months −\$9\.00/
    assert.match(agent.text, carried)
    const [number] = /PUR-\d{6}/.exec(agent.text)!
    await agent.press(number)
    assert.match(agent.text, new RegExp(`Purchase ${number} .*Refunded`))
  })

  test('file all states of a month as one task', async () => {
    for (const state of ['TX', 'NY'] as const) await sellTo(state)
    toMonth('2027-05')
    agent = await signedIn(service, service.demo.operator)
    await agent.open('/admin/tax/2027-04/')
    await agent.submit('File and pay all', { filing_reference: '' })
    assert.equal(agent.page.status, 422)
    assert.match(agent.text, /Enter a batch reference, up to 80 characters\./)
    await agent.submit('File and pay all', { filing_reference: 'APRIL' })
    assert.match(agent.page.url, /^\/tasks\/task_/)
  })

  test('export a month by state and line by line', async () => {
    const bought = await sellTo('NY')
    await refund(service, bought, 9_360)
    await sellTo('CA')
    const exported = async (month: string, button: string) => {
      await agent.open(`/admin/tax/${month}/`)
      return await exportBy(agent, button)
    }
    const { file, rows } = await exported('2027-05', 'Export states (CSV)')
    assert.match(String(file.headers['content-disposition']), /tax-2027-05-states\.csv/)
    assert.deepEqual(
      rows.map(({ state, gross_sales, exempt_or_nontaxable_sales, taxable_sales, rate }) => [
        state,
        gross_sales,
        exempt_or_nontaxable_sales,
        taxable_sales,
        rate,
      ]),
      [
        ['CA', '180.00', '180.00', '0.00', ''],
        ['NY', '180.00', '0.00', '180.00', '4%'],
      ],
    )
    const { tax_charged, refunds_before_tax, tax_refunded, tax_collected_net, net_due } = rows[1]!
    assert.deepEqual(
      [tax_charged, refunds_before_tax, tax_refunded, tax_collected_net, net_due],
      ['7.20', '90.00', '3.60', '3.60', '3.60'],
    )
    const filed = await exported('2026-03', 'Export states (CSV)')
    const texas = filed.rows.find(({ state }) => state === 'TX')!
    assert.deepEqual(
      [texas.taxable_sales, texas.rate, texas.filing_reference, texas.filed_by],
      ['144.00', '6.25%', 'TX-WEBFILE-77', service.demo.operator.email],
    )
    const april = (await exported('2026-04', 'Export states (CSV)')).rows.find(
      ({ state }) => state === 'TX',
    )!
    assert.deepEqual([april.refunds_before_tax, april.taxable_refunds], ['180.00', '144.00'])
    const lines = await exported('2027-05', 'Export transactions (CSV)')
    for (const { invoice_number } of lines.rows) assert.match(invoice_number!, /^PUR-\d{6}$/)
    const figuresOf = (row: Record<string, string>) => [
      row.kind,
      row.state,
      row.amount_before_tax,
      row.taxable_share,
      row.taxable_amount,
      row.rate,
      row.tax,
    ]
    assert.deepEqual(lines.rows.map(figuresOf).sort(), [
      ['refund', 'NY', '-90.00', '100%', '-90.00', '4%', '-3.60'],
      ['sale', 'CA', '180.00', '0%', '0.00', '0%', '0.00'],
      ['sale', 'NY', '180.00', '100%', '180.00', '4%', '7.20'],
    ])
    const march = await exported('2026-03', 'Export transactions (CSV)')
    const ofTexas = march.rows.find(({ state }) => state === 'TX')!
    assert.deepEqual(figuresOf(ofTexas), ['sale', 'TX', '180.00', '80%', '144.00', '6.25%', '9.00'])
  })

  test('show twelve months at a time, and what is not filed of the others on each page', async () => {
    const latest = await agent.open('/admin/tax/')
    assert.match(textOf(latest.body), /May 2027 /)
    assert.doesNotMatch(textOf(latest.body), /May 2026 |Other months/)
    assert.ok(latest.body.includes('href="/admin/tax/?below=2026-06"'))
    const earlier = textOf((await agent.open('/admin/tax/?below=2026-06')).body)
    assert.match(earlier, /Other months that are not filed April 2027 \$\d+\.\d\d 2 states View/)
    assert.match(earlier, /March 2026 \$0\.00 .*\$9\.00 Filed/)
    assert.match(textOf((await agent.open('/admin/tax/?below=2020-01')).body), /No tax in these/)
    assert.match(textOf((await agent.open('/admin/tax/?below=2020-13')).body), /May 2027 /)
  })

  test('keep the confirmation of who filed first, and say so to the other', async () => {
    await agent.open('/admin/tax/2027-04/TX/')
    assert.match(agent.text, /Amount due \$9\.00 File/)
    const other = await agent.openTab('/admin/tax/2027-04/TX/')
    await agent.submit('File and pay', { filing_reference: 'TX-4' })
    assert.match(agent.text, /Amount paid \$9\.00 Filed Confirmation TX-4 /)
    assert.doesNotMatch(agent.text, /Amount due/)
    await other.submit('File and pay', { filing_reference: 'TX-5' })
    assert.match(other.text, /already filed\. The number that you entered was not saved\./)
    assert.match(other.text, /Confirmation TX-4 /)
  })
})

test('a filing that is killed at any step pays its month once', async () => {
  toMonth('2028-01')
  for (let last = 1, killed = true; killed; last += KILL_STRIDE) {
    await sellTo('WA')
    const month = tax.monthOf(service.clock.now())
    const begin = addSeconds(tax.endOfMonth(month), 3600)
    service.clock.pass((begin.getTime() - service.clock.now().getTime()) / 1000)
    killed = (await untilKilled(last, () => file('WA', month))).killed
    assert.match((await file('WA', month)).outcome, killed ? /filed$/ : /^already_filed$/)
    assert.equal(await payableTo('WA'), 0)
    assert.ok(killed || last > 8, `it took only ${last} steps`)
  }
})

// R14: sums instead of a million lines
describe('the sums of tax', () => {
  const everyMonth = async (of: { state?: string } = {}) => {
    const months = { first: '0000-00', last: '9999-99' }
    const found = await tax.taxByMonth(service.world.db, { ...of, months })
    return found.map(({ carried: _, ...month }) => month)
  }
  const figuresOf = async (month: string) => {
    const { db } = service.world
    const lines = await tax.taxLines(db, { month, state: 'TX', limit: 100, offset: 0 })
    return {
      by_month: await everyMonth(),
      of_texas: await everyMonth({ state: 'TX' }),
      report: await tax.taxReport(db, month),
      lines: lines.map(({ transaction_id }) => transaction_id),
    }
  }

  test('are exact before, while and after lines are added to them', async () => {
    const { db } = service.world
    toMonth('2028-01')
    const bought = await sellTo('TX')
    await refund(service, bought, 500)
    await sellTo('CA')
    const before = await figuresOf('2028-01')
    assert.deepEqual(before.by_month, await tax.taxInLedger(db))
    assert.deepEqual(
      before.of_texas,
      before.by_month.filter(({ state }) => state === 'TX'),
    )
    assert.equal(before.lines.length, 2)
    const texas = before.report.find(({ state }) => state === 'TX')
    assert.deepEqual(
      { lines: texas?.lines, sales: texas?.sales, rates: texas?.rates },
      { lines: 2, sales: 18_000, rates: [62_500] },
    )
    for (let taken = 1; taken > 0; ) {
      taken = await tax.sumTaxes(db, 5)
      assert.deepEqual(await figuresOf('2028-01'), before)
    }
    assert.deepEqual(await tax.findWrongSums(db), [])
    await sellTo('TX')
    assert.equal((await figuresOf('2028-01')).lines.length, 3, 'the latest sale counts at once')
  })

  test('count each line once, with any number of concurrent processes', async () => {
    const { db } = service.world
    for (let sale = 0; sale < 3; sale++) await sellTo('NY')
    const taken = await Promise.all(Array.from({ length: 6 }, () => tax.sumTaxes(db, 2)))
    assert.ok(taken.reduce((one, two) => one + two) <= 4, `took ${taken}`)
    while ((await tax.sumTaxes(db, 100)) > 0);
    assert.deepEqual(await tax.findWrongSums(db), [])
    assert.deepEqual(await everyMonth(), await tax.taxInLedger(db))
  })
})
