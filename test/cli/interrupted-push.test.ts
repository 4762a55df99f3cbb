/** A push that ends between two writes, and the same file again. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { CallTool } from '../../packages/cli/src/agent/mcp.ts'
import { pushFile } from '../../packages/cli/src/commands/push.ts'
import { CliError, EXIT } from '../../packages/cli/src/exit.ts'
import { writeState } from '../../packages/cli/src/listing/file.ts'
import { readState } from '../../packages/cli/src/listing/state.ts'
import { openTerminal } from '../../packages/cli/src/terminal.ts'
import { type McpAgent, mcpAgent } from '../support/mcp.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SLUG = 'tidepool'
const SETTINGS = { app: SLUG, url: undefined, client_id: undefined }
/** The writes of the file below: plans, two descriptions, texts, sections, feature rows. */
const WRITES = 6

let service: TestService
let agent: McpAgent
const folder = mkdtempSync(join(tmpdir(), 'purser-push-'))
const path = join(folder, 'purser.yaml')
before(async () => {
  service = await openTestService()
  agent = await mcpAgent(service, { email: service.demo.seller.email })
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await service.close()
})

const call: CallTool = async (name, args = {}) => {
  const { is_error, json } = await agent.call(name, args)
  if (is_error) throw new CliError(json.error, json.message, EXIT.refused, { fields: json.fields })
  return json
}

/** Where a program ends: after a write was sent, with or without the service having done it. */
interface End {
  write: number
  is_done: boolean
}

/** Calls until the end; after it every call fails, as none comes from a program that has ended. */
function until({ write, is_done }: End): CallTool {
  let writes = 0
  let has_ended = false
  return async <Result>(name: string, args: { dry_run?: boolean } = {}) => {
    if (has_ended) throw new Error('the program has ended')
    const isWrite = args.dry_run === false
    if (isWrite && ++writes === write) {
      has_ended = true
      if (is_done) await call(name, args)
      throw new Error('the program has ended')
    }
    return await call<Result>(name, args)
  }
}

/** Pushes the file without a question. */
const push = (through: CallTool, force = false, settings = SETTINGS) => {
  const terminal = { ...openTerminal(true), result: () => {} }
  const options = { yes: true, json: true, force }
  return pushFile(through, { options, settings, terminal }, path)
}

