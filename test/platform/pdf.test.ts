import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { PdfContent } from '#platform/pdf/content'
import { openPdfPool } from '#platform/pdf/pool'
import { Problem } from '#platform/problem'
import { readPdf } from '../support/pdf.ts'

const pool = openPdfPool()
after(() => pool.close())

function content(changes: Partial<PdfContent> = {}): PdfContent {
  const now = new Date('2026-11-22T00:00:00Z')
  return { title: 'Receipt', now, lines: [], facts: [], foot: 'Purser Demo, Inc.', ...changes }
}

function table(rows: string[][] = []): PdfContent['table'] {
  const columns = [
    { label: 'What', width: 3 },
    { label: 'Amount', width: 1, numeric: true },
  ]
  return { columns, rows, total: ['Total', '$1,564.82'] }
}

// F27
test('prints characters outside Latin-1', async () => {
  const names = [
    'Łukasz Żółć',
    'Ελένη Παπαδοπούλου',
    'Дмитрий Шостакович',
    'Đặng Thị Ngọc',
    'œ ﬁ ₹ €',
  ]
  const { text } = await readPdf(await pool.draw(content({ lines: names })))
  // Vietnamese characters that the font draws with a separate mark leave the plain ones as they
  // are.
  for (const name of [...names.slice(0, 3), 'Đặng Th', 'Purser Demo, Inc.'])
    assert.ok(text.includes(name), `${name} in ${text}`)
})

test('prints characters that the font lacks as question marks, and all others', async () => {
  const { text } = await readPdf(await pool.draw(content({ lines: ['Tanaka 田中 Ltd.'] })))
  assert.match(text, /Tanaka \?\? Ltd\./)
})

test('a document embeds only the characters it uses', async () => {
  const pdf = await pool.draw(content({ lines: ['Żółć'] }))
  assert.ok(pdf.byteLength < 40_000, `${pdf.byteLength} bytes`)
})

test('the same content gives the same bytes', async () => {
  const draw = () => pool.draw(content({ table: table([['Pro', '$12.00']]) }))
  assert.ok((await draw()).equals(await draw()))
})

test('the total of a table is on the page of its last row, however many rows there are', async () => {
  const lengths = new Set<number>()
  for (let count = 24; count < 30; count++) {
    const rows = Array.from({ length: count }, (_, row) => [`Sale ${row}.`, '$12.00'])
    const { page_texts } = await readPdf(await pool.draw(content({ table: table(rows) })))
    const last = page_texts.at(-1)!
    assert.ok(last.includes('Total') && last.includes(`Sale ${count - 1}.`), `${count}: ${last}`)
    lengths.add(page_texts.length)
  }
  assert.deepEqual([...lengths], [1, 2])
})

test('totals are on the page of the last row, however many rows there are', async () => {
  const totals = ['Subtotal', 'Tax', 'Paid'].map((label) => ({ label, amount: '$12.00' }))
  const { columns } = table()!
  const lengths = new Set<number>()
  for (let count = 20; count < 30; count++) {
    const rows = Array.from({ length: count }, (_, row) => [`Sale ${row}.`, '$12.00'])
    const drawn = await pool.draw(content({ table: { columns, rows }, totals }))
    const { page_texts } = await readPdf(drawn)
    const last = page_texts.at(-1)!
    for (const text of [`Sale ${count - 1}.`, 'Subtotal', 'Paid']) {
      assert.ok(last.includes(text), `${count}: ${last}`)
    }
    lengths.add(page_texts.length)
  }
  assert.deepEqual([...lengths], [1, 2])
})

test('totals that are longer than a page begin below the last row, and go on on the next', async () => {
  const totals = Array.from({ length: 60 }, (_, at) => ({
    label: `Refund ${at}.`,
    amount: '$1.00',
  }))
  const { columns } = table()!
  const rows = [['Sale', '$12.00']]
  const { page_texts } = await readPdf(
    await pool.draw(content({ table: { columns, rows }, totals })),
  )
  assert.equal(page_texts.length, 3)
  assert.ok(page_texts[0]!.includes('Sale') && page_texts[0]!.includes('Refund 0.'))
  const all = page_texts.join()
  for (const { label } of totals) assert.ok(all.includes(label), label)
})

test('the label of a total is on one line, also in another language', async () => {
  const labels = [
    'Refund pending since September 30, 2026 ($1,234.56 tax)',
    'Reembolso pendiente desde el 30 de septiembre de 2026 ($1,234.56 de impuesto)',
  ]
  for (const label of labels) {
    const totals = [{ label, amount: '−$12,345.67' }]
    const { lines } = await readPdf(await pool.draw(content({ table: table(), totals })))
    assert.ok(
      lines.some((line) => line.startsWith(label)),
      `${label} in ${lines.join(' | ')}`,
    )
  }
})

// R5
test('other documents are drawn between the parts of a long table', async () => {
  let turns = 0
  let isDrawn = false
  const rows = (function* () {
    for (let part = 0; part < 40; part++) {
      yield Array.from({ length: 500 }, (_, row) => [`Sale ${part * 500 + row}`, '$12.00'])
    }
  })()
  const long = pool.draw(content({ table: table() }), { rows, is_long: true }).finally(() => {
    isDrawn = true
  })
  const short = await pool.draw(content({ title: 'Short' }))
  assert.equal((await readPdf(short)).title, 'Short')
  assert.equal(isDrawn, false, 'the short one did not wait for the long one')
  while (!isDrawn) {
    turns++
    await setImmediate()
  }
  // Drawn on the event loop there would be one turn, or one for each part.
  assert.ok(turns > 400, `the event loop went round ${turns} times`)
  const pages = (await long).toString('latin1').match(/\/Type \/Page\b/g)
  assert.ok((pages?.length ?? 0) > 300, 'all of its pages are there')
})

test('too many waiting documents are refused with a clear message, and the others are drawn', async () => {
  const small = openPdfPool({ waiting: 2 })
  const requested = Array.from({ length: 5 }, () => small.draw(content()))
  const ends = await Promise.allSettled(requested)
  const refused = ends.filter((end) => end.status === 'rejected').map(({ reason }) => reason)
  assert.equal(refused.length, 2)
  for (const problem of refused) {
    assert.ok(problem instanceof Problem)
    assert.equal(problem.status, 503)
    assert.match(problem.message, /Too many documents .* Try again in a few seconds/)
    assert.equal(problem.details.retry_after, 5)
  }
  await small.close()
})

test('a document that fails leaves the pool working', async () => {
  const small = openPdfPool()
  const rows = (function* (): Generator<string[][]> {
    yield [['one', '1']]
    throw new Error('the rows ended early')
  })()
  await assert.rejects(
    small.draw(content({ table: table() }), { rows, is_long: true }),
    /the rows ended early/,
  )
  assert.ok((await small.draw(content())).byteLength > 0)
  await small.close()
})
