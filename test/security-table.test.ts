import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'

const DOCUMENT = 'docs/security.md'

/** The requirements of levels 1 and 2 of ASVS 5.0.0: for each chapter its sections and numbers. */
const REQUIREMENTS: Record<string, string> = {
  1: '1:1-2 2:1-9 3:1-11 4:1-3 5:1-2',
  2: '1:1-3 2:1-3 3:1-4 4:1',
  3: '2:1-2 3:1-4 4:1-6 5:1-5 7:1-2',
  4: '1:1-3 2:1 3:1-2 4:1-4',
  5: '1:1 2:1-3 3:1-2 4:1-3',
  6: '1:1-3 2:1-12 3:1-4 4:1-4 5:1-5 6:1-3 8:1-4',
  7: '1:1-3 2:1-4 3:1-2 4:1-5 5:1-2 6:1-2',
  8: '1:1-2 2:1-3 3:1 4:1',
  9: '1:1-3 2:1-4',
  10: '1:1-2 2:1-2 3:1-4 4:1-11 5:1-5 6:1-2 7:1-3',
  11: '1:1-2 2:1-3 3:1-3 4:1-4 5:1 6:1',
  12: '1:1-3 2:1-2 3:1-4',
  13: '1:1 2:1-5 3:1-2 4:1-5',
  14: '1:1-2 2:1-4 3:1-3',
  15: '1:1-3 2:1-3 3:1-7',
  16: '1:1 2:1-5 3:1-4 4:1-3 5:1-3',
  17: '1:1 2:1-4 3:1-2',
}

const numbers = Object.entries(REQUIREMENTS).flatMap(([chapter, sections]) =>
  sections.split(' ').flatMap((section) => {
    const [place, ranges = ''] = section.split(':')
    return ranges.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number)
      const count = last - first + 1
      return Array.from({ length: count }, (_, index) => `${chapter}.${place}.${first + index}`)
    })
  }),
)

interface Row {
  number: string
  text: string
  status: string
  /** Where the guard is, or the reason why there is none. */
  detail: string
}

const text = readFileSync(DOCUMENT, 'utf8')
const rows: Row[] = [...text.matchAll(/^\| (\d+\.\d+\.\d+) \| (.+?) \| (.+?) \| (.+) \|$/gm)].map(
  ([, number = '', text = '', status = '', detail = '']) => ({ number, text, status, detail }),
)

/** The tests that a row names, as `file` "title". */
function testsOf({ detail }: Row): { file: string; title: string }[] {
  return [...detail.matchAll(/`(test\/[\w./-]+)` "(.+?)"(?=[;. ]|$)/g)].map(
    ([, file = '', title = '']) => ({ file, title }),
  )
}

/** What a row says beside the tests that it names. */
function wordsOf({ detail }: Row): string {
  return detail.replaceAll(/`test\/[\w./-]+` ".+?"(?=[;. ]|$)/g, '').replaceAll(/[\s;.]+/g, ' ')
}

const titles = new Map<string, Set<string>>()

/** The titles of a file's tests as they are written, a template with its placeholders. */
function titlesIn(file: string): Set<string> {
  const known = titles.get(file)
  if (known) return known
  const source = readFileSync(file, 'utf8')
  const found = source.matchAll(/\btest\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs)
  const made = new Set([...found].map(([, , title]) => title!.replaceAll("\\'", "'")))
  titles.set(file, made)
  return made
}

/** The anchors that the document's headings have. */
const anchors = new Set(
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(/\s/g, '-'),
  ),
)

describe('the table of security requirements', () => {
  test('has each requirement of levels 1 and 2 once, in order, and no other', () => {
    assert.equal(numbers.length, 253)
    assert.deepEqual(
      rows.map(({ number }) => number),
      numbers,
    )
  })

  test('has a known status for each requirement', () => {
    const odd = rows.filter(({ status }) => !/^(met|not met|not applicable)$/.test(status))
    assert.deepEqual(odd, [])
  })

  test('names for each that is met a test that exists, by its file and exact title', () => {
    const faults = rows.flatMap((row) => {
      const named = testsOf(row)
      if (row.status === 'met' && named.length === 0) return [`${row.number} names no test`]
      return named.flatMap(({ file, title }) => {
        if (!existsSync(file)) return [`${row.number}: there is no ${file}`]
        return titlesIn(file).has(title) ? [] : [`${row.number}: no "${title}" in ${file}`]
      })
    })
    assert.deepEqual(faults, [])
  })

  test('gives a reason for each that is not met or not applicable', () => {
    const silent = rows.filter((row) => row.status !== 'met' && wordsOf(row).length < 10)
    assert.deepEqual(
      silent.map(({ number }) => number),
      [],
    )
  })

  test('has the chapter that each documentation requirement refers to', () => {
    const links = [...text.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor!)
    assert.deepEqual(
      links.filter((anchor) => !anchors.has(anchor)),
      [],
    )
  })

  test('counts met, not met and not applicable requirements correctly', () => {
    const count = (status: string) => rows.filter((row) => row.status === status).length
    const counts = /(\d+) are met, (\d+) are not met and (\d+) do not apply/.exec(text)
    assert.deepEqual(counts?.slice(1).map(Number), [
      count('met'),
      count('not met'),
      count('not applicable'),
    ])
  })
})

test('the listed limits match the code', () => {
  const declared = globSync('src/**/*.ts').flatMap((path) => {
    const limit = /name: '([\w-]+)',\s*points: ([\d_]+),\s*seconds: ([\d_]+)/g
    const source = readFileSync(path, 'utf8')
    const written = [...source.matchAll(limit)].map(
      ([, name, points = '', seconds = '']) =>
        `${name} ${points.replaceAll('_', '')} ${seconds.replaceAll('_', '')}`,
    )
    // Endpoints for servers write their limits of a minute by a function.
    const of_minute = /\blimit: clientLimit\('([\w-]+)', (\d+)\)/g
    const short = [...source.matchAll(of_minute)].map(([, name, points]) => `${name} ${points} 60`)
    return [...written, ...short]
  })
  const listed = [...text.matchAll(/^\| `([\w-]+)` \| .+ \| (\d+) \| (\d+) \|$/gm)].map(
    ([, ...facts]) => facts.join(' '),
  )
  assert.ok(listed.length >= 20)
  assert.deepEqual(
    listed.filter((each) => !declared.includes(each)),
    [],
  )
})