/** Pulls, and edits every part: a new plan, a deleted one, texts that the service normalizes. */
async function pullAndEdit(round: string): Promise<void> {
  writeState(path, await readState(call, SLUG), SLUG)
  const text = readFileSync(path, 'utf8')
    .replace(/ {2}- product_id: \S+\n {4}name: Team [\s\S]*?frequency: month\n/, '')
    .replace(/ {6}- \S+ # Team .*\n/, '')
    .replace('\nversions:\n', `\nversions:\n${newPlan(round)}`)
    .replace(/\n {2}tagline: .*/, `\n  tagline: Tides ${round}`)
    .replace(/\n {4}body: /, `\n    body: "<p>Part ${round}</p >"\n    was: `)
    .replace(/\n {4}was: .*/, '')
    .replace(/product_ids:\n/, `product_ids:\n      - Team ${round}\n`)
    .replace(/(name: Pro\n {4}description: ).*/, `$1All of ${round}.`)
  writeFileSync(path, text)
}

const newPlan = (round: string) =>
  [
    `  - name: Team ${round}`,
    '    description: For crews.',
    '    prices:',
    '      - amount: "40.00"',
    '        frequency: month\n',
  ].join('\n')

async function assertPushed(round: string): Promise<void> {
  const state = await readState(call, SLUG)
  const teams = state.versions.filter(({ name }) => name.startsWith('Team '))
  assert.deepEqual(
    teams.map(({ name, description, prices }) => ({ name, description, prices })),
    [
      {
        name: `Team ${round}`,
        description: 'For crews.',
        prices: [{ amount: '40.00', frequency: 'month' }],
      },
    ],
  )
  assert.equal(state.listing.tagline, `Tides ${round}`)
  assert.equal(state.sections[0]?.body, `<p>Part ${round}</p>`)
  assert.ok(state.features[0]?.product_ids.includes(teams[0]!.product_id!))
  const pro = state.versions.find(({ name }) => name === 'Pro')
  assert.equal(pro?.description, `All of ${round}.`)
  assert.ok(readFileSync(path, 'utf8').includes(`product_id: ${teams[0]!.product_id}\n`))
}

for (let write = 1; write <= WRITES; write++) {
  for (const is_done of [false, true]) {
    const name = is_done ? 'was done' : 'was not done'
    test(`ends at write ${write}, which ${name}: the same file completes it`, async () => {
      // A token has 60 calls a minute.
      service.clock.pass(60)
      const round = `${write}${is_done ? 'b' : 'a'}`
      await pullAndEdit(round)
      await assert.rejects(push(until({ write, is_done })), /the program has ended/)
      service.clock.pass(60)
      assert.equal(await push(call), EXIT.ok)
      await assertPushed(round)
      const text = readFileSync(path, 'utf8')
      service.clock.pass(60)
      assert.equal(await push(call), EXIT.ok)
      assert.equal(readFileSync(path, 'utf8'), text)
    })
  }
}

test('a push has as many writes as the table', async () => {
  service.clock.pass(60)
  await pullAndEdit('last')
  let writes = 0
  await push(async (name, args: { dry_run?: boolean } = {}) => {
    if (args.dry_run === false) writes++
    return await call(name, args)
  })
  assert.equal(writes, WRITES)
})

test('what someone else wrote after an interrupted push is a conflict, unless forced', async () => {
  service.clock.pass(60)
  await pullAndEdit('mine')
  await assert.rejects(push(until({ write: 3, is_done: true })), /the program has ended/)
  await call('update_app_listing', { app_slug: SLUG, tagline: 'Theirs' })
  service.clock.pass(60)
  await assert.rejects(push(call), (error: CliError) => error.code === 'conflict')
  service.clock.pass(60)
  assert.equal(await push(call, true), EXIT.ok)
  await assertPushed('mine')
})

test('a push says that it saved if its file can no longer be written', async () => {
  service.clock.pass(60)
  await pullAndEdit('gone')
  const elsewhere = `${folder}-moved`
  const saved = push(async (name, args: { dry_run?: boolean } = {}) => {
    if (args.dry_run === false && existsSync(folder)) renameSync(folder, elsewhere)
    return await call(name, args)
  })
  try {
    await assert.rejects(saved, (error: unknown) => {
      assert.ok(error instanceof CliError, String(error))
      assert.match(
        error.message,
        /^The service has the changes, but .* cannot be written \(ENOENT\)\./,
      )
      return error.exit === EXIT.usage
    })
  } finally {
    renameSync(elsewhere, folder)
  }
  service.clock.pass(60)
  assert.equal(await push(call), EXIT.ok)
  await assertPushed('gone')
})

test('a check that is refused as a whole ends the push before it writes', async () => {
  service.clock.pass(60)
  await pullAndEdit('refused')
  let writes = 0
  const pushed = push(async (name, args: { dry_run?: boolean } = {}) => {
    if (args.dry_run === false) writes++
    if (args.dry_run) throw new CliError('invalid_request', 'Unreadable.', EXIT.refused)
    return await call(name, args)
  })
  await assert.rejects(pushed, /Unreadable/)
  assert.equal(writes, 0)
})

test('the file of an app is not pushed to another one, even with force', async () => {
  service.clock.pass(60)
  await pullAndEdit('own')
  const other = { ...SETTINGS, app: 'driftlog' }
  await assert.rejects(push(call, true, other), (error: CliError) => {
    assert.match(error.message, /is the file of tidepool, but the settings name driftlog\./)
    return error.exit === EXIT.usage
  })
})
