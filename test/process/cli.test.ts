/**
 * The packed command line program against one real service; `cli-listing.test.ts` has its listings.
 */
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type CliSeller, openCliSeller } from '../support/cli-seller.ts'
import { buyer, purchase } from '../support/purchase.ts'

let opened: CliSeller
let setup: CliSeller['setup']
let cli: CliSeller['cli']
let bought: CliSeller['bought']
let settings: CliSeller['settings']
let purser: CliSeller['purser']
let signIn: CliSeller['signIn']
before(async () => {
  opened = await openCliSeller()
  ;({ setup, cli, bought, settings, purser, signIn } = opened)
})
after(() => opened?.[Symbol.asyncDispose]())

describe('npx purser', () => {
  test('runs from the tarball, with the service of a project file', async () => {
    const { client_id } = setup.demo.app
    const project = { url: settings.PURSER_URL, client_id }
    writeFileSync(join(cli.folder, 'purser.json'), JSON.stringify(project))
    const secret = { PURSER_CLIENT_SECRET: settings.PURSER_CLIENT_SECRET! }
    const { code, json, stderr } = await cli.npx(['doctor', '--json'], secret)
    assert.equal(stderr, '')
    const statuses = json.checks.map((check: { name: string; status: string }) => {
      return [check.name, check.status]
    })
    assert.deepEqual(Object.fromEntries(statuses), {
      settings: 'passed',
      service: 'passed',
      clock: 'passed',
      app: 'passed',
      prices: 'passed',
      buy_link: 'passed',
      credentials: 'passed',
      integration: 'skipped',
    })
    assert.equal(code, 0)
  })

  test('refuses a project file with a secret, and never prints the secret', async () => {
    const path = join(cli.folder, 'secret.json')
    writeFileSync(path, JSON.stringify({ client_secret: 'very-secret' }))
    const { code, stdout, stderr } = await purser(['doctor', '--project', path])
    assert.equal(code, 2)
    assert.match(stderr, /Remove "client_secret"/)
    assert.doesNotMatch(stdout + stderr, /very-secret/)
  })
})

describe('purser doctor', () => {
  test('says what to do about a wrong secret, and exits with 1', async () => {
    const { code, stdout } = await purser(['doctor'], { PURSER_CLIENT_SECRET: 'wrong' })
    assert.equal(code, 1)
    assert.match(stdout, /✗ Client secret: refused\n {2}Check that it is the secret of app_/)
    assert.match(stdout, /1 of 8 checks failed\./)
    assert.ok(!stdout.includes('\u001b['))
  })

  test('distinguishes a missing service from an unknown app', async () => {
    const gone = await purser(['doctor', '--json', '--url', 'http://127.0.0.1:9'])
    assert.equal(gone.code, 1)
    assert.equal(gone.json.checks[1].status, 'failed')
    const unknown = await purser(['doctor', '--json', '--client-id', 'app_Nothing'])
    assert.equal(unknown.json.checks[3].status, 'failed')
    assert.match(unknown.json.checks[3].detail, /not published/)
  })
})

describe('purser validate', () => {
  test('answers 0 for an entitled key, in an argument or on stdin', async () => {
    for (const run of [
      purser(['validate', bought.license_key, '--json']),
      purser(['validate', '--json'], {}, `${bought.license_key}\n`),
    ]) {
      const { code, json } = await run
      assert.equal(code, 0)
      assert.deepEqual([json.entitled, json.status], [true, 'active'])
    }
  })

  test('answers 1 for an unknown key, 3 for a wrong secret, 4 without a service', async () => {
    const unknown = await purser(['validate', 'key_unknown', '--json'])
    assert.deepEqual([unknown.code, unknown.json.error], [1, 'unknown_key'])
    assert.match(unknown.json.request_id, /^req_/)
    const refused = await purser(['validate', 'key_x', '--json'], { PURSER_CLIENT_SECRET: 'no' })
    assert.deepEqual([refused.code, refused.json.error], [3, 'invalid_client'])
    const gone = await purser(['validate', 'key_x', '--url', 'http://127.0.0.1:9', '--json'])
    assert.deepEqual([gone.code, gone.json.error], [4, 'unreachable'])
  })

  test('answers 2 to wrong use, as JSON too', async () => {
    for (const args of [['validate'], ['validate', 'a', 'b'], ['refund'], ['validate', '--no']]) {
      const { code, json } = await purser([...args, '--json'])
      assert.deepEqual([code, json.error], [2, 'wrong_use'], args.join(' '))
    }
    const { code, stderr } = await purser(['validate', 'key_x'], { PURSER_CLIENT_SECRET: '' })
    assert.equal(code, 2)
    assert.match(stderr, /PURSER_CLIENT_SECRET/)
  })

  test('says how to give a key, where a terminal has none on stdin', async () => {
    const { code, stdout } = await cli.onTerminal(['validate'], settings).end
    assert.equal(code, 2)
    assert.match(stdout, /Give a license key, as an argument or on stdin\./)
  })

  test('sends no secret over http to another machine', async () => {
    const { code, stderr } = await purser(['validate', 'key_x', '--url', 'http://purser.example'])
    assert.equal(code, 2)
    assert.match(stderr, /must use https/)
  })
})

