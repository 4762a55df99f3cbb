/** The exit code of `purser links` for what the service answers to the links. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CheckedLink, links } from '../../packages/cli/src/commands/links.ts'
import { asCliError, type CliError, EXIT } from '../../packages/cli/src/exit.ts'
import { openTerminal } from '../../packages/cli/src/terminal.ts'
import { type Reply, startFakeService } from '../client/fake-service.ts'

const PRICE = { public_id: 'prc_1', product_name: 'Pro', amount: '12.00', frequency: 'month' }

/** Checks the links of an app whose buy link and manage page get these replies. */
async function exitCode(buy: Reply, manage: Reply): Promise<number> {
  await using service = await startFakeService(({ path }) => {
    if (path.startsWith('/buy/')) return buy
    if (path.startsWith('/manage/')) return manage
    const app = { client_id: 'app_1', app_name: 'Tidepool', has_free_tier: false }
    return { body: { ...app, prices: [PRICE] } }
  })
  const settings = { url: service.url, client_id: 'app_1', app: undefined }
  return await links({ settings, options: { check: true }, terminal: openTerminal(true) })
}

test('distinguishes an outage from a link that does not work', async () => {
  const works = { body: {} }
  assert.equal(await exitCode(works, works), EXIT.ok)
  assert.equal(await exitCode({ status: 503, body: {} }, works), EXIT.unreachable)
  assert.equal(await exitCode({ status: 429, body: {} }, { reset: true }), EXIT.unreachable)
  assert.equal(await exitCode({ status: 404, body: {} }, works), EXIT.negative)
  assert.equal(await exitCode({ status: 404, body: {} }, { status: 503, body: {} }), EXIT.negative)
})

test('opens the links that it prints, without the affiliate code', async () => {
  const app = { client_id: 'app_1', app_name: 'Tidepool', has_free_tier: false }
  await using service = await startFakeService(() => ({ body: { ...app, prices: [PRICE] } }))
  const settings = { url: service.url, client_id: 'app_1', app: undefined }
  const more = { ref: 'friend', email: 'a@example.com', discount: 'SPRING' }
  const options = { check: true, next: 'https://app.example/', ...more }
  await links({ settings, options, terminal: openTerminal(true) })
  const opened = service.requests.map(({ path }) => path).filter((path) => !/api/.test(path))
  const next = `next=${encodeURIComponent(options.next)}`
  assert.deepEqual(opened, [
    `/buy/prc_1/?${next}&email=a%40example.com&discount=SPRING`,
    `/manage/app_1/?${next}`,
  ])
})

/** Checks buy links with a code; `refusals` says why each product does not take it. */
async function checkWithCode(refusals: (string | null)[]) {
  const prices = refusals.map((_, at) => ({ ...PRICE, public_id: `prc_${at}` }))
  await using service = await startFakeService(({ path }) => {
    if (path.startsWith('/api/')) {
      return { body: { client_id: 'app_1', app_name: 'Tidepool', has_free_tier: false, prices } }
    }
    const refusal = refusals[Number(/prc_(\d+)/.exec(path)?.[1])]
    if (!refusal || !path.includes('discount=')) return { body: {} }
    return { body: `<div data-code-not-applied="Why." data-code-refusal="${refusal}">` }
  })
  const settings = { url: service.url, client_id: 'app_1', app: undefined }
  const { promise, resolve } = Promise.withResolvers<{ links: CheckedLink[] }>()
  const terminal = { ...openTerminal(true), result: resolve as () => void }
  const exit = await links({ settings, options: { check: true, discount: 'SPRING' }, terminal })
  const withCode = service.requests.filter(({ path }) => path.includes('discount=')).length
  const buy = (await promise).links.slice(0, -1)
  return { exit, withCode, buy }
}

test('a link works whose plan a discount code does not apply to', async () => {
  const { exit, buy } = await checkWithCode([null, 'other_product'])
  assert.equal(exit, EXIT.ok)
  const states = buy.map(({ is_working, problem, note }) => ({ is_working, problem, note }))
  assert.deepEqual(states, [
    { is_working: true, problem: null, note: null },
    {
      is_working: true,
      problem: null,
      note: 'The link works. The discount code does not apply to this plan.',
    },
  ])
  const none = await checkWithCode(['other_product', 'other_product'])
  assert.equal(none.exit, EXIT.negative, 'a code for no plan that is sold')
})

test('a code that applies to no plan is asked about once', async () => {
  const { exit, withCode, buy } = await checkWithCode(Array.from({ length: 25 }, () => 'unknown'))
  assert.deepEqual([exit, withCode], [EXIT.negative, 1])
  for (const { is_working, problem } of buy) {
    assert.deepEqual([is_working, problem], [false, 'Discount code not applied. Why.'])
  }
})

test('says what to do where the app cannot be bought', async () => {
  const body = {
    error: 'not_found',
    message: 'No such endpoint, page or app.',
    request_id: 'req_1',
  }
  await using service = await startFakeService(() => ({ status: 404, body }))
  const settings = { url: service.url, client_id: 'app_1', app: undefined }
  const run = links({ settings, options: { check: true }, terminal: openTerminal(true) })
  await assert.rejects(run, (error: CliError) => {
    assert.deepEqual(
      [error.code, error.exit, error.request_id],
      ['not_found', EXIT.refused, 'req_1'],
    )
    assert.match(error.message, /unknown, not published.+Check the client ID/)
    return true
  })
})

test('refuses a text that is no affiliate code, and opens nothing', async () => {
  await using service = await startFakeService(() => assert.fail('nothing is requested'))
  const settings = { url: service.url, client_id: 'app_1', app: undefined }
  const terminal = openTerminal(true)
  for (const ref of ['A B', 'abc', 'a'.repeat(33), 'caf\u00e9']) {
    const run = links({ settings, options: { check: true, ref }, terminal })
    await assert.rejects(run, ({ exit, message }: CliError) => {
      assert.equal(exit, EXIT.usage)
      assert.match(message, /^--ref must have 4 to 32 characters/)
      return true
    })
  }
})

test('names the option for an address that is none, and opens nothing', async () => {
  await using service = await startFakeService(() => assert.fail('nothing is requested'))
  const settings = { url: service.url, client_id: 'app_1', app: undefined }
  const terminal = openTerminal(true)
  for (const next of ['/return', 'app.example', 'ftp://app.example/']) {
    const run = links({ settings, options: { check: true, next }, terminal })
    await assert.rejects(run, ({ exit, message }: CliError) => {
      assert.equal(exit, EXIT.usage)
      assert.match(message, /^--next must be an absolute http or https address\.$/)
      return true
    })
  }
})

test('names the option to correct where another service answers', async () => {
  await using service = await startFakeService(() => ({ body: '<h1>Welcome</h1>' }))
  const settings = { url: service.url, client_id: 'app_1', app: undefined }
  const run = links({ settings, options: { check: true }, terminal: openTerminal(true) })
  await assert.rejects(run, (error) => {
    const { code, message } = asCliError(error)!
    assert.equal(code, 'unexpected_answer')
    assert.match(
      message,
      /^The response is not from Purser \(status 200\)\. Check the URL of the service: --url/,
    )
    assert.doesNotMatch(message, /base_url/)
    return true
  })
})
