/** Sign-ins to an app at the moment at which the person signs out. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as identity from '#domain/identity'
import { endOtherSessions } from '#flows/account'
import { signOutOfApp } from '#flows/sign-out'
import type { World } from '#flows/world'
import type { Database } from '#platform/db'
import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { openOwner } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { SERVER_URL } from '../support/database.ts'
import { oneAfterOther } from '../support/one-after-other.ts'
import {
  addPerson,
  authorizeApp,
  entitlementOf,
  openSignInTest,
  parametersOf,
  type SignInTest,
  signInAs,
  signInToApp,
  startSignIn,
} from '../support/sign-in.ts'

// The embedded database has one connection, on which transactions queue: nothing races there.
const skip =
  SERVER_URL === undefined && 'only PostgreSQL runs transactions side by side (TEST_DATABASE_URL)'

describe('a sign-in to an app at the moment of a sign-out', { skip }, () => {
  let setup: SignInTest
  let count = 0
  before(async () => {
    setup = await openSignInTest()
  })
  after(() => setup.close())

  /** A person who has signed in to the app before, in a new browser. */
  async function signedIn(): Promise<{ agent: Agent; user_id: UserId; email: string }> {
    const person = await addPerson(setup, `races-${++count}@example.org`)
    const agent = await signInAs(setup, person)
    await signInToApp(setup, agent)
    return { agent, ...person }
  }

  test('gets no code once every other browser was signed out', async () => {
    const { agent, ...person } = await signedIn()
    const owner = await openOwner(setup, person)
    const attempt = await startSignIn(setup.app_side, setup.callback)
    const [, going] = await oneAfterOther(
      setup,
      (world) => endOtherSessions(world, owner),
      () => authorizeApp(agent, attempt),
    )
    assert.ok(going.status === 'fulfilled', String('reason' in going && going.reason))
    const { error, code } = parametersOf(going.value.url)
    assert.deepEqual([error, code], ['login_required', undefined])
    const kept = await setup.world.db.rows(sql`select kind from oidc_records
      where user_id = ${person.user_id} and kind in ('Grant', 'AuthorizationCode')`)
    assert.deepEqual(kept, [])
  })

  /** A world in which something happens before a transaction ends a session. */
  function beforeSessionEnds({ db, ...world }: World, happen: () => Promise<unknown>): World {
    const tx: Database['tx'] = (work, options) =>
      db.tx(async (each) => {
        const run: Database['run'] = async (statement) => {
          if (statement.text.startsWith('delete from sessions')) await happen()
          return await each.run(statement)
        }
        return await work({ ...each, run })
      }, options)
    return { ...world, db: { ...db, tx } }
  }

  test('is signed out again if it got its tokens before the session ended', async () => {
    const { agent, user_id } = await signedIn()
    const { world, clock, demo } = setup
    const [session] = await identity.listSessions(world.db, clock.now(), user_id)
    const begun = Promise.withResolvers<void>()
    const signingIn = begun.promise.then(() => signInToApp(setup, agent))
    const racing = beforeSessionEnds(world, async () => {
      begun.resolve()
      await signingIn
    })
    await signOutOfApp(racing, {
      client_id: demo.app.client_id,
      session: { id: session!.id, user_id },
      sign_in: undefined,
      origin: { request_id: 'req_test', address: '127.0.0.1', agent: 'A test' },
    })
    assert.equal((await entitlementOf(setup, (await signingIn).access_token)).statusCode, 401)
  })
})