describe('purser order', () => {
  test('prints the license, and the whole key only when asked', async () => {
    const { code, json } = await purser(['order', bought.svc_order, '--json'])
    assert.equal(code, 0)
    assert.equal(json.license_key, `${bought.license_key.slice(0, 8)}…`)
    const shown = await purser(['order', bought.svc_order, '--show-key'])
    assert.ok(shown.stdout.includes(bought.license_key))
    const forged = await purser(['order', 'forged', '--json'])
    assert.deepEqual([forged.code, forged.json.error], [1, 'unknown_order'])
  })
})

describe('purser links', () => {
  test('builds and opens each link, without a secret', async () => {
    const { url } = setup.demo.app
    const args = ['links', '--json', '--next', `${url}/return`, '--email', 'a@example.com']
    const { code, json } = await purser(args, { PURSER_CLIENT_SECRET: '' })
    assert.equal(code, 0)
    const { prices } = setup.demo.app
    assert.equal(json.links.length, prices.length + 1)
    for (const link of json.links) assert.equal(link.is_working, true, link.problem)
    assert.match(json.links[0].url, /\?next=.+&email=a%40example.com$/)
  })

  test('exits with 1 for a return URL on another domain', async () => {
    const { code, stdout } = await purser(['links', '--next', 'https://elsewhere.example/'])
    assert.equal(code, 1)
    assert.match(stdout, /✗ Pro, \$12.00 per month\n.*\n.*registered domain/)
  })

  test('exits with 1 for a discount code that does not apply, and says why', async () => {
    const { code, json } = await purser(['links', '--json', '--discount', 'MADE-UP'])
    assert.equal(code, 1)
    const [buy, manage] = [json.links[0], json.links.at(-1)]
    assert.deepEqual([buy.is_working, manage.is_working], [false, true])
    assert.match(buy.problem, /^Discount code not applied\. This code does not exist\./)
  })
})

describe('purser login', () => {
  test('a canceled sign-in stores nothing', async () => {
    const { end, text } = await signIn('Cancel')
    assert.deepEqual([end.code, end.json.error], [1, 'access_denied'])
    assert.match(text, /canceled/)
    const { code, json } = await purser(['pull', '--json'])
    assert.deepEqual([code, json.error], [5, 'sign_in_required'])
  })

  test('stores tokens that only the user can read, and prints none', async () => {
    const { end } = await signIn()
    assert.equal(end.code, 0, end.stderr)
    assert.deepEqual(end.json.scopes.toSorted(), [
      'integrations.read',
      'listing.read',
      'listing.write',
    ])
    const path = join(cli.folder, 'config/purser/tokens.json')
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const [stored] = Object.values(JSON.parse(readFileSync(path, 'utf8')))
    const { access_token, refresh_token } = stored as Record<string, string>
    for (const token of [access_token!, refresh_token!]) {
      assert.ok(token.length > 20)
      assert.ok(!(end.stdout + end.stderr).includes(token))
    }
  })

  test('revokes the tokens of the previous sign-in', async () => {
    const path = join(cli.folder, 'config/purser/tokens.json')
    const { access_token } = JSON.parse(readFileSync(path, 'utf8'))[settings.PURSER_URL!]
    const { end } = await signIn()
    assert.equal(end.code, 0, end.stderr)
    const headers = { authorization: `Bearer ${access_token}`, accept: 'application/json' }
    const answer = await fetch(`${settings.PURSER_URL}/mcp`, { method: 'POST', headers })
    assert.equal(answer.status, 401)
    assert.equal((await purser(['pull', 'again.yaml', '--json'])).code, 0)
  })

  test('refreshes expired tokens once for concurrent commands', async () => {
    setup.clock.pass(3700)
    const path = join(cli.folder, 'config/purser/tokens.json')
    const all = JSON.parse(readFileSync(path, 'utf8'))
    const url = settings.PURSER_URL!
    all[url].expires_at = 0
    writeFileSync(path, JSON.stringify(all))
    const runs = await Promise.all(
      ['one', 'two', 'three'].map((name) => purser(['pull', `${name}.yaml`, '--json'])),
    )
    assert.deepEqual(
      runs.map(({ code }) => code),
      [0, 0, 0],
    )
    const { access_token } = JSON.parse(readFileSync(path, 'utf8'))[url]
    assert.notEqual(access_token, all[url].access_token)
    const again = await purser(['pull', 'four.yaml', '--json'])
    assert.equal(again.code, 0)
  })

  test('lets doctor check the integration settings', async () => {
    const { json } = await purser(['doctor', '--json'])
    const last = json.checks.at(-1)
    assert.deepEqual([last.name, last.status], ['integration', 'passed'], last.detail)
  })
})

