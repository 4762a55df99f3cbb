import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  IMPORT_SOURCES,
  type ImportSource,
  matchColumns,
  missingFields,
  SOURCE_READERS,
} from '#domain/imports'
import { FUZZ_CALLS } from '../support/budget.ts'
import { readImport, recordLines } from '../support/import-rows.ts'

describe('columns', () => {
  test('are recognized without regard to case, spaces and punctuation', () => {
    const matched = matchColumns('gumroad', ['ITEM NAME', 'purchase_id', 'Purchase  email'])
    assert.deepEqual(matched, { id: 1, email: 2, product: 0 })
    assert.deepEqual(missingFields('gumroad', matched), ['bought_at'])
  })
})

describe('a row', () => {
  /** The row of a sale of Gumroad with these values. */
  async function sold(facts: { on?: string; every?: string; price?: string }) {
    const { on = '2026-11-10', every = '', price = '29.00' } = facts
    const heading = 'Purchase ID,Item Name,Email,Purchase Date,Recurrence,Item Price ($)'
    const file = `${heading}\np1,Tides,a@example.com,${on},${every},${price}`
    return recordLines(await readImport('gumroad', file))[0]!
  }

  test('that recurs at an interval that no price has here has no price', async () => {
    assert.match(await sold({ every: '' }), /\|for good\|\|2900\|$/)
    assert.match(await sold({ every: 'monthly' }), /\|2900\|month$/)
    assert.match(await sold({ every: 'quarterly' }), /\|2027-02-10\|\|\|$/)
  })

  test('has a price in dollars, with a decimal point or comma', async () => {
    const prices = {
      '29.90': '2990',
      '29.9': '2990',
      '"29,90"': '2990',
      '"1,299.00"': '129900',
      '"1.299,00"': '129900',
      $29: '2900',
      'USD 29.00': '2900',
      '"$1,299"': '129900',
      '29': '2900',
      '"2,99,00"': '',
      '-5.00': '',
    }
    for (const [price, cents] of Object.entries(prices)) {
      const amount = (await sold({ price })).split('|').at(-2)
      assert.equal(amount, cents, price)
    }
  })

  test('of a service whose API counts cents has no price if it is a whole number', async () => {
    const paddle = async (price: string) => {
      const file = `id,customer_email,status,unit_price,currency_code
txn_1,a@example.com,completed,${price},USD`
      return recordLines(await readImport('paddle', file))[0]!
        .split('|')
        .at(-2)
    }
    // 29 dollars in a report, or 29 cents of the API.
    assert.equal(await paddle('29'), '')
    assert.equal(await paddle('2900'), '')
    assert.equal(await paddle('29.00'), '2900')
    assert.equal(await paddle('$29'), '2900')
  })

  test('with a word of the language as its interval is a fault', async () => {
    for (const every of ['constructor', '__proto__']) {
      assert.match(await sold({ every }), /^interval: Write how often it is paid/)
    }
  })

  test('with a day that its month does not have, or no database can store, is a fault', async () => {
    for (const on of ['2026-02-29', '2026-11-31T10:00:00Z', '0000-01-01']) {
      assert.match(await sold({ on, every: 'yearly' }), /^bought_at: Write the date as/)
    }
    assert.match(
      await sold({ on: '9999-06-01', every: 'yearly' }),
      /^null: Write an end before the year 10000/,
    )
    assert.match(await sold({ on: '2024-02-29', every: 'yearly' }), /\|2025-02-28\|/)
  })

  test('of a subscription whose file does not say how often it is paid has no price', async () => {
    const files = {
      lemon_squeezy: `id,product_name,user_email,status,renews_at,price
1,Tides,a@example.com,active,2026-12-05,9.00`,
      paddle: `subscription_id,product_name,customer_email,status,next_billed_at,unit_price
1,Tides,a@example.com,active,2026-12-05,9.00`,
      polar: `id,product,email,status,Current Period End,amount
1,Tides,a@example.com,active,2026-12-05,9.00`,
    }
    for (const [source, file] of Object.entries(files)) {
      const [row] = recordLines(await readImport(source as ImportSource, file))
      assert.equal(row, 'subscription:1|a@example.com|Tides||2026-12-05|||', source)
    }
  })
})

describe('a file', () => {
  test('of any text makes no reader throw', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('1', '2026-01-01', 'active', '"', 'a@b.c', 'constructor', '9999-12-31'),
    )
    const file = fc.array(fc.array(cell, { maxLength: 12 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...IMPORT_SOURCES),
        file,
        fc.string({ unit: 'binary' }),
        async (source, rows, rest) => {
          const heading = Object.values(SOURCE_READERS[source].columns).map(([name]) => name)
          const lines = [heading, ...rows].map((row) => row.join(','))
          await readImport(source, `${lines.join('\n')}\n${rest}`)
          await readImport(source, rest)
        },
      ),
      { numRuns: FUZZ_CALLS / 10 },
    )
  })
})
