import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payouts from '#domain/payouts'
import * as tax from '#domain/tax'
import type { Database } from '#platform/db'
import type { IdPrefix, InvoiceId } from '#platform/ids'
import { type Cents, cents, formatAmount, parseAmount, sum, ZERO } from '#platform/money'
import { balancesAt } from '../support/balances.ts'
import { openTestDatabase } from '../support/database.ts'
import { testId } from '../support/ids.ts'
import { modelBalance, type PayeeLine } from '../support/payee-balance.ts'

const TEXT = readFileSync(new URL('../../docs/money.md', import.meta.url), 'utf8')
const SELLER = { seller_id: testId('sel_1'), state: 'TX', user_id: testId('usr_1') }
const PAYEE = { owner: testId('sel_1'), account: 'seller_payable' } as const

const FOR_SELLERS = readFileSync(
  new URL('../../docs/site/concepts/money.md', import.meta.url),
  'utf8',
)

type Row = Record<string, string>

/** The tables under a heading, each row by the names of its columns. */
function tablesUnder(heading: string, of = TEXT): Row[][] {
  const begin = of.indexOf(`\n${heading}`)
  assert.ok(begin >= 0, `the document has no "${heading}"`)
  const [, section = ''] = /^\n#.*\n([\s\S]*?)(?=\n##|$(?![\s\S]))/.exec(of.slice(begin))!
  return [...section.matchAll(/(?:^\|.*\|\n?)+/gm)].map(([table]) => {
    const [names = [], , ...rows] = table.trim().split('\n').map(cellsOf)
    return rows.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])))
  })
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())
}

/** `-$1.34` as cents. */
function readMoney(text: string): Cents {
  const amount = parseAmount(text.replace(/^-?\$/, ''))
  assert.ok(amount !== undefined, `"${text}" is an amount`)
  return cents(text.startsWith('-') ? 0 - amount : amount)
}

const show = (amount: number) => `${amount < 0 ? '-' : ''}$${formatAmount(cents(Math.abs(amount)))}`

