/**
 * Listings as files: `purser pull` and `purser push` of the packed program, against one real
 * service.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type CliSeller, openCliSeller } from '../support/cli-seller.ts'

let opened: CliSeller
let setup: CliSeller['setup']
let cli: CliSeller['cli']
let settings: CliSeller['settings']
let purser: CliSeller['purser']
let signIn: CliSeller['signIn']
before(async () => {
  opened = await openCliSeller()
  ;({ setup, cli, settings, purser, signIn } = opened)
})
after(() => opened?.[Symbol.asyncDispose]())

const FILE = 'app.yaml'
const read = () => readFileSync(join(cli.folder, FILE), 'utf8')
const edit = (change: (text: string) => string) =>
  writeFileSync(join(cli.folder, FILE), change(read()))

describe('purser pull and push', () => {
  // A token has 60 calls a minute.
  beforeEach(async () => {
    await signIn()
  })

  test('a pulled file has nothing to push, and a second pull is the same', async () => {
    assert.equal((await purser(['pull', FILE])).code, 0)
    const text = read()
    assert.match(text, /\n {2}- product_id: prod_\w+\n {4}name: Pro\n/)
    assert.match(text, /- prod_\w+ # Pro\n/)
    const { code, json } = await purser(['push', FILE, '--json', '--yes'])
    assert.deepEqual([code, json.changes], [0, []])
    assert.equal((await purser(['pull', FILE])).code, 0)
    assert.equal(read(), text)
  })

  test('push shows the diff, and saves nothing without --yes or with --dry-run', async () => {
    edit(
      (text) =>
        `# My notes\n${text.replace('"12.00"', '15.00').replace(/tagline: .*/, 'tagline: New')}`,
    )
    const asked = await purser(['push', FILE, '--json'])
    assert.deepEqual([asked.code, asked.json.error], [2, 'confirmation_required'])
    const dry = await purser(['push', FILE, '--dry-run'])
    assert.equal(dry.code, 0)
    assert.match(dry.stdout, /^- {6}- amount: "12.00"\n\+ {6}- amount: "15.00"$/m)
    assert.match(dry.stdout, /^\+ {2}tagline: New$/m)
    assert.match(dry.stdout, /Nothing was saved/)
    const prices = await purser(['links', '--json', '--no-check'])
    assert.match(prices.json.links[0].label, /\$12\.00/)
  })

  test('push writes what changed, with receipts, and keeps comments', async () => {
    const { code, json } = await purser(['push', FILE, '--yes', '--json'])
    assert.equal(code, 0)
    assert.deepEqual(
      json.changes.map(({ tool }: { tool: string }) => tool),
      ['replace_versions', 'update_app_listing'],
    )
    for (const { audit_id } of json.changes) assert.match(audit_id, /^\w+_\w+$/)
    assert.match(read(), /^# My notes/)
    const again = await purser(['push', FILE, '--yes', '--json'])
    assert.deepEqual([again.code, again.json.changes], [0, []])
  })

  test('a new plan gets its ID in the file, and feature rows may name it', async () => {
    edit((text) =>
      text
        .replace(
          /\nversions:\n/,
          '\nversions:\n  - name: Team\n    description: For crews.\n    is_free: false\n    prices:\n      - amount: "40.00"\n        frequency: month\n',
        )
        .replace(/product_ids:\n/, 'product_ids:\n      - Team\n'),
    )
    const { code, json, stderr } = await purser(['push', FILE, '--yes', '--json'])
    assert.equal(code, 0, stderr)
    assert.deepEqual(
      json.changes.map(({ tool }: { tool: string }) => tool),
      ['replace_versions', 'update_product_description', 'replace_feature_table'],
    )
    assert.match(read(), /- product_id: prod_\w+\n {4}name: Team/)
    const again = await purser(['push', FILE, '--yes', '--json'])
    assert.deepEqual([again.code, again.json.changes], [0, []], again.stdout)
  })

  test('push names removed items and Buy links that stop working', async () => {
    edit((text) => text.replace(/ {2}- product_id: prod_\w+\n {4}name: Team[\s\S]*?month\n/, ''))
    const wrong = await purser(['push', FILE, '--yes', '--json'])
    assert.deepEqual([wrong.code, wrong.json.error], [2, 'wrong_use'])
    assert.match(wrong.json.fields[0].path, /^features\[0\]\.product_ids\[0\]$/)
    edit((text) => text.replace(/ {6}- Team\n/, ''))
    const { code, stderr } = await purser(['push', FILE, '--yes'])
    assert.equal(code, 0, stderr)
    assert.match(stderr, /Removed\n {2}(version|price): /)
    assert.match(stderr, /Buy links that stop working\n {2}\/buy\/prc_\w+\//)
  })

  test('every invalid field is listed with its place in the file, and nothing is saved', async () => {
    const good = read()
    edit((text) =>
      text.replace('15.00', '"0.10"').replace(/tagline: .*/, `tagline: ${'a'.repeat(121)}`),
    )
    const { code, json } = await purser(['push', FILE, '--yes', '--json'])
    assert.deepEqual([code, json.error], [3, 'invalid_request'])
    const paths = json.fields.map(({ path }: { path: string }) => path)
    assert.deepEqual(paths, ['versions[1].prices[0].amount', 'listing.tagline'])
    writeFileSync(join(cli.folder, FILE), 'app: [')
    assert.equal((await purser(['push', FILE])).code, 2)
    writeFileSync(join(cli.folder, FILE), good)
  })

  test('pull names what is wrong with a file, and replaces it with --force', async () => {
    const good = read()
    for (const [text, problem] of [
      ['app: [', /app\.yaml is not valid YAML: /],
      ['- Pro', /app\.yaml is invalid\./],
    ] as const) {
      writeFileSync(join(cli.folder, FILE), text)
      const { code, json } = await purser(['pull', FILE, '--json'])
      assert.equal(code, 2)
      assert.match(json.message, problem)
      assert.match(json.message, /Correct it, or replace it with purser pull --force\.$/)
      assert.equal(read(), text)
      assert.equal((await purser(['pull', FILE, '--force'])).code, 0)
      assert.match(read(), /^app: tidepool$/m)
    }
    writeFileSync(join(cli.folder, FILE), good)
  })

  test('a change on the service since the pull is a conflict, unless forced', async () => {
    const other = 'other.yaml'
    assert.equal((await purser(['pull', other])).code, 0)
    const path = join(cli.folder, other)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(/tagline: .*/, 'tagline: From another file'))
    assert.equal((await purser(['push', other, '--yes'])).code, 0)
    edit((each) => each.replace(/tagline: .*/, 'tagline: From this file'))
    const refused = await purser(['push', FILE, '--yes', '--json'])
    assert.deepEqual([refused.code, refused.json.error], [6, 'conflict'])
    const kept = await purser(['pull', FILE, '--json'])
    assert.deepEqual([kept.code, kept.json.error], [6, 'file_edited'])
    assert.equal((await purser(['push', FILE, '--yes', '--force'])).code, 0)
    assert.equal((await purser(['pull', FILE, '--json'])).code, 0)
    assert.match(read(), /tagline: From this file/)
  })
})

describe('prompts on a terminal', () => {
  const tagline = async () => {
    const { client_id } = setup.demo.app
    const answer = await fetch(`${settings.PURSER_URL}/api/v1/public/apps/${client_id}/`)
    return (await answer.json()).tagline
  }

  test('push saves for yes only: not for another answer, an empty line, Ctrl-D or Ctrl-C', async () => {
    await signIn()
    assert.equal((await purser(['pull', FILE, '--force'])).code, 0)
    const before = await tagline()
    edit((text) => text.replace(/tagline: .*/, 'tagline: Asked first'))
    for (const [typed, code] of [
      ['n\r', 1],
      ['\r', 1],
      ['yesterday\r', 1],
      ['\x04', 1],
      ['\x03', 130],
    ] as const) {
      const asked = cli.onTerminal(['push', FILE], settings)
      await asked.seen(/\+ {2}tagline: Asked first[\s\S]*Save these changes\? .*\[y\/N\] /)
      asked.type(typed)
      const ended = await asked.end
      assert.equal(ended.code, code, JSON.stringify(typed))
      assert.doesNotMatch(ended.stdout, /AbortError/)
      assert.equal(await tagline(), before)
    }
    const agreed = cli.onTerminal(['push', FILE], settings)
    await agreed.seen(/\[y\/N\] /)
    agreed.type('y\r')
    const { code, stdout } = await agreed.end
    assert.equal(code, 0, stdout)
    assert.match(stdout, /Saved Tidepool\./)
    assert.equal(await tagline(), 'Asked first')
  })

  test('pull asks before it overwrites a file with changes', async () => {
    await signIn()
    edit((text) => text.replace(/tagline: .*/, 'tagline: Not pushed'))
    const kept = cli.onTerminal(['pull', FILE], settings)
    await kept.seen(/Overwrite app\.yaml, which has changes .*\[y\/N\] /)
    kept.type('n\r')
    assert.equal((await kept.end).code, 1)
    assert.match(read(), /tagline: Not pushed/)
    const overwritten = cli.onTerminal(['pull', FILE], settings)
    await overwritten.seen(/\[y\/N\] /)
    overwritten.type('yes\r')
    assert.equal((await overwritten.end).code, 0)
    assert.match(read(), /tagline: Asked first/)
  })
})
