import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fraction from 'fraction.js'
import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payouts from '#domain/payouts'
import * as tax from '#domain/tax'
import { addDays, addSeconds } from '#platform/calendar'
import { cents, ZERO } from '#platform/money'
import { MONEY_CASES } from '../support/budget.ts'
import { testId } from '../support/ids.ts'
import { modelBalance } from '../support/payee-balance.ts'

/** A fixed sequence of numbers: xorshift, 32 bits. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

/** The whole number nearest to a fraction, with halves rounded up. */
function nearest(value: Fraction): number {
  return Number(value.add(new Fraction(1, 2)).floor().valueOf())
}

test(`${MONEY_CASES} sales: fee, add-on, commission and tax match exact fractions, to the cent`, () => {
  const draw = numbers(2_463_534_242)
  const rates = { seller: new Fraction(5, 100), service: new Fraction(10, 100) }
  const add_on = new Fraction(2, 100)
  for (let index = 0; index < MONEY_CASES; index++) {
    const amount = 100 + draw(9_999_900)
    const brought_by = draw(2) === 0 ? 'seller' : 'service'
    const has_add_on = draw(2) === 0
    const rate = has_add_on ? rates[brought_by].add(add_on) : rates[brought_by]
    const terms = { brought_by, has_add_on } as const
    const { fee, add_on_fee: part } = billing.feeOn(cents(amount), terms)
    if (fee !== nearest(rate.mul(amount)) + 50) assert.fail(`fee on ${amount}: ${fee}`)
    const without = nearest(rates[brought_by].mul(amount)) + 50
    if (part !== fee - without) assert.fail(`add-on on ${amount}: ${part}`)
    const commission = billing.commissionOn(fee, testId('aff_1'))
    if (commission !== Math.floor(fee / 4)) assert.fail(`commission of ${fee}: ${commission}`)
    const rule = { rule: '', rate_ppm: draw(120_000), taxable_ppm: 1 + draw(1_000_000) }
    const share = new Fraction(rule.rate_ppm, 1_000_000).mul(rule.taxable_ppm).div(1_000_000)
    const owed = tax.taxOn(cents(amount), rule)
    if (owed !== nearest(share.mul(amount))) assert.fail(`tax on ${amount}: ${owed}`)
  }
})

test('200,000 plan changes: the unused part is the exact fraction of the remaining seconds', () => {
  const draw = numbers(88_675_123)
  const start = new Date('2026-01-31T09:30:00Z')
  for (let index = 0; index < 200_000; index++) {
    const whole = 1 + draw(366 * 86_400)
    const gone = draw(whole + 1)
    const paid = cents(draw(10_000_000))
    const unused = billing.unusedPart(addSeconds(start, gone), {
      period_start: start,
      period_end: addSeconds(start, whole),
      kept: paid,
    })
    const exact = nearest(new Fraction(whole - gone, whole).mul(paid))
    if (unused !== exact) assert.fail(`${whole - gone} of ${whole} seconds of ${paid}: ${unused}`)
  }
})

/** A random invoice, with a random tax rate and terms. */
function drawInvoice(draw: (below: number) => number) {
  const amount = cents(1 + draw(9_999_999))
  const terms = { brought_by: draw(2) ? 'seller' : 'service', has_add_on: draw(2) === 0 } as const
  const fee = billing.feeOn(amount, terms, draw(3) === 0 ? ZERO : billing.FIXED_FEE)
  const rule = { rule: '', rate_ppm: draw(120_000), taxable_ppm: 1_000_000 }
  return {
    amount,
    tax: tax.taxOn(amount, rule),
    ...fee,
    commission: billing.commissionOn(fee.fee, draw(2) ? testId('aff_1') : null),
  }
}

/** How much of each part should be returned if every refund were an exact fraction. */
function exactlyReversed(invoice: billing.Divided, gone: number) {
  const whole = invoice.amount + invoice.tax
  const part = (of: number) => nearest(new Fraction(of).mul(gone).div(whole))
  const without = invoice.fee - invoice.fixed_fee - invoice.add_on_fee
  const add_on_fee = part(invoice.add_on_fee)
  return {
    amount: gone,
    tax: part(invoice.tax),
    fee: part(without) + add_on_fee,
    add_on_fee,
    commission: part(invoice.commission),
  }
}

test(`${MONEY_CASES} refunds and disputes: the total returned of each part is its exact fraction`, () => {
  const draw = numbers(1_372_383_749)
  for (let index = 0; index < MONEY_CASES; ) {
    const invoice = drawInvoice(draw)
    const whole = invoice.amount + invoice.tax
    let reversed = billing.NO_REVERSAL
    for (let left = whole; left > 0; left = whole - reversed.amount, index++) {
      const amount = cents(draw(3) === 0 ? left : 1 + draw(left))
      const parts = billing.reversalOf(invoice, reversed, amount)
      reversed = billing.sumReversals(reversed, parts)
      const exact = exactlyReversed(invoice, reversed.amount)
      for (const name of ['tax', 'fee', 'add_on_fee', 'commission'] as const) {
        if (reversed[name] !== exact[name])
          assert.fail(`${name}: ${reversed[name]} of ${exact[name]}`)
      }
    }
  }
})

