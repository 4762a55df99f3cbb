import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { assembleImage } from '../../deploy/image.ts'
import { buildAssets } from '../../scripts/build-assets.ts'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { createServerDatabase, SERVER_URL } from '../support/database.ts'

const MEGABYTE = 1_000_000
/** The base image that deploy/Dockerfile names has 25 MB. */
const MAX_BYTES = 275 * MEGABYTE
/** The user of the image. */
const NONROOT = 65_532
const isRoot = process.getuid?.() === 0
const SKIP =
  (SERVER_URL === undefined && 'it needs a PostgreSQL server (TEST_DATABASE_URL)') ||
  (!isRoot && 'another user can be chosen by root only')

describe('the tree of the container image', { skip: SKIP }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-image-'))
  before(async () => {
    await buildAssets()
    assembleImage(folder)
    chmodSync(folder, 0o755)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('has less than 300 MB with its base image', () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    const sizes = files.map((each) =>
      each.isFile() ? statSync(join(each.parentPath, each.name)).size : 0,
    )
    const total = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(total < MAX_BYTES, `${Math.round(total / MEGABYTE)} MB`)
  })

  test('starts as a user who can write nothing, serves pages with their assets, and stops', async () => {
    const { url, drop } = await createServerDatabase(SERVER_URL!)
    const port = await freePort()
    const child = spawn(
      join(folder, 'bin', 'node'),
      ['--import', './scripts/register-tsx.mjs', 'src/main.ts'],
      {
        cwd: folder,
        uid: NONROOT,
        gid: NONROOT,
        env: {
          ENV_FILE: devNull,
          DATABASE_URL: url.href,
          SECRET_KEY: randomBytes(32).toString('hex'),
          DATA_DIR: '/nowhere',
          DEMO: '0',
          PORT: String(port),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    let output = ''
    const exit = once(child, 'exit')
    const ready = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString()
          if (output.includes('Purser is ready')) resolve()
        })
      }
    })
    await Promise.race([ready, exit])
    assert.equal(child.exitCode, null, output)
    const base_url = `http://localhost:${port}`
    assert.equal((await fetch(`${base_url}/readyz`)).status, 200)
    const page = await (await fetch(base_url)).text()
    const [style] = /\/assets\/[^"]+\.css/.exec(page) ?? []
    assert.ok(style, page.slice(0, 500))
    assert.equal((await fetch(base_url + style)).status, 200)
    assert.equal((await fetch(`${base_url}/changelog/`)).status, 200)
    child.kill('SIGTERM')
    assert.deepEqual(await exit, [0, null], output)
    await drop()
    assert.throws(() => statSync('/nowhere'), /ENOENT/)
  })
})

test('the tree is not assembled into a folder that has something in it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-image-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'theirs'), '')
  const args = ['--import', './scripts/register-tsx.mjs', 'deploy/image.ts', folder]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [1, `${folder} is not empty. Choose a new folder.\n`])
  assert.deepEqual(readdirSync(folder), ['theirs'])
})
