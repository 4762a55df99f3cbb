import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { ConfigError, readConfig, SETTING_NAMES } from '#platform/config'
import { systemRandom } from '#platform/random'
import { sha256 } from '#platform/secrets'

const SETTING = /^#([A-Z_]+)=/

const lines = readFileSync('.env.example', 'utf8').split('\n')
const named = lines.flatMap((line) => SETTING.exec(line)?.[1] ?? [])

test('.env.example lists each setting once, and no other', () => {
  assert.deepEqual(named.toSorted(), SETTING_NAMES.toSorted())
})

test("the README's table lists each setting, and no other", () => {
  const rows = readFileSync('README.md', 'utf8').match(/^\| `[A-Z_`, ]+` \|/gm) ?? []
  const listed = rows.flatMap((row) => row.match(/[A-Z_]+/g) ?? [])
  assert.deepEqual(listed.toSorted(), SETTING_NAMES.toSorted())
})

test('.env.example marks what production requires, and nothing else, as required', () => {
  const marked = named.filter((name) => commentOf(name).startsWith('# Required. '))
  let message = ''
  assert.throws(
    () => readConfig({ NODE_ENV: 'production' }, systemRandom),
    (error: Error) => {
      message = error.message
      return error instanceof ConfigError
    },
  )
  const [, missing = ''] = /these must be set: ([A-Z_, ]+)\./.exec(message) ?? []
  assert.deepEqual(marked.toSorted(), missing.split(', ').toSorted())
})

test('.env.example shows the defaults: with every line in use nothing changes', () => {
  const SECRET_KEY = sha256('a key for tests').toString('hex')
  const example = parseEnv(lines.map((line) => line.replace(SETTING, '$1=')).join('\n'))
  assert.deepEqual(
    readConfig({ ...example, SECRET_KEY }, systemRandom),
    readConfig({ SECRET_KEY }, systemRandom),
  )
  for (const [name, value] of Object.entries(example)) {
    assert.ok(value !== '' || / Empty|Needed with|for tests/.test(commentOf(name)), name)
  }
})

/** The lines of comment above a setting, as one text. */
function commentOf(name: string): string {
  const at = lines.findIndex((line) => line.startsWith(`#${name}=`))
  const start = lines.findLastIndex((line, i) => i < at && (line === '' || SETTING.test(line)))
  return lines.slice(start + 1, at).join(' ')
}
