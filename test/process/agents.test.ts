/** The agents' own programs, configured as the documentation says: sign-in, then the tools. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { after, before, type TestContext, test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import * as grants from '#domain/grants'
import { tools } from '../../src/surfaces/mcp/tools.ts'
import { WRITE } from '../support/agent-client.ts'
import { installFromNpm } from '../support/cached-tools.ts'
import { codeOfPage } from '../support/docs-blocks.ts'
import {
  type RunningCommand,
  started,
  startedOnTerminal,
  startedToType,
} from '../support/running-command.ts'
import {
  addPerson,
  expireAccessTokens,
  openSignInTest,
  type SignInTest,
  signInAs,
} from '../support/sign-in.ts'
import { startModel } from './agents/model.ts'

const bridge = await installFromNpm('agents-mcp-remote', {
  '@google/gemini-cli': '0.61.0',
  'mcp-remote': '0.15.1',
})
const opencode = await installFromNpm('agents-opencode', { 'opencode-ai': '1.18.33' })

const PAGE = 'docs/site/agents.md'
const LOCALHOST = `localhost:${grants.LOCALHOST_PORT}`
const LISTENING_MS = 60_000
const GEMINI_WAITS_MS = 120_000
const NAMES = tools.map(({ name }) => name).sort()
const IN_ADDRESS = String.raw`[\w.:/?&=%+~-]+`
// Ends before the first character that is not of an address, so that none is read half.
const authorizationWith = (params: string) =>
  new RegExp(String.raw`http://localhost:\d+/o/auth\?${params}(?=[^\w.:/?&=%+~-])`)
const AUTHORIZATION = authorizationWith(IN_ADDRESS)
const WRITING = authorizationWith(String.raw`${IN_ADDRESS}listing\.write${IN_ADDRESS}`)

/** A change that only write access allows. */
const CHANGE = {
  name: 'update_app_listing',
  arguments: { app_slug: 'tidepool', tagline: 'When the tide is out', dry_run: true },
}

let setup: SignInTest
let values: Record<string, string>
const work = mkdtempSync(join(tmpdir(), 'purser-agents-'))
before(async () => {
  setup = await openSignInTest()
  values = {
    mcp_url: `${setup.world.config.base_url}/mcp`,
    agent_client_id: grants.AGENT_CLIENT,
    localhost_port: String(grants.LOCALHOST_PORT),
  }
})
after(async () => {
  await setup.close()
  rmSync(work, { recursive: true, force: true })
})

/** A home folder of a program's own, and an environment in which it opens no browser. */
function homeOf(program: string, bin: string) {
  const home = join(work, program)
  mkdirSync(home)
  const env = {
    HOME: home,
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    BROWSER: 'true',
    npm_config_offline: 'true',
    OPENCODE_DISABLE_AUTOUPDATE: 'true',
    OPENCODE_DISABLE_MODELS_FETCH: 'true',
  }
  return { cwd: home, env }
}

/** Writes a file as the page has it; `~` is the home folder of the program. */
function configure(home: string, label: string): void {
  write(join(home, label.replace('~/', '')), codeOfPage(PAGE, label, values))
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

/**
 * Allows what a program requests in a signed-in browser, with these boxes checked, and returns to
 * the program. Returns the host at which it listened.
 */
async function allow(address: string, checked: Record<string, string>): Promise<string> {
  const seller = await addPerson(setup, setup.demo.seller.email)
  const browser = await signInAs(setup, seller)
  await browser.open(address)
  const { url } = await browser.submit('Allow', checked)
  const answer = await arrive(url)
  assert.equal(answer.status, 200, await answer.text())
  return new URL(url).host
}

/** Opens an address of a program, which mcp-remote announces before it listens. */
async function arrive(url: string): Promise<Response> {
  for (const end = performance.now() + LISTENING_MS; ; ) {
    try {
      return await fetch(url)
    } catch (error) {
      if (performance.now() > end) throw error
      await new Promise((done) => setTimeout(done, 50))
    }
  }
}

/** Waits until a stream contains an address. */
async function announced(stream: Readable, address: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += chunk
    const [found] = address.exec(text) ?? []
    if (found !== undefined) return found
  }
  throw new Error(`no address in:\n${text}`)
}

/** Ends a command with its test, also where the test fails before the command ends. */
function within<C extends RunningCommand>(t: TestContext, command: C): C {
  t.after(() => command.stop('SIGKILL'))
  return command
}

/** Whether a program is on this machine; otherwise skips. Larger ones are not installed here. */
function isFound(t: TestContext, program: string, name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    t.skip(`${program} is not installed (npm install --global ${name})`)
    return false
  }
}

