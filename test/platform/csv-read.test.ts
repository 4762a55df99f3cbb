import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isReadableCsv, readCsv } from '#platform/csv-read'

describe('a CSV file', () => {
  test('is read with commas, semicolons and tabs, with a byte order mark, and in UTF-16', async () => {
    const rows = [
      ['a', 'b;c'],
      ['d "e"', 'f\ng'],
    ]
    for (const separator of [',', ';', '\t']) {
      const quoted = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`))
      const text = `\ufeff${quoted.map((row) => row.join(separator)).join('\r\n')}`
      for (const content of [Buffer.from(text), Buffer.from(text, 'utf16le')]) {
        assert.equal(isReadableCsv(content), true)
        const read = []
        for await (const row of readCsv([content]))
          read.push('cells' in row ? row.cells : row.fault)
        assert.deepEqual(read, rows)
      }
    }
  })

  test('names the row that cannot be read, and reads the next one', async () => {
    const read = []
    for await (const row of readCsv([Buffer.from(`a,b\n1,${'x'.repeat(120_000)}\n2,3`)])) {
      read.push('fault' in row ? row.fault : row.cells.join())
    }
    assert.equal(read[0], 'a,b')
    assert.match(read.find((each) => each.includes('at most')) ?? '', /at most 100000 characters/)
  })

  // Threat 47
  test('of nothing but line ends is read in steps, between which other work runs', async () => {
    const steps = 16
    let turns = 0
    let isRead = false
    const count = () => {
      turns++
      if (!isRead) setImmediate(count)
    }
    setImmediate(count)
    for await (const row of readCsv([Buffer.alloc(steps * 64 * 1024, '\n')])) assert.fail(`${row}`)
    isRead = true
    assert.ok(turns >= steps - 1, `other work ran ${turns} times`)
  })
})