/** The balance of each account after postings, as integers of any size. */
function balances(...postings: ledger.Posting[]): Record<string, bigint> {
  const found: Record<string, bigint> = {}
  for (const { account, amount } of postings.flatMap(({ lines }) => lines)) {
    found[account] = (found[account] ?? 0n) + BigInt(amount)
  }
  return Object.fromEntries(Object.entries(found).filter(([, amount]) => amount !== 0n))
}

test('100,000 sales refunded in parts or disputed: what remains follows the rules, to the cent', () => {
  const draw = numbers(521_288_629)
  const parties = { seller_id: testId('sel_1'), state: 'TX', affiliate_id: testId('aff_1') }
  const [invoice_id, dispute_id] = [testId('inv_1'), testId('dsp_1')]
  const ids = { invoice_id, dispute_id, user_id: testId('usr_1'), refund_id: testId('ref_1') }
  for (let index = 0; index < 100_000; index++) {
    const invoice = drawInvoice(draw)
    const whole = invoice.amount + invoice.tax
    const first = billing.reversalOf(invoice, billing.NO_REVERSAL, cents(1 + draw(whole)))
    const rest = whole - first.amount
    const refund = { ...first, amount: cents(first.amount - first.tax), ...parties, ...ids }
    const before = [
      ledger.sale({ ...invoice, ...parties, ...ids, is_waived: false }),
      ledger.refund(refund),
    ]
    const kept = BigInt(invoice.fixed_fee)
    if (rest === 0) {
      const left = { fees: -kept, seller_payable: kept }
      assert.deepEqual(balances(...before), kept === 0n ? {} : left)
      continue
    }
    const disputed = billing.reversalOf(invoice, first, cents(rest))
    const { tax: part, commission } = disputed
    const cost = billing.DISPUTE_COST
    const amount = cents(rest - part)
    const facts = { ...parties, ...ids, amount, tax: part, owed: cents(0), cost, commission }
    const opened = ledger.disputeOpened(facts)
    const won = balances(...before, opened, ledger.disputeWon(facts))
    assert.deepEqual(won, balances(...before))
    const lost = balances(...before, opened, ledger.disputeLost(facts))
    // The money is lost, tax and commission are reversed, the service keeps its fee and the cost.
    const fee = BigInt(invoice.fee - first.fee)
    const added = BigInt(invoice.add_on_fee - first.add_on_fee)
    const expected = {
      seller_payable: fee + BigInt(cost),
      fees: added - fee,
      add_on_fees: -added,
      dispute_costs: -BigInt(cost),
    }
    const real = Object.entries(expected).filter(([, value]) => value !== 0n)
    assert.deepEqual(lost, Object.fromEntries(real))
  }
})

test('20,000 payees: payouts are earnings after their delay, less all refunds since', () => {
  const draw = numbers(3_141_592_653)
  const start = new Date('2026-02-01T00:00:00Z')
  for (let payee = 0; payee < 20_000; payee++) {
    const account = draw(2) ? ('seller_payable' as const) : ('affiliate_payable' as const)
    const days = account === 'seller_payable' ? 7 : 30
    const lines = Array.from({ length: 2 + draw(12) }, (_, position) => ({
      transaction_id: testId(`txn_${position}`),
      position,
      at: addSeconds(start, draw(90 * 86_400)),
      event: draw(8) === 0 ? 'payout_failed' : 'sale',
      amount: cents((draw(3) === 0 ? 1 : -1) * (1 + draw(50_000))),
      invoice_id: null,
    }))
    let untaken = lines
    let paid = 0
    for (let week = 1; week <= 20; week++) {
      const now = addDays(start, 7 * week)
      const known = untaken.filter(({ at }) => at <= now)
      const balance = modelBalance(now, { account }, known)
      const ripe = lines.filter(({ at, event, amount }) => {
        if (at > now) return false
        return amount > 0 || event === 'payout_failed' || addDays(at, days) <= now
      })
      const exact = ripe.reduce((sum, { amount }) => sum - BigInt(amount), 0n) - BigInt(paid)
      if (BigInt(balance.total) !== exact) assert.fail(`${balance.total} of ${exact}`)
      if (!payouts.isPayable(balance.total)) continue
      assert.ok(balance.total >= 2500)
      paid += balance.total
      untaken = untaken.filter((line) => !balance.lines.includes(line))
    }
  }
})
