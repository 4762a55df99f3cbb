import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addDays, isoDate } from '#platform/calendar'
import { listMailbox } from '#platform/mail'
import { sql } from '#platform/sql'
import { Agent, textOf } from '../support/agent.ts'
import { selected } from '../support/imports.ts'
import { emailTo } from '../support/mailbox.ts'
import { basic } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import type { TestService } from '../support/service.ts'
import { type BothModes, enterTestMode, openBothModes, testSecret } from '../support/test-mode.ts'

const IMPORT = '/dashboard/apps/tidepool/import/'
const EMAIL = 'real.buyer@example.com'

let modes: BothModes
let live: TestService
let there: TestService
let seller: Agent
let tester: Agent
let secret: string
before(async () => {
  modes = await openBothModes()
  live = modes.live
  there = modes.test
  await live.world.jobs.start()
  await there.world.jobs.start()
  seller = await signedIn(live, live.demo.seller)
  await seller.open('/dashboard/')
  tester = await enterTestMode(modes, seller.twin())
  secret = await testSecret(tester.twin(), live.demo.app.slug)
})
after(() => modes.close())

const file = () => {
  const end = isoDate(addDays(live.clock.now(), 5))
  return `id,product_name,user_email,status,renews_at,key\n1,Pro,${EMAIL},active,${end},REAL-KEY-1`
}

/** Imports the file by the pages, and asks for an email to each buyer. */
async function importFile(agent: Agent): Promise<string> {
  await agent.open(IMPORT)
  const columns = await agent.upload('Upload file', Buffer.from(file()), {
    source: 'lemon_squeezy',
  })
  const plans = await agent.runTask('Read file', selected(columns.body))
  const pro = /<option value="(prod_\w+)"[^>]*>Pro</.exec(plans.body)![1]!
  const dry = await agent.runTask('Start dry run', { 'plan-0': pro })
  assert.match(textOf(dry.body), /License created/)
  await agent.runTask('Import', { notify: 'yes' })
  return textOf(dry.body)
}

const validate = async ({ app, ...service }: TestService, client_secret: string) =>
  (
    await app.inject({
      method: 'POST',
      url: '/api/v1/licenses/validate',
      headers: basic({ ...service, app }, { client_secret }),
      payload: { key: 'REAL-KEY-1' },
    })
  ).json()

const emailed = async ({ world }: TestService) =>
  (await listMailbox(world.db)).filter(({ recipient }) => recipient === EMAIL)

/** Waits until no email of a mode is unsent. */
async function allSent({ world }: TestService): Promise<void> {
  for (;;) {
    const { count } = await world.db.one<{ count: number }>(
      sql`select count(*) from emails where sent_at is null`,
    )
    if (count === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('a rehearsal in test mode opens its keys there only, and emails no buyer', async () => {
  const page = await importFile(tester)
  assert.match(page, /Imported buyers get no email from test mode, now or later\./)
  await allSent(there)
  assert.deepEqual(await emailed(there), [])
  const state = await validate(there, secret)
  assert.deepEqual([state.status, state.entitled], ['active', true])
  const live_secret = live.demo.app.client_secret
  assert.equal((await validate(live, live_secret)).error, 'unknown_key')
  assert.equal((await validate(live, secret)).error, 'invalid_client')
  assert.equal((await validate(there, live_secret)).error, 'invalid_client')
})

test('a person who signs in to test mode with an imported address gets their link', async () => {
  const before_it = (await emailed(there)).length
  const person = new Agent(there.app, modes.test_url)
  await person.open('/signin/')
  await person.submit('Email me a sign-in link', { email: EMAIL })
  await allSent(there)
  assert.equal((await emailed(there)).length, before_it + 1)
})

test('the same file in live mode is a new import, with the emails that the seller asked for', async () => {
  const page = await importFile(seller)
  assert.match(page, /Email each new license holder their key/)
  await emailTo(live, EMAIL, /./)
  const live_secret = live.demo.app.client_secret
  const state = await validate(live, live_secret)
  assert.deepEqual([state.status, state.entitled], ['active', true])
  const rehearsed = await validate(there, secret)
  assert.notEqual(rehearsed.license_id, state.license_id)
})