/** The events of the example: the date, and the posting by the service's own rules. */
const events: { at: Date; heading: string; posting: ledger.Posting }[] = []
const titles = [...TEXT.matchAll(/^### (\d{4}-\d\d-\d\d): (.+)$/gm)].map(
  ([heading, day, text]) => ({
    heading,
    at: new Date(`${day}T12:00:00Z`),
    text: text!,
  }),
)

function divide(price: Cents, at: Date, has_affiliate: boolean) {
  const rule = tax.ruleFor('TX', at.toISOString().slice(0, 10))
  const terms = { brought_by: 'seller', has_add_on: true } as const
  const { fee, fixed_fee, add_on_fee } = billing.feeOn(price, terms)
  return {
    amount: price,
    tax: tax.taxOn(price, rule),
    fee,
    fixed_fee,
    add_on_fee,
    commission: billing.commissionOn(fee, has_affiliate ? testId('aff_1') : null),
  }
}

/** The lines of the seller that no payout of the example includes yet. */
function untaken(taken: Set<string>): PayeeLine[] {
  return events.flatMap(({ at, posting: { event, subject, lines } }) =>
    lines
      .filter(({ account }) => account === 'seller_payable' && event !== 'payout')
      .map(({ amount }) => ({
        transaction_id: testId(`txn_${subject}`),
        position: 1,
        at,
        event,
        amount,
        invoice_id: saleOf(event, subject, at),
      }))
      .filter(({ transaction_id }) => !taken.has(transaction_id)),
  )
}

/** The sale that an event is about. */
function saleOf(event: string, subject: string, at: Date): InvoiceId | null {
  if (event === 'sale') return sales.find((each) => each === subject) ?? null
  if (event === 'refund') return sales[2]!
  return event.startsWith('dispute') ? sales[at.getUTCMonth() < 5 ? 1 : 3]! : null
}

const sales: InvoiceId[] = []
const invoices: ReturnType<typeof divide>[] = []
const taken = new Set<string>()
let paid: ledger.PaidOut | undefined
let refunded = billing.NO_REVERSAL
const filed: tax.Filed[] = []

/** The posting of one event of the document. */
function postingOf(text: string, at: Date, tables: Row[][]): ledger.Posting {
  const subject = <Prefix extends IdPrefix>(prefix: Prefix) =>
    testId<Prefix>(`${prefix}_${events.length}`)
  const parties = { ...SELLER, affiliate_id: testId('aff_1') }
  if (/sale|renews/.test(text) && !/disputed/.test(text)) {
    const price = readMoney(tables[0]![0]!.price!)
    const invoice = divide(price, at, !/without/.test(text))
    invoices.push(invoice)
    const invoice_id = subject('inv')
    sales.push(invoice_id)
    return ledger.sale({ ...invoice, ...parties, invoice_id, is_waived: false })
  }
  if (/refunded/.test(text)) {
    const renewal = invoices[2]!
    const parts = billing.reversalOf(renewal, refunded, readMoney(tables[0]![0]!.refunded!))
    refunded = billing.sumReversals(refunded, parts)
    const amount = cents(parts.amount - parts.tax)
    return ledger.refund({ ...parts, ...parties, amount, refund_id: subject('ref') })
  }
  if (/payout/.test(text) && !/back/.test(text)) {
    const { total, lines } = modelBalance(at, PAYEE, untaken(taken))
    assert.ok(payouts.isPayable(total))
    for (const { transaction_id } of lines) taken.add(transaction_id)
    paid = { ...PAYEE, payout_id: subject('po'), amount: total }
    return ledger.payout(paid)
  }
  if (/back/.test(text)) return ledger.payoutFailed({ ...paid!, payout_id: subject('po') })
  if (/dispute/.test(text)) {
    const invoice = at.getUTCMonth() < 5 ? invoices[1]! : invoices[3]!
    const facts = {
      ...invoice,
      ...parties,
      dispute_id: subject('dsp'),
      owed: ZERO,
      cost: billing.DISPUTE_COST,
    }
    if (/disputed/.test(text)) return ledger.disputeOpened(facts)
    return /won/.test(text) ? ledger.disputeWon(facts) : ledger.disputeLost(facts)
  }
  if (/filed/.test(text)) {
    const owed = tax
      .liabilitiesOf(at, monthsUntil(at), filed)
      .filter(({ status }) => status !== 'open')
    for (const { state, month, collected, carried, amount } of owed.slice(filed.length)) {
      filed.push({ state, month, collected, carried, amount })
    }
    return ledger.remittance({
      remittance_id: subject('rem'),
      state: 'TX',
      amount: filed.at(-1)!.amount,
    })
  }
  assert.match(text, /written off/)
  const amount = cents(0 - modelBalance(at, PAYEE, untaken(taken)).total)
  return ledger.writeOff({ ...PAYEE, write_off_id: subject('wof'), amount })
}

function monthsUntil(at: Date): tax.StateMonth[] {
  const months = new Map<string, tax.StateMonth>()
  for (const each of events.filter((event) => event.at <= at)) {
    if (each.posting.event === 'remittance') continue
    for (const { account, amount } of each.posting.lines) {
      if (account !== 'tax_payable') continue
      const month = tax.monthOf(each.at)
      const before = months.get(month)?.collected ?? ZERO
      months.set(month, { state: 'TX', month, collected: cents(before - amount) })
    }
  }
  return [...months.values()]
}

describe('the document of money', () => {
  for (const { heading, at, text } of titles) {
    test(`is correct about ${at.toISOString().slice(0, 10)}, ${text}`, () => {
      const tables = tablesUnder(heading)
      const posting = postingOf(text, at, tables)
      events.push({ at, heading, posting })
      const table = tables.find(([row]) => row && 'debit' in row)!
      assert.deepEqual(
        table,
        posting.lines.map(({ account, amount }) => ({
          account,
          debit: amount > 0 ? show(amount) : '',
          credit: amount < 0 ? show(0 - amount) : '',
        })),
      )
      const [figures] = tables[0]!
      if (posting.event === 'sale') {
        const { amount, tax, fee, add_on_fee, commission } = invoices.at(-1)!
        const all = [amount, tax, sum(amount, tax), fee, add_on_fee, commission, amount - fee]
        assert.deepEqual(Object.values(figures!), all.map(show))
      }
      if (posting.event === 'refund') {
        const before = tables[0]![0]!
        const part = (account: string) =>
          posting.lines.find((line) => line.account === account)?.amount ?? 0
        const fee = part('fees') + part('add_on_fees') + part('affiliate_payable')
        const all = [
          readMoney(before.refunded!),
          part('tax_payable'),
          fee,
          part('add_on_fees'),
          part('affiliate_payable'),
          part('seller_payable'),
        ]
        assert.deepEqual(Object.values(before), all.map(show))
      }
    })
  }

  test('is correct about the Mondays on which a debt was carried over', () => {
    const taken_by_then = new Set([0, 1, 3].map((index) => `txn_${events[index]!.posting.subject}`))
    for (const { Monday, counts, paid } of tablesUnder('## May')[0]!) {
      const at = new Date(`${Monday}T00:00:00Z`)
      const known = untaken(taken_by_then).filter((line) => line.at <= at)
      const { total } = modelBalance(at, PAYEE, known)
      assert.equal(show(total), counts)
      assert.equal(payouts.isPayable(total) ? show(total) : '', paid)
    }
  })

  test('is correct about the tax due to the state for each month', () => {
    const [, table] = tablesUnder('### 2026-06-20')
    const months = [
      ...monthsUntil(new Date('2026-12-01')),
      { state: 'TX', month: '2026-07', collected: ZERO },
    ]
    const owed = tax.liabilitiesOf(new Date('2026-12-01'), months, [])
    assert.deepEqual(
      table,
      owed.map(({ month, collected, carried, amount }) => ({
        month,
        collected: show(collected),
        carried: show(carried),
        paid: show(amount),
      })),
    )
  })

  // M5
  test('is correct about a closed day at the processor', () => {
    const [moved = [], table, explained] = tablesUnder('## A closed day')
    const amounts = (kind: string) =>
      sum(
        ZERO,
        ...moved.filter((row) => row.movement === kind).map((row) => readMoney(row.amount!)),
      )
    const fees = (kind: string) =>
      sum(
        ZERO,
        ...moved.filter((row) => row['kind of fee'] === kind).map((row) => readMoney(row.fee!)),
      )
    const booked = { id: testId('sbk_1'), account: 'bank', amount: amounts('other') } as const
    const rowsOf = ({ lines }: ledger.Posting) =>
      lines.map(({ account, amount }) => ({
        account,
        debit: amount > 0 ? show(amount) : '',
        credit: amount < 0 ? show(0 - amount) : '',
      }))
    const day = ledger.processorDay({
      day_id: 'sandbox:2026-03-02',
      processing: fees('processing'),
      dispute: fees('dispute'),
      payout: fees('payout'),
      bank: amounts('bank'),
      other: amounts('other'),
    })
    assert.deepEqual(table, rowsOf(day))
    assert.deepEqual(explained, rowsOf(ledger.suspenseBooked(booked)))
  })

  test('is correct about the two rarer events', () => {
    const total = cents(500)
    const postings = [
      ledger.refundFailed({ refund_id: testId('ref_1'), user_id: testId('usr_1'), total }),
      ledger.buyerPaid({ payment_id: testId('bpy_1'), user_id: testId('usr_1'), total }),
    ]
    const repayment_id = testId('exr_1')
    const user_id = testId('usr_1')
    const write_off_id = testId('wof_1')
    const debt = { account: 'buyer_payable', owner: user_id, amount: total } as const
    const waived = [
      ledger.writeOff({ write_off_id, ...debt }),
      ledger.writeOffReversed({ reversal_id: testId('wor_1'), user_id, total }),
    ]
    const settled = [ledger.excessRepaid({ repayment_id, user_id: testId('usr_1'), total })]
    const rowsOf = (of: ledger.Posting[]) =>
      of.flatMap(({ event, lines }) =>
        lines.map(({ account, amount }) => ({
          event,
          account,
          debit: amount > 0 ? show(amount) : '',
          credit: amount < 0 ? show(0 - amount) : '',
        })),
      )
    const [owed, , excess, written_off] = tablesUnder('## Two rarer events')
    assert.deepEqual(owed, rowsOf(postings))
    assert.deepEqual(excess, rowsOf(settled))
    assert.deepEqual(written_off, rowsOf(waived))
  })
})

describe('balances', () => {
  let db: Database
  before(async () => {
    db = await openTestDatabase()
    for (const [index, { at, posting }] of events.entries()) {
      const unique = { ...posting, subject: `${posting.subject}` }
      await db.tx((tx) => ledger.post(tx, at, testId(`txn_${index}`), unique))
    }
  })
  after(() => db.close())

  const at = async (instant: Date) => {
    const rows = await balancesAt(db, instant)
    assert.equal(sum(ZERO, ...rows.map(({ amount }) => amount)), 0)
    return new Map(rows.map(({ account, amount }) => [account as string, amount]))
  }

  test('match the document at the end of every month', async () => {
    const [table = []] = tablesUnder('## Balances')
    const days = Object.keys(table[0]!).filter((name) => name !== 'account')
    for (const day of days) {
      const balances = await at(new Date(`${day}T23:59:59.999Z`))
      for (const row of table) {
        assert.equal(row[day], show(balances.get(row.account!) ?? 0), `${row.account} on ${day}`)
        balances.delete(row.account!)
      }
      assert.deepEqual([...balances], [], 'the document leaves no account out')
    }
  })

  test('can be computed for any instant: at an event, and just before it', async () => {
    for (const [index, { at: instant }] of events.entries()) {
      const running = new Map<string, number>()
      for (const { posting } of events.slice(0, index)) {
        for (const { account, amount } of posting.lines) {
          running.set(account, (running.get(account) ?? 0) + amount)
        }
      }
      const before = await at(new Date(instant.getTime() - 1))
      for (const [account, amount] of running) assert.equal(before.get(account) ?? 0, amount)
      for (const { account, amount } of events[index]!.posting.lines) {
        running.set(account, (running.get(account) ?? 0) + amount)
      }
      const after = await at(instant)
      for (const [account, amount] of running) assert.equal(after.get(account) ?? 0, amount)
    }
  })
})

test('the documentation for sellers says what a dispute takes from their balance: no tax', () => {
  const figures = { amount: cents(1200), tax: cents(60), owed: ZERO, cost: billing.DISPUTE_COST }
  const dispute = { ...SELLER, ...figures, dispute_id: testId('dsp_1'), affiliate_id: null }
  const moved = ({ lines }: ledger.Posting) =>
    lines
      .filter(({ account }) => account === 'seller_payable')
      .map(({ amount }) => Math.abs(amount))
  assert.deepEqual(moved(ledger.disputeOpened(dispute)), [1200 + 1500])
  assert.deepEqual(moved(ledger.disputeWon(dispute)), [1200 + 1500])
  assert.deepEqual(moved(ledger.disputeLost({ ...dispute, commission: ZERO })), [])
  const [table = []] = tablesUnder('## What a refund or a dispute costs', FOR_SELLERS)
  const rows = table.map((row) => [row.Event, row.Price, row['Sales tax'], row['Dispute cost']])
  assert.deepEqual(rows.slice(1), [
    ['Dispute opened', 'taken from your balance', 'not taken from you', '$15.00'],
    ['Dispute won', 'returned to you', 'not taken from you', 'returned to you'],
    ['Dispute lost', 'not returned', 'not taken from you', 'not returned'],
  ])
})
