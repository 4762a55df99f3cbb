import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import * as tax from '#domain/tax'
import { cents } from '#platform/money'

interface Row {
  state: string
  saas: string
  rate_ppm: number
  taxable_ppm: number
  effective_from: string
}

const file = new URL('../../src/domain/tax/us-saas-sales-tax.json', import.meta.url)
const ROWS: Row[] = JSON.parse(readFileSync(file, 'utf8')).rows
const STATES =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ ' +
  'NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'

test('the table has every state and the District, and no row twice', () => {
  assert.deepEqual([...new Set(ROWS.map(({ state }) => state))].sort(), STATES.split(' ').sort())
  const names = ROWS.map(({ state, effective_from }) => `${state} ${effective_from}`)
  assert.equal(new Set(names).size, names.length)
  for (const { state, rate_ppm, taxable_ppm, effective_from, saas } of ROWS) {
    assert.ok(Number.isInteger(rate_ppm) && rate_ppm >= 0 && rate_ppm <= 100_000, state)
    assert.ok(Number.isInteger(taxable_ppm) && taxable_ppm > 0 && taxable_ppm <= 1_000_000, state)
    assert.match(effective_from, /^\d{4}-\d{2}-\d{2}$/)
    assert.match(saas, /^(taxable|exempt|no_sales_tax|local_only|disputed)$/, state)
  }
})

test('every row applies from its day on, and the rule names it', () => {
  const amount = cents(1299)
  for (const { state, saas, rate_ppm, taxable_ppm, effective_from } of ROWS) {
    const rule = tax.ruleFor(state, effective_from)
    assert.equal(rule.rule, `US-${state}:${effective_from}:${saas}`)
    const product = BigInt(amount) * BigInt(rate_ppm) * BigInt(taxable_ppm)
    const halfUp = Number((2n * product + 10n ** 12n) / (2n * 10n ** 12n))
    assert.equal(tax.taxOn(amount, rule), saas === 'taxable' ? halfUp : 0, state)
  }
})

test('the tax on $12.00 matches the values that were looked up by hand for each state', () => {
  for (const [state, expected] of [
    ['TX', 60],
    ['NY', 48],
    ['PA', 72],
    ['WA', 78],
    ['AZ', 67],
    ['CA', 0],
    ['FL', 0],
    ['OR', 0],
    ['AL', 0],
    ['AK', 0],
  ] as const) {
    assert.equal(tax.taxOn(cents(1200), tax.ruleFor(state, '2026-03-10')), expected, state)
  }
})

test('Texas taxes four fifths of the price', () => {
  const rule = tax.ruleFor('TX', '2026-03-10')
  assert.deepEqual([rule.rate_ppm, rule.taxable_ppm], [62_500, 800_000])
  assert.equal(tax.taxOn(cents(10_000), rule), 500)
  // Multiplied once: 80 % of 1.11 rounded on the way would give 6.
  assert.equal(tax.taxOn(cents(110), rule), 6)
  assert.equal(tax.taxOn(cents(109), rule), 5)
})

test('the District charges 6% until September 30, 2026 and 7% from the next day', () => {
  for (const [day, expected] of [
    ['2026-03-10', 600],
    ['2026-09-30', 600],
    ['2026-10-01', 700],
    ['2030-01-01', 700],
  ] as const) {
    assert.equal(tax.taxOn(cents(10_000), tax.ruleFor('DC', day)), expected, day)
  }
})

test('a later row supersedes an earlier one in any order', () => {
  const row = { state: 'TX', saas: 'taxable', taxable_ppm: 1_000_000 }
  const rows = [
    { ...row, rate_ppm: 30_000, effective_from: '2027-01-01' },
    { ...row, rate_ppm: 10_000, effective_from: '2025-01-01' },
    { ...row, rate_ppm: 20_000, effective_from: '2026-01-01' },
  ]
  const rate = (day: string) => tax.ruleFor('TX', day, rows).rate_ppm
  assert.deepEqual(
    ['2024-12-31', '2025-01-01', '2025-12-31', '2026-01-01', '2027-06-01'].map(rate),
    [0, 10_000, 10_000, 20_000, 30_000],
  )
})

test('territories and military addresses have no row and are not taxed', () => {
  for (const state of ['PR', 'GU', 'VI', 'AS', 'MP', 'AA', 'AE', 'AP']) {
    const rule = tax.ruleFor(state, '2026-03-10')
    assert.equal(rule.rule, `US-${state}:no-row`)
    assert.equal(tax.taxOn(cents(9_999_999), rule), 0)
  }
})

