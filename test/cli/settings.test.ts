/** Which of the flags, the environment and the project file a setting comes from. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readSettings } from '../../packages/cli/src/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'purser-settings-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const project = join(folder, 'purser.json')
writeFileSync(project, '{ "url": "https://file.example", "client_id": "app_file", "app": "file" }')
const of_file = { url: 'https://file.example', client_id: 'app_file', app: 'file' }

test('a flag wins over the environment, and the environment over the file', () => {
  assert.deepEqual(readSettings({ project }, {}), of_file)
  const env = { PURSER_URL: 'https://env.example/', PURSER_CLIENT_ID: 'app_env', PURSER_APP: 'env' }
  const of_env = { url: 'https://env.example', client_id: 'app_env', app: 'env' }
  assert.deepEqual(readSettings({ project }, env), of_env)
  const flags = { url: 'https://flag.example', clientId: 'app_flag', app: 'flag' }
  const of_flags = { url: 'https://flag.example', client_id: 'app_flag', app: 'flag' }
  assert.deepEqual(readSettings({ project, ...flags }, env), of_flags)
})

test('refuses a URL of the service with a path, and says which to use', () => {
  const message =
    'The URL of the service must have no path: use "https://file.example", not "https://file.example/api/v1".'
  assert.throws(() => readSettings({ url: 'https://file.example/api/v1' }, {}), { message })
})

test('says which URL of the service it needs where there is no scheme', () => {
  const message =
    'The URL of the service must start with https://, or with http:// on your own machine. It is "localhost:3000".'
  assert.throws(() => readSettings({ url: 'localhost:3000' }, {}), { message })
})

test('an empty variable of the environment does not hide the file', () => {
  const env = { PURSER_URL: '', PURSER_CLIENT_ID: '', PURSER_APP: '' }
  assert.deepEqual(readSettings({ project }, env), of_file)
})

test('says of each value of the file what is wrong with it', () => {
  const path = join(folder, 'wrong.json')
  for (const [content, message] of [
    ['{ "url": 8080 }', `"url" in ${path} must be a string.`],
    ['{ "app": null }', `"app" in ${path} must be a string.`],
    ['{ "link": "x" }', `"link" in ${path} is unknown. The file may have url, client_id, app.`],
  ] as const) {
    writeFileSync(path, content)
    assert.throws(() => readSettings({ project: path }, {}), { message })
  }
})

test('reads a project file with a byte order mark, which editors on Windows write', () => {
  const path = join(folder, 'marked.json')
  writeFileSync(path, '\ufeff{ "app": "file" }\r\n')
  assert.equal(readSettings({ project: path }, {}).app, 'file')
})
