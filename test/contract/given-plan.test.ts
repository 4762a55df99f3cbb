import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import { endNow, givePlan } from '#flows/subscription'
import { addDays, isoDate } from '#platform/calendar'
import type { LicenseId, ProductId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { sellerActor } from '../support/refunds.ts'
import {
  browser,
  entitlementOf,
  openSignInTest,
  type SignInTest,
  signInAs,
  signInToApp,
} from '../support/sign-in.ts'
import { DAY, runDue, stateOf } from '../support/subscriber.ts'

// Guards point 7 of issue 11: a plan that a seller gave (decision 110), for the seller's server.

const DAYS = 10

let setup: SignInTest
before(async () => {
  setup = await openSignInTest()
})
after(() => setup.close())

interface Given {
  license_id: LicenseId
  user_id: UserId
  license_key: string
}

/** Gives Pro, until some days from now or without an end. */
async function give(email: string, days?: number): Promise<Given> {
  const { world, clock, demo } = setup
  const app_id = demo.app.client_id
  const { id: product_id } = await world.db.one<{ id: ProductId }>(
    sql`select id from products where app_id = ${app_id} and name = 'Pro'`,
  )
  const ends_at = days === undefined ? null : addDays(clock.now(), days)
  const plan = { app_id, product_id, email, email_normalized: email, ends_at }
  const actor = await sellerActor(setup)
  const given = await givePlan(world, actor, { ...plan, reason: 'A contributor' })
  assert.equal(given.outcome, 'given')
  const license = await licensing.findLive(world.db, { app_id, email_normalized: email })
  const { license_id, user_id } = license!
  return { license_id, user_id, license_key: licensing.showKey(world.keys, license!) }
}

/** Signs the person in to the app, with the mailbox that their email's link confirms. */
async function tokenOf({ user_id }: Given): Promise<string> {
  await identity.proveMailbox(setup.world.db, setup.clock.now(), user_id)
  const agent = await signInAs(setup, { user_id }, { agent: browser(setup) })
  return (await signInToApp(setup, agent)).access_token
}

const stateFor = ({ license_key }: Given) => stateOf(setup, { license_key, app: setup.demo.app })

/** What the endpoint answers to the token of a sign-in. */
async function entitled(token: string) {
  const { version, status, entitled, period_end } = (await entitlementOf(setup, token)).json()
  return { version, status, entitled, period_end }
}

const daysOn = (days: number) => isoDate(addDays(setup.clock.now(), days))

test('a given plan answers at sign-in and for its key as one that ends on that day', async () => {
  const given = await give('given@example.org', DAYS)
  const expected = { version: 'Pro', status: 'active', entitled: true, period_end: daysOn(DAYS) }
  assert.deepEqual(await entitled(await tokenOf(given)), expected)
  const { status, entitled: isEntitled, period_end, canceled_at } = await stateFor(given)
  assert.deepEqual([status, isEntitled], ['active', true])
  assert.deepEqual([period_end, canceled_at], [daysOn(DAYS), daysOn(DAYS)])
})

test('after its day the token of the sign-in answers the free plan, and the key canceled', async () => {
  const given = await give('ending@example.org', DAYS)
  setup.clock.pass(DAYS * DAY - 1800)
  const token = await tokenOf(given)
  await runDue(setup)
  assert.equal((await entitled(token)).status, 'active')
  setup.clock.pass(1800)
  await runDue(setup)
  const free = { version: 'Free', status: 'free', entitled: true, period_end: null }
  assert.deepEqual(await entitled(token), free)
  assert.deepEqual(await entitled(await tokenOf(given)), free)
  const state = await stateFor(given)
  assert.deepEqual([state.status, state.entitled], ['canceled', false])
})

test('without an end it stays, until the seller ends it', async () => {
  const given = await give('staying@example.org')
  setup.clock.pass(400 * DAY)
  await runDue(setup)
  const token = await tokenOf(given)
  const lasting = { version: 'Pro', status: 'one_time_active', entitled: true, period_end: null }
  assert.deepEqual(await entitled(token), lasting)
  assert.equal((await stateFor(given)).status, 'one_time_active')
  const actor = await sellerActor(setup)
  assert.ok(
    await endNow(setup.world, actor, { license_id: given.license_id, reason: 'It is over' }),
  )
  assert.equal((await entitled(token)).status, 'free')
  assert.equal((await stateFor(given)).status, 'canceled')
})