test('mcp-remote signs in on the port of the page, and again where a tool needs more access', async (t) => {
  if (bridge.missing !== undefined) return t.skip(bridge.missing)
  const { cwd, env } = homeOf('gemini', join(bridge.folder, 'node_modules/.bin'))
  const settings = JSON.parse(codeOfPage(PAGE, '~/.gemini/settings.json', values))
  const { purser } = settings.mcpServers
  // Its list waits five seconds by default, which a busy machine needs to start mcp-remote.
  purser.timeout = GEMINI_WAITS_MS
  write(join(cwd, '.gemini/settings.json'), JSON.stringify(settings))
  assert.deepEqual([purser.command, ...purser.args.slice(0, 2)], ['npx', '-y', 'mcp-remote'])
  // Without npx, which leaves the program running where a test fails.
  const place = { command: 'mcp-remote', args: purser.args.slice(2), env, cwd }
  const transport = new StdioClientTransport({ ...place, stderr: 'pipe' })
  const stderr = transport.stderr as Readable
  const agent = new Client({ name: 'test-agent', version: '1.0.0' })
  t.after(() => agent.close())
  const connected = agent.connect(transport)
  assert.equal(await allow(await announced(stderr, AUTHORIZATION), {}), LOCALHOST)
  await connected
  const listed = await agent.listTools()
  assert.deepEqual(listed.tools.map(({ name }) => name).sort(), NAMES)

  const changed = agent.callTool(CHANGE)
  assert.equal(await allow(await announced(stderr, WRITING), WRITE), LOCALHOST)
  assert.ok(!(await changed).isError)
  await expireAccessTokens(setup)
  assert.ok(!(await agent.callTool(CHANGE)).isError)

  // In this folder npx finds the program that is installed there.
  const trusted = { ...env, GEMINI_CLI_TRUST_WORKSPACE: 'true' }
  const list = started('gemini', ['mcp', 'list'], { cwd: bridge.folder, env: trusted })
  assert.match((await within(t, list).end).stderr, /purser: npx .* - Connected/)
})

test('OpenCode signs in at 127.0.0.1, offers every tool, and changes what it was allowed to', async (t) => {
  if (opencode.missing !== undefined) return t.skip(opencode.missing)
  const place = homeOf('opencode', join(opencode.folder, 'node_modules/.bin'))
  configure(place.cwd, 'opencode.json')
  // Installed without its scripts; this one links the program of this machine.
  const folder = join(opencode.folder, 'node_modules/opencode-ai')
  const linked = await started(process.execPath, ['postinstall.mjs'], { ...place, cwd: folder }).end
  assert.equal(linked.code, 0, linked.stderr)
  const login = within(t, started('opencode', ['mcp', 'auth', 'purser'], place))
  const [address] = await login.seen(AUTHORIZATION)
  assert.match(await allow(address, WRITE), /^127\.0\.0\.1:\d+$/)
  const { code, stdout } = await login.end
  assert.equal(code, 0, stdout)
  await expireAccessTokens(setup)

  await using model = await startModel({ ...CHANGE, name: `purser_${CHANGE.name}` })
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: model.base_url, apiKey: 'none' },
    models: { model: {} },
  }
  const settings = { model: 'here/model', small_model: 'here/model', provider: { here: provider } }
  write(join(place.cwd, '.config/opencode/opencode.json'), JSON.stringify(settings))
  const run = await within(t, started('opencode', ['run', 'Change the tagline.'], place)).end
  const offered = model.offered().filter((name) => name.startsWith('purser_'))
  assert.deepEqual(offered.map((name) => name.slice('purser_'.length)).sort(), NAMES, run.stderr)
  assert.match(model.answered(), /"tagline":"When the tide is out"/)
})

test('Codex signs in at 127.0.0.1 and lists every tool', async (t) => {
  if (!isFound(t, 'codex', '@openai/codex')) return
  const place = homeOf('codex', '')
  configure(place.cwd, '~/.codex/config.toml')
  const login = within(t, started('codex', ['mcp', 'login', 'purser'], place))
  const [address] = await login.seen(AUTHORIZATION)
  assert.match(await allow(address, WRITE), /^127\.0\.0\.1:\d+$/)
  const { code, stderr } = await login.end
  assert.equal(code, 0, stderr)
  await expireAccessTokens(setup)

  const server = within(t, startedToType('codex', ['app-server'], place))
  const clientInfo = { name: 'test', title: 'test', version: '1.0.0' }
  const calls = [
    { id: 1, method: 'initialize', params: { clientInfo } },
    { method: 'initialized' },
    { id: 2, method: 'mcpServerStatus/list', params: {} },
  ]
  server.type(calls.map((call) => `${JSON.stringify(call)}\n`).join(''))
  const [line] = await server.seen(/^\{"id":2,.*\}$/m)
  const [{ name, tools: listed }] = JSON.parse(line).result.data
  assert.equal(name, 'purser')
  assert.deepEqual(Object.keys(listed).sort(), NAMES)
})

test('Claude Code signs in on the port of the page and connects', async (t) => {
  if (!isFound(t, 'claude', '@anthropic-ai/claude-code')) return
  const place = homeOf('claude', '')
  const command = codeOfPage(PAGE, 'Add Purser to Claude Code', values)
  const added = await started('sh', ['-c', command], place).end
  assert.equal(added.code, 0, added.stderr)
  const login = within(t, startedOnTerminal(['claude', 'mcp', 'login', 'purser'], place))
  const [address] = await login.seen(AUTHORIZATION)
  assert.equal(await allow(address, WRITE), LOCALHOST)
  await login.seen(/Authenticated with "purser"/)
  await expireAccessTokens(setup)
  const list = await within(t, started('claude', ['mcp', 'list'], place)).end
  assert.match(list.stdout, /purser: .* Connected/)
})
