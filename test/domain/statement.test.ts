import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statementText } from '#domain/payments'

const TEXTS: [descriptor: string, app: string, text: string][] = [
  ['PURSERDEMO', 'Tidepool', 'PURSERDEMO* TIDEPOOL'],
  ['HARBOR', 'Café & Söhne', 'HARBOR* CAFE SOHNE'],
  ['HARBOR SOFTWARE', 'Tidepool Deluxe', 'HARBOR SOF* TIDEPOOL D'],
  ['HARBOR SOFTWARE', '東京', 'HARBOR SOFTWARE'],
  ['HARBOR SOFTWARE', '2048', 'HARBOR SOFTWARE'],
]

// F26
for (const [descriptor, app, text] of TEXTS) {
  test(`${app} under ${descriptor} reads ${text} on card statements`, () => {
    assert.equal(statementText(descriptor, app).text, text)
    assert.ok(text.length <= 22)
  })
}
