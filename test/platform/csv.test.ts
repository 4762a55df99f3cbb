import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { csvHeading, csvRows } from '#platform/csv'
import { type Cents, cents } from '#platform/money'

const COLUMNS = [
  { name: 'name', of: ([name]: [string, Cents]) => name },
  { name: 'amount', of: ([, amount]: [string, Cents]) => amount },
]

test('keeps rows and cells separate, whatever a cell contains', () => {
  const names = ['two\nlines', 'two\rlines', 'two\r\nlines', 'a, b', 'a "b"', 'a;b', "it's"]
  const rows = names.map((name) => [name, cents(1)] as [string, Cents])
  const text = csvHeading(COLUMNS) + csvRows(COLUMNS, rows)
  assert.deepEqual(
    parse(text, { from_line: 2, record_delimiter: '\r\n' }).map(([name]) => name),
    names,
  )
  // Programs that end a row at either sign alone see as many.
  const outside = text.replaceAll(/"[^"]*"/g, '')
  assert.equal(outside.split(/\r\n|\r|\n/).length, names.length + 2)
})

test('escapes formulas, and keeps amounts as numbers', () => {
  const rows = ['=1+1', '+1', '-1', '@sum', '\t=1', '\r=1'].map(
    (name) => [name, cents(-500)] as [string, Cents],
  )
  for (const [name, amount] of parse(csvRows(COLUMNS, rows))) {
    assert.match(name!, /^'/)
    assert.equal(amount, '-5.00')
  }
})
