import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ALLOWED, RETIRED_WORDS } from './support/retired-words.ts'

/** The word list names what it retires, and this file tests it. */
const EXCLUDED = ['test/support/retired-words.ts', 'test/language.test.ts']

interface Hit {
  path: string
  line: number
  word: string
  instead: string
}

const ANY = new RegExp(RETIRED_WORDS.map(({ pattern }) => `(${pattern.source})`).join('|'), 'gi')

/** The retired words of a text; `names` finds them in `camelCase` and `snake_case` as well. */
function hitsIn(path: string, text: string, names: boolean): Hit[] {
  const plain = ALLOWED.reduce((rest, { text }) => rest.replaceAll(text, ''), `${path}\n${text}`)
  const spaced = names ? plain.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ') : plain
  return [...spaced.matchAll(ANY)].map(({ index, 0: word, ...groups }) => {
    const line = spaced.slice(0, index).split('\n').length - 1
    const at = RETIRED_WORDS.findIndex((_, place) => groups[place + 1] !== undefined)
    return { path, line, word, instead: RETIRED_WORDS[at]!.instead }
  })
}

const show = ({ path, line, word, instead }: Hit) =>
  line === 0
    ? `${path}: rename the file, "${word}" -> ${instead}`
    : `${path}:${line}: "${word}" -> ${instead}`

const exclude = (path: string) => path.includes('node_modules')
const documents = globSync(
  [
    '*.md',
    '.env.example',
    '.github/**/*.{md,yml}',
    'docs/**/*.md',
    'examples/**/*.md',
    'legal/*.md',
    'packages/*/*.md',
  ],
  { exclude },
)
const sources = globSync(
  [
    '{src,test,scripts,bench,examples}/**/*.{ts,tsx,mjs,css,js,jsx,py}',
    'packages/*/src/**/*.ts',
    'migrations/*.sql',
  ],
  { exclude },
).filter((path) => !EXCLUDED.includes(path))

describe('retired words', () => {
  test('do not appear in documents', () => {
    const hits = documents.flatMap((path) => hitsIn(path, readFileSync(path, 'utf8'), false))
    assert.deepEqual(hits.map(show), [])
  })

  test('do not appear in names, comments and texts of the code', () => {
    const hits = sources.flatMap((path) => hitsIn(path, readFileSync(path, 'utf8'), true))
    assert.deepEqual(hits.map(show), [])
  })
})

describe('the word list', () => {
  const wordsOf = (text: string, names = true) =>
    hitsIn('file.ts', text, names).map(({ word }) => word)

  test('finds words in sentences and in names of either spelling', () => {
    assert.deepEqual(wordsOf('Nobody is told: it stands there.'), ['Nobody', 'told', 'stands'])
    assert.deepEqual(wordsOf('const lastBill = bill_of(askers)'), ['Bill', 'bill', 'askers'])
    assert.deepEqual(wordsOf('email_normalised', false), ['normalised'])
  })

  test('names file, line, word and replacement', () => {
    const [hit] = hitsIn('src/a.ts', 'const a = 1\n// It stands.\n', true)
    assert.match(show(hit!), /^src\/a\.ts:2: "stands" -> be, appear/)
    const [file] = hitsIn('src/letter.ts', '', true)
    assert.match(show(file!), /^src\/letter\.ts: rename the file, "letter" -> email/)
  })

  test('leaves longer words and allowed texts alone', () => {
    assert.deepEqual(wordsOf('billing standard household dispute_hold upholds'), [])
  })

  test('gives each exception and each word its explanation', () => {
    for (const { reason } of ALLOWED) assert.ok(reason.length > 10)
    for (const { instead } of RETIRED_WORDS) assert.ok(instead.length > 2)
  })
})