test('the tax is never negative, never more than the price, and grows with it', () => {
  const days = fc.constantFrom('2025-12-31', '2026-03-10', '2026-12-31')
  const states = fc.constantFrom(...STATES.split(' '))
  const price = fc.integer({ min: 100, max: 9_999_998 })
  fc.assert(
    fc.property(states, days, price, (state, day, amount) => {
      const rule = tax.ruleFor(state, day)
      const taken = tax.taxOn(cents(amount), rule)
      assert.ok(taken >= 0 && taken < amount)
      assert.ok(tax.taxOn(cents(amount + 1), rule) >= taken)
    }),
    { numRuns: 5000, seed: 1 },
  )
})

// F1: these are missing from published lists, or were created after them.
const NEWER: Record<string, string> = {
  AE: '09025 09026 09039 09041 09044 09047 09050 09052 09057 09064 09066 09070 09071 09072',
  AR: '72405 72713',
  AZ: '85144 85288',
  CA: '90134 95025',
  FL: '34249',
  IN: '46288',
  KS: '66630',
  MA: '01825',
  MN: '55131',
  NV: '89437',
  NY: '11437',
  OH: '43405',
  OK: '73175',
  OR: '97003 97078 97079 97129',
  TX: '75033 75036 75059 75064 75072',
  UT: '84009 84048',
}

// F1
test('finds the state of ZIP codes that were created after 2010', () => {
  const all = Object.entries(NEWER).flatMap(([state, zips]) =>
    zips.split(' ').map((zip) => [zip, state] as const),
  )
  assert.ok(all.length >= 40)
  for (const [zip, state] of all) assert.equal(tax.stateOfZip(zip), state, zip)
})

/** A post office of every state, of the District, of each territory and of each military region. */
const PLACES =
  'AL 35203 AK 99501 AZ 85004 AR 72201 CA 94107 CO 80202 CT 06103 DE 19801 DC 20001 FL 33130 ' +
  'GA 30303 HI 96813 ID 83702 IL 60601 IN 46204 IA 50309 KS 66603 KY 40202 LA 70112 ME 04101 ' +
  'MD 21201 MA 02108 MI 48226 MN 55401 MS 39201 MO 63101 MT 59601 NE 68102 NV 89101 NH 03301 ' +
  'NJ 07102 NM 87501 NY 10001 NC 27601 ND 58102 OH 43215 OK 73102 OR 97365 PA 19103 RI 02903 ' +
  'SC 29201 SD 57501 TN 37203 TX 78701 UT 84101 VT 05401 VA 23219 WA 98101 WV 25301 WI 53202 ' +
  'WY 82001 PR 00901 VI 00802 GU 96910 AS 96799 MP 96950 AA 34002 AE 09012 AP 96201'

// F1
test('finds the state of a ZIP code in every state, territory and military region', () => {
  const places = PLACES.matchAll(/(\w\w) (\d{5})/g).map(([, state, zip]) => ({ state, zip }))
  const found = places.map(({ state, zip }) => {
    assert.equal(tax.stateOfZip(zip!), state, zip)
    return state
  })
  assert.equal(new Set(found).size, 59)
  for (const [zip, state] of [
    ['00501', 'NY'],
    ['05501', 'MA'],
    ['06390', 'NY'],
    ['20101', 'VA'],
    ['20588', 'MD'],
    ['20598', 'VA'],
    ['39901', 'GA'],
    ['56901', 'DC'],
    ['73301', 'TX'],
    ['73960', 'TX'],
    ['83414', 'WY'],
    ['88510', 'TX'],
    // Their routes cross a state line; USPS files them under the state of their post office.
    ['42223', 'KY'],
    ['59221', 'MT'],
    ['86515', 'AZ'],
    // Never assigned so far, under a prefix that is.
    ['99999', 'AK'],
  ] as const) {
    assert.equal(tax.stateOfZip(zip), state, zip)
  }
})

// F2
test('refuses the ZIP codes of Palau, Micronesia and the Marshall Islands', () => {
  for (const zip of '96939 96940 96941 96942 96943 96944 96960 96970'.split(' ')) {
    assert.equal(tax.stateOfZip(zip), undefined, zip)
  }
})

test('finds no state for text that is not a ZIP code', () => {
  const none = ['00000', '00499', '', '7870', '787011', '78701-1234', ' 78701', '78701\n']
  none.push('K1A0B1', 'K1A', '７８７０１', '1e3', '-1234', '٧٨٧٠١', 'SW1A1')
  for (const zip of none) assert.equal(tax.stateOfZip(zip), undefined, zip)
})