describe('the prompt for the client secret', () => {
  test('the client secret is not shown while it is typed, and can be corrected', async () => {
    const { PURSER_CLIENT_SECRET: secret = '', ...rest } = settings
    const asked = cli.onTerminal(['validate', bought.license_key], rest)
    await asked.seen(/Client secret: /)
    asked.type(`${secret}x\x7f\r`)
    const { code, stdout } = await asked.end
    assert.equal(code, 0, stdout)
    assert.match(stdout, /active/)
    assert.ok(!stdout.includes(secret.slice(0, 8)))
    const stopped = cli.onTerminal(['validate', bought.license_key], rest)
    await stopped.seen(/Client secret: /)
    stopped.type('\x03')
    assert.equal((await stopped.end).code, 130)
    const ended = cli.onTerminal(['validate', bought.license_key], rest)
    await ended.seen(/Client secret: /)
    ended.type(`${secret}\x04`)
    assert.equal((await ended.end).code, 0)
  })
})

describe('purser logout', () => {
  test('revokes and deletes the tokens', async () => {
    const path = join(cli.folder, 'config/purser/tokens.json')
    const { access_token } = JSON.parse(readFileSync(path, 'utf8'))[settings.PURSER_URL!]
    const { code, json } = await purser(['logout', '--json'])
    assert.deepEqual([code, json.was_signed_in], [0, true])
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), {})
    const headers = { authorization: `Bearer ${access_token}`, accept: 'application/json' }
    const answer = await fetch(`${settings.PURSER_URL}/mcp`, { method: 'POST', headers })
    assert.equal(answer.status, 401)
    assert.equal((await purser(['pull', '--json'])).code, 5)
  })
})

describe('purser scenario and tail', () => {
  test('lists the scenarios, and runs one to its end', async () => {
    const listed = await purser(['scenario', '--json'])
    assert.deepEqual([listed.code, listed.json.scenarios.length], [0, 7])
    const { code, json, stderr } = await purser(['scenario', 'declined', '--json', '--show-key'])
    assert.equal(code, 0, stderr)
    assert.deepEqual([json.status, json.license_status], ['completed', 'past_due'])
    const validated = await purser(['validate', json.license_key, '--json'])
    assert.deepEqual([validated.code, validated.json.status], [1, 'past_due'])
    const wrong = await purser(['scenario', 'recovered', '--retry', '9', '--json'])
    assert.deepEqual([wrong.code, wrong.json.fields[0].path], [3, 'retry'])
  })

  test('prints events as they come, as JSON lines, until it is interrupted', async () => {
    setup.clock.pass(2)
    const args = ['tail', '--json', '--events', '1', '--interval', '1']
    const running = cli.start(args, settings)
    const email = 'tail@example.com'
    await running.seen(/"kind":/)
    await purchase(setup, buyer(setup), { email })
    setup.clock.pass(2)
    await running.seen(/"kind":"email".*"email":"tail@example\.com"/)
    running.stop('SIGINT')
    const { code, stdout, stderr } = await running.end
    assert.deepEqual([code, stderr], [0, ''])
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const own = events.filter((event) => event.email === email).map(({ kind }) => kind)
    assert.deepEqual(own.slice(0, 3), ['paid', 'status', 'email'])
    const past = await purser(['tail', '--no-follow', '--events', '4'])
    assert.equal(past.stdout.trim().split('\n').length, 4)
    assert.match(past.stdout, /Purchase paid {2}\$\d+\.\d\d {2}tail@example\.com/)
  })
})
