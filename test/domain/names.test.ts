import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as apps from '#domain/apps'
import * as sellers from '#domain/sellers'
import { nameKey, plainLine, textFault } from '#platform/text'

const URL = 'https://harbor.example'
const PLACE = { address: '1 Pier', city: 'Salem', state: 'OR', zip: '97301' }

/** The faults of an app's name. */
const ofApp = (name: string) => apps.detailsFaults({ name, url: URL, slug: 'harbor' })

/** The faults of a seller's texts. */
function ofSeller(entered: Partial<sellers.EnteredDetails>) {
  const read = sellers.readDetails({ legal_name: 'Harbor LLC', ...PLACE, ...entered }, () => 'OR')
  return 'faults' in read ? read.faults : []
}

// The last is a character of Biblical Hebrew with as many marks as any.
const NAMES = [
  'Harbor',
  'Hafen Süd',
  '港口',
  'نور',
  'Zoë 👩‍👩‍👧 & Co.',
  '\u05e9\u05c1\u05bc\u05b8\u0591\u05bd',
]

test('names of apps and sellers are in any script', () => {
  for (const name of NAMES)
    assert.deepEqual([...ofApp(name), ...ofSeller({ legal_name: name })], [])
})

test('a text that people read about an app or a seller has no control characters', () => {
  for (const text of ['Har\u202ebor', '\u2066Harbor', 'Har\u0007bor', 'Har\u009bbor']) {
    const message = 'Must not contain control characters.'
    assert.deepEqual(ofApp(text), [{ path: 'name', message }])
    for (const path of ['legal_name', 'address', 'city'] as const) {
      assert.deepEqual(ofSeller({ [path]: text }), [{ path, message }])
    }
  }
})

test('a text of a program loses what turns its line around, and keeps what scripts need', () => {
  for (const [text, plain] of [
    ['\u202eHar\u2066bor\u2069 ', 'Harbor'],
    ['Har\r\n\tbor\u0000', 'Har   bor'],
    ['Har\u2028bor\ud800', 'Har bor\ufffd'],
  ] as const) {
    assert.equal(plainLine(text), plain)
  }
  for (const name of [...NAMES, 'می\u200cخواهم', 'क्\u200dष', 'א\u200fב']) {
    assert.equal(plainLine(name), name)
    assert.equal(textFault(name, { most: 100 }), undefined)
  }
})

test('a character has no stack of marks that would cover the lines above and below', () => {
  const message = 'Use at most 5 accents on a character.'
  assert.deepEqual(ofApp(`Ha${'\u0301'.repeat(5)}rbor`), [])
  for (const text of [`Ha${'\u0301'.repeat(6)}rbor`, `Ha${'\u0323\u20dd'.repeat(30)}rbor`]) {
    assert.deepEqual(ofApp(text), [{ path: 'name', message }])
    assert.deepEqual(ofSeller({ city: text }), [{ path: 'city', message }])
  }
})

test('their lengths are counted in characters', () => {
  assert.deepEqual(ofApp('👋'.repeat(60)), [])
  const message = 'Use at most 60 characters. This text has 61.'
  assert.deepEqual(ofApp('👋'.repeat(61)), [{ path: 'name', message }])
  assert.deepEqual(ofSeller({ city: 'x'.repeat(101) }), [
    { path: 'city', message: 'Use at most 100 characters. This text has 101.' },
  ])
})

test('a name has a character that can be seen', () => {
  for (const text of ['\u200b', '\u3164', '\u2800', '\u00ad\u034f', '\u{e0041}', '\u200d \ufeff']) {
    assert.deepEqual(ofApp(text), [{ path: 'name', message: 'Enter the name of your app.' }])
    assert.equal(ofSeller({ legal_name: text }).length, 1)
    assert.equal(textFault(text, { least: 1, most: 100 }), 'Must not be empty.')
  }
})

test('names that look the same are the same', () => {
  for (const twin of ['Pro\u200b', '\u2060pro', 'P\u00adro', 'PRO\ufeff']) {
    assert.equal(nameKey(twin), nameKey('Pro'))
  }
  assert.notEqual(nameKey('Pro'), nameKey('Pro 2'))
})

test('a website that cannot be registered is refused with what it may not have', () => {
  for (const url of ['https://harbor.example:8443', 'https://me@harbor.example', 'https://co.uk']) {
    const [fault] = apps.detailsFaults({ name: 'Harbor', url, slug: 'harbor' })
    assert.equal(fault?.path, 'url')
    assert.match(fault.message, /a domain of your own, without a port, user name or password\.$/)
  }
})
