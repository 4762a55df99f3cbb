import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ALLOWED, RETIRED_WORDS } from './support/retired-words.ts'

/** How often retired words occur in folders that are not clean yet. Only ever lower a number. */
const NOT_CLEAN_YET: Record<string, number> = {
  migrations: 1,
  'src/domain/apps': 2,
  'src/domain/billing': 13,
  'src/domain/grants': 10,
  'src/domain/identity': 6,
  'src/domain/licensing': 6,
  'src/domain/payouts': 12,
  'src/sandbox': 2,
  'src/surfaces': 3,
  'src/surfaces/account': 6,
  'src/surfaces/admin': 27,
  'src/surfaces/checkout': 6,
  'src/surfaces/dashboard': 28,
  'src/surfaces/docs': 2,
  'src/surfaces/emails': 33,
  'src/surfaces/http': 15,
  'src/surfaces/marketplace': 6,
  'src/surfaces/mcp': 36,
  'src/surfaces/oidc': 27,
  'src/surfaces/openapi': 14,
  'src/surfaces/payouts': 19,
  'src/surfaces/portal': 11,
  'src/surfaces/processor-events': 11,
  'src/surfaces/public-api': 1,
  'src/surfaces/sales': 21,
  'src/surfaces/signin': 14,
  'src/surfaces/test-clock': 57,
  'test/contract': 100,
  'test/domain': 5,
  'test/flows': 17,
  'test/process': 4,
  'test/support': 1,
}

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
    'examples/*/*.md',
    'legal/*.md',
    'packages/*/*.md',
  ],
  { exclude },
)
const sources = globSync(
  [
    '{src,test,scripts,bench,examples}/**/*.{ts,tsx,mjs,css,js}',
    'packages/*/src/**/*.ts',
    'migrations/*.sql',
  ],
  { exclude },
).filter((path) => !EXCLUDED.includes(path))

/** Where the hits of a file are counted: its layer, its module in a layer, its folder of tests. */
function folderOf(path: string): string {
  const parts = path.split('/').slice(0, -1)
  return parts.slice(0, parts[1] === 'surfaces' || parts[1] === 'domain' ? 3 : 2).join('/')
}

describe('retired words', () => {
  test('do not appear in documents', () => {
    const hits = documents.flatMap((path) => hitsIn(path, readFileSync(path, 'utf8'), false))
    assert.deepEqual(hits.map(show), [])
  })

  test('do not become more in names, comments and texts of any folder', () => {
    const hits = Map.groupBy(
      sources.flatMap((path) => hitsIn(path, readFileSync(path, 'utf8'), true)),
      ({ path }) => folderOf(path),
    )
    const counts = [...hits].map(([folder, { length }]) => [folder, length] as const).sort()
    const table = counts.map(([folder, count]) => `  '${folder}': ${count},`).join('\n')
    const grown = counts.filter(([folder, count]) => count > (NOT_CLEAN_YET[folder] ?? 0))
    const lines = grown.flatMap(([folder, count]) => [
      `${folder} has ${count}, not ${NOT_CLEAN_YET[folder] ?? 0}:`,
      ...hits.get(folder)!.map(show),
    ])
    assert.equal(grown.length, 0, lines.join('\n'))
    assert.deepEqual(
      Object.fromEntries(counts),
      NOT_CLEAN_YET,
      `There are fewer retired words. Set NOT_CLEAN_YET in test/language.test.ts to\n${table}`,
    )
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
