import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as identity from '#domain/identity'
import { deleteAccount, deleteCopies } from '#flows/account'
import { followLive } from '#flows/test-mode'
import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { declareSchedules } from '../../src/background.ts'
import { openOwner } from '../support/account.ts'
import { assertInvariants } from '../support/invariants.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import { placesOf } from '../support/places.ts'
import { buyer, purchase } from '../support/purchase.ts'
import type { TestService } from '../support/service.ts'
import { addDeveloper, type BothModes, enterTestMode, openBothModes } from '../support/test-mode.ts'

let modes: BothModes
let live: TestService
let there: TestService
before(async () => {
  modes = await openBothModes()
  live = modes.live
  there = modes.test
})
after(() => modes.close())

async function deleteInLiveMode(user_id: UserId, email: string): Promise<void> {
  const owner = await openOwner(live, { user_id, email })
  assert.equal((await deleteAccount(live.world, owner)).outcome, 'deleted')
}

/** Where test mode has an email, other than where decision 88 lets it stay. */
async function placesThere(email: string): Promise<string[]> {
  const places = await placesOf(there, email)
  return places.filter((place) => !/^(sandbox\.|public\.dev_mailbox\.)/.test(place))
}

// Guards S16
test('an account that is deleted in live mode is deleted in test mode', async () => {
  const email = 'deleted.member@example.com'
  const { agent, user_id } = await addDeveloper(live, email)
  const kept = await addDeveloper(live, 'kept.member@example.com')
  const tab = await enterTestMode(modes, agent)
  const other = await enterTestMode(modes, kept.agent)
  assert.ok((await placesThere(email)).includes('public.users.email_normalized'))
  await deleteCopies(there.world, there.world.live!)
  assert.equal((await tab.open('/dashboard/')).url, '/dashboard/')

  await deleteInLiveMode(user_id, email)
  await deleteCopies(there.world, there.world.live!)
  assert.deepEqual(await placesThere(email), [])
  assert.match((await tab.open('/dashboard/')).url, /^\/signin\//)
  assert.equal((await other.open('/dashboard/')).url, '/dashboard/')
})

// Guards S16
test('the account of a test purchase that became a copy is deleted with its purchases', async () => {
  const email = 'bought.before@example.com'
  await purchase(there, buyer(there), { email })
  // An email that is being sent at this moment is logged after it.
  await emailTo(there, email, /./)
  const { agent, user_id } = await addDeveloper(live, email)
  await enterTestMode(modes, agent)
  const copy = (await identity.findByEmail(there.world.db, email))!
  assert.notEqual(copy.id, user_id)
  await deleteInLiveMode(user_id, email)
  await followLive(there.world, there.world.live!)
  await deleteCopies(there.world, there.world.live!)
  assert.deepEqual(await placesThere(email), [])
  const licenses = sql`select status from licenses where user_id = ${copy.id}`
  assert.deepEqual(await there.world.db.rows(licenses), [{ status: 'canceled' }])
  await assertInvariants(there)
})

// Guards S16
test('a failed deletion of a copy does not delay others, and is retried', async () => {
  const emails = ['first.member@example.com', 'second.member@example.com']
  const copies = new Map<string, UserId>()
  for (const email of emails) {
    const { agent, user_id } = await addDeveloper(live, email)
    await enterTestMode(modes, agent)
    copies.set(email, (await identity.findByEmail(there.world.db, email))!.id)
    await deleteInLiveMode(user_id, email)
  }
  // The first in the order in which copies are read.
  const [[stuck, id] = ['', '']] = [...copies].sort(([, a], [, b]) => (a < b ? -1 : 1))
  // In the database, as the service's own schedule may run beside the test.
  const { db } = there.world
  await db.raw(`create function refuse_row() returns trigger language plpgsql as
    $$ begin raise exception 'refused by the test'; end $$;
    create trigger refuse_row before update on users for each row when (old.id = '${id}')
      execute function refuse_row()`)
  await deleteCopies(there.world, there.world.live!)
  for (const email of emails) {
    assert.equal((await placesThere(email)).length > 0, email === stuck, email)
  }
  await db.raw('drop trigger refuse_row on users; drop function refuse_row()')
  await deleteCopies(there.world, there.world.live!)
  assert.deepEqual(await placesThere(stuck), [])
})

test('a member gets no session in test mode by an emailed link, only by entering', async () => {
  const email = 'by.link@example.com'
  const { agent } = await addDeveloper(live, email)
  const entered = await enterTestMode(modes, agent)
  const browser = buyer(there)
  await browser.open('/signin/')
  assert.match(browser.text, /Sign in to live mode/)
  const dashboard = `href="${live.world.config.base_url}/dashboard/"`
  assert.ok(browser.page.body.includes(dashboard))
  await browser.submit('Email me a sign-in link', { email })
  await browser.open(linkIn(await emailTo(there, email, /sign-in link/), 'sign_in'))
  await browser.submit('Sign in')
  assert.equal(browser.page.url, '/test-mode/sign-in')
  assert.ok(browser.page.body.includes(dashboard))
  assert.match((await browser.open('/dashboard/')).url, /^\/signin\//)

  const after = 'link.buyer@example.com'
  await purchase(there, buyer(there), { email: after })
  await browser.open('/signin/')
  await browser.submit('Email me a sign-in link', { email: after })
  await browser.open(linkIn(await emailTo(there, after, /sign-in link/), 'sign_in'))
  await browser.submit('Sign in')
  assert.equal(browser.page.url, '/account/')

  live.clock.pass(601)
  await entered.open('/account/confirm')
  assert.ok(entered.page.body.includes(dashboard))
  assert.throws(() => entered.form('Email me a sign-in link'))
})

// Guards S16
test('test mode looks for deleted accounts every ten minutes', () => {
  const schedules: [string, string][] = []
  const jobs = {
    ...there.world.jobs,
    schedule: (name: string, cron: string) => void schedules.push([name, cron]),
  }
  declareSchedules({ ...there.world, jobs })
  assert.deepEqual(
    schedules.filter(([name]) => name === 'delete-copies'),
    [['delete-copies', '*/10 * * * *']],
  )
})
