/** Flows lock the same rows in the same order: a deadlock ends one of them and costs a second. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import {
  confirmAuthenticator,
  deleteAccount,
  openSetup,
  startAuthenticatorSetup,
} from '#flows/account'
import { identifyBuyer } from '#flows/checkout'
import { transferOwnership } from '#flows/seller'
import { undoEmailChange } from '#flows/sign-in'
import { decideAboutSeller } from '#flows/staff-actions'
import type { Db } from '#platform/db'
import { type AppId, type CartId, mintId, type SellerId, type UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import { type Sql, sql } from '#platform/sql'
import { codeOf, newEmail, openOwner } from '../support/account.ts'
import { textOf } from '../support/agent.ts'
import { newApp, offer, sellerOf } from '../support/app-transfer.ts'
import { untilBlocked } from '../support/blocked.ts'
import { SERVER_URL } from '../support/database.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { buyer, TEXAS } from '../support/purchase.ts'
import { buy, staffActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { addPerson, signInAs } from '../support/sign-in.ts'

/** A lock of a row, and a statement that locks it as one that refers to it does. */
interface Locking {
  lock: (tx: Db) => Promise<unknown>
  refer: Sql
}

const ORIGIN = { address: '127.0.0.1', agent: 'A test', request_id: 'req_test' }

// The embedded database has one connection, on which transactions queue: nothing races there.
const skip =
  SERVER_URL === undefined && 'only PostgreSQL runs transactions side by side (TEST_DATABASE_URL)'

describe('order of locks', { skip }, () => {
  let service: TestService
  before(async () => {
    service = await openTestService()
  })
  after(() => assertInvariantsAndClose(service))
  const now = () => service.clock.now()

  /**
   * Takes locks in the order of one flow, while another flow waits for the first of them. Throws if
   * the other one took the next lock already.
   */
  async function inOrder<Result>(
    locks: { first: (tx: Db) => Promise<unknown>; next: (tx: Db) => Promise<unknown> },
    other: () => Promise<Result>,
  ): Promise<Result> {
    const { db } = service.world
    const begun = Promise.withResolvers<void>()
    const running = begun.promise.then(other)
    await db.tx(async (tx) => {
      await locks.first(tx)
      begun.resolve()
      await untilBlocked(tx, db)
      await tx.run(sql`set local lock_timeout = '100ms'`)
      await locks.next(tx)
    })
    return await running
  }

  const keepUser = (tx: Db, user_id: UserId) =>
    tx.run(sql`select id from users where id = ${user_id} for key share`)

  test('the deletion of an account locks an offer before what refers to the account', async () => {
    const person = await addPerson(service, newEmail())
    const owner = await openOwner(service, person)
    const { slug, client_id } = await newApp(service)
    await offer(service, slug, person.email)
    const { id } = (await apps.openTransferOf(service.world.db, now(), client_id))!
    const lockOffer = (tx: Db) => apps.lockTransfer(tx, now(), id)
    const deleted = await inOrder(
      { first: lockOffer, next: (tx) => keepUser(tx, person.user_id) },
      () => deleteAccount(service.world, owner),
    )
    assert.equal(deleted.outcome, 'deleted')
    assert.equal(await service.world.db.tx(lockOffer), undefined)
  })

  test('a transfer of ownership locks offers before memberships', async () => {
    const { db } = service.world
    const { slug, client_id } = await newApp(service)
    await offer(service, slug, newEmail())
    const { id, from_seller: seller_id } = (await apps.openTransferOf(db, now(), client_id))!
    const [owner] = await sellers.membersOf(db, seller_id)
    const { user_id: by } = owner!
    const { user_id } = await addPerson(service, newEmail())
    const actor = { kind: 'seller', user_id: by, request_id: ORIGIN.request_id } as const
    const outcome = await inOrder(
      {
        first: (tx) => apps.lockTransfer(tx, now(), id),
        next: (tx) => sellers.lockMemberships(tx, by),
      },
      () => transferOwnership(service.world, actor, { seller_id, user_id }),
    )
    assert.equal(outcome, 'not_found')
  })

  for (const what of ['suspended', 'reinstated'] as const) {
    test(`a seller that is ${what} is locked after its apps`, async () => {
      const { world } = service
      const { client_id: app_id } = await newApp(service)
      const seller_id = await sellerOf(service, app_id)
      const staff = { ...(await staffActor(service)), reason: 'A reason.' }
      const isDecided = await inOrder(
        {
          first: (tx) => apps.lock(tx, app_id),
          next: (tx) => sellers.lockSeller(tx, seller_id),
        },
        () => decideAboutSeller(world, staff, { seller_id, what }),
      )
      assert.ok(isDecided)
    })
  }

  const REFERRED: Record<string, (app_id: AppId, seller_id: SellerId) => Locking> = {
    seller: (_, seller_id) => ({
      lock: (tx) => sellers.lockSeller(tx, seller_id),
      refer: sql`select id from sellers where id = ${seller_id} for key share nowait`,
    }),
    client: (app_id) => ({
      lock: (tx) => apps.lockClientOf(tx, app_id),
      refer: sql`select client_id from clients where app_id = ${app_id} for key share nowait`,
    }),
  }
  for (const [what, lockingOf] of Object.entries(REFERRED)) {
    test(`new rows that refer to a locked ${what} do not wait`, async () => {
      const { db } = service.world
      const { client_id } = service.demo.app
      const { lock, refer } = lockingOf(client_id, await sellerOf(service, client_id))
      const locked = Promise.withResolvers<void>()
      const referring = locked.promise.then(() => db.run(refer))
      await db.tx(async (tx) => {
        await lock(tx)
        locked.resolve()
        assert.equal(await referring, 1)
      })
    })
  }

  test('a cart is opened before the deletion of its account locks carts, or after it', async () => {
    const { db } = service.world
    const person = await addPerson(service, newEmail())
    const { user_id, email } = person
    const owner = await openOwner(service, person)
    const agent = await signInAs(service, person, { agent: buyer(service) })
    await agent.open(`/buy/${service.demo.app.prices[1]!.public_id}/`)
    const begun = Promise.withResolvers<void>()
    const deleting = begun.promise.then(() => deleteAccount(service.world, owner))
    const locked = Promise.withResolvers<void>()
    const opening = locked.promise.then(() => agent.submit('Continue', { email, ...TEXAS }))
    await db.tx(async (tx) => {
      await sellers.lockMemberships(tx, user_id)
      begun.resolve()
      await untilBlocked(tx, db)
      locked.resolve()
      await untilBlocked(tx, db, 2)
    })
    assert.equal((await deleting).outcome, 'deleted')
    assert.match(textOf((await opening).body), /Enter your card/)
    const { email_normalized } = identity.readEmail(email)!
    assert.deepEqual(
      await db.rows(sql`select user_id from carts where email_normalized = ${email_normalized}`),
      [{ user_id: null }],
    )
  })

  test('a deleted account gets no cart that was opened during its deletion', async () => {
    const { db } = service.world
    const person = await addPerson(service, newEmail())
    const { user_id, email } = person
    const owner = await openOwner(service, person)
    const session = await identity.findSession(db, now(), owner.session_id)
    const agent = buyer(service)
    await agent.open(`/buy/${service.demo.app.prices[1]!.public_id}/`)
    const begun = Promise.withResolvers<void>()
    const deleting = begun.promise.then(() => deleteAccount(service.world, owner))
    const locked = Promise.withResolvers<void>()
    const opening = locked.promise.then(async () => {
      const { url } = await agent.submit('Continue', { email, ...TEXAS })
      return (await billing.findCart(db, /cart_\w+/.exec(url)![0] as CartId))!
    })
    const identified = Promise.withResolvers<void>()
    const identifying = identified.promise.then(async () =>
      identifyBuyer(service.world, await opening, session),
    )
    await db.tx(async (tx) => {
      await sellers.lockMemberships(tx, user_id)
      begun.resolve()
      await untilBlocked(tx, db)
      locked.resolve()
      await opening
      identified.resolve()
      await untilBlocked(tx, db, 2)
    })
    assert.equal((await deleting).outcome, 'deleted')
    assert.equal(await identifying, undefined)
    const { id } = await opening
    const cart = (await billing.findCart(db, id))!
    assert.equal(cart.user_id, null)
    assert.equal(cart.email_normalized, identity.addressOfDeleted(user_id))
  })

  test('a change by the owner locks the account before its second factors', async () => {
    const { world } = service
    const person = await addPerson(service, newEmail())
    const { user_id } = person
    const owner = await openOwner(service, person)
    assert.ok(await startAuthenticatorSetup(world, owner))
    const { secret } = (await openSetup(world, owner))!
    const confirmed = await inOrder(
      {
        first: (tx) => identity.lockForChange(tx, user_id),
        next: (tx) =>
          tx.run(sql`select from authenticator_apps where user_id = ${user_id}
          for update`),
      },
      () => confirmAuthenticator(world, owner, codeOf(service, secret)),
    )
    assert.equal(confirmed.outcome, 'on')
  })

  /** A grant under which an app gets tokens, as a lock and as what another flow revokes. */
  async function grantOf(user_id: UserId) {
    const { db, random } = service.world
    const name = { kind: 'Grant', name: mintSecret(random) } as const
    const facts = { payload: {}, grant: undefined, session_uid: undefined, scope: undefined }
    const { client_id } = service.demo.app
    const stored = { ...facts, client_id, user_id, audience: undefined, life: 60 }
    const keep = (tx: Db) => grants.saveRecord(tx, now(), name, stored)
    await keep(db)
    return {
      locks: { first: keep, next: (tx: Db) => keepUser(tx, user_id) },
      find: () => grants.findRecord(db, now(), name),
    }
  }

  test('the deletion of an account locks a grant before what refers to the account', async () => {
    const person = await addPerson(service, newEmail())
    const owner = await openOwner(service, person)
    const { locks, find } = await grantOf(person.user_id)
    const deleted = await inOrder(locks, () => deleteAccount(service.world, owner))
    assert.equal(deleted.outcome, 'deleted')
    assert.equal(await find(), undefined)
  })

  test('the deletion of an account locks its licenses before what refers to the account', async () => {
    const { db } = service.world
    const { user_id, email, license_id } = await buy(service)
    const owner = await openOwner(service, { user_id, email })
    const { id } = (await billing.subscriptionOf(db, license_id))!
    const { outcome } = await inOrder(
      {
        first: (tx) => billing.lockSubscription(tx, id),
        next: (tx) => keepUser(tx, user_id),
      },
      () => deleteAccount(service.world, owner),
    )
    assert.equal(outcome, 'blocked')
  })

  test('the undo of a change of email locks a grant before what refers to the account', async () => {
    const { db, random } = service.world
    const { user_id, email } = await addPerson(service, newEmail())
    const was = identity.readEmail(newEmail())!
    const id = mintId(random, 'ech')
    const { email_normalized: new_email_normalized } = identity.readEmail(email)!
    const change = { id, user_id, old_email: was.email, new_email: email, new_email_normalized }
    const session_id = mintId(random, 'ses')
    await identity.requestEmailChange(db, now(), { ...change, session_id })
    const token = mintSecret(random)
    await identity.addLink(db, now(), { token, user_id, purpose: 'undo_email', about: id })
    const { locks, find } = await grantOf(user_id)
    const undone = await inOrder(locks, () => undoEmailChange(service.world, token, ORIGIN))
    assert.equal(undone.outcome, 'undone')
    assert.equal(await find(), undefined)
  })

  /** Two carts of one browser and account, in the order of their ids. The last is found first. */
  async function twoCarts() {
    const { db } = service.world
    const { email, user_id } = await addPerson(service, newEmail())
    const agent = await signInAs(service, { user_id }, { agent: buyer(service) })
    for (const { public_id } of service.demo.app.prices.slice(0, 2)) {
      await agent.open(`/buy/${public_id}/`)
      await agent.submit('Continue', { email, ...TEXAS })
    }
    const [one, two] = await db.rows<{ id: CartId; browser_hash: Buffer }>(sql`
      select id, browser_hash from carts where user_id = ${user_id} order by id`)
    await db.run(sql`update carts set updated_at = updated_at + interval '1 second'
      where id = ${one!.id}`)
    const { email_normalized } = identity.readEmail(email)!
    return {
      one: one!.id,
      two: two!.id,
      browser_hash: one!.browser_hash,
      user_id,
      email_normalized,
    }
  }

  type TwoCarts = Awaited<ReturnType<typeof twoCarts>>
  const SEVERAL: Record<string, (db: Db, carts: TwoCarts) => Promise<void>> = {
    'a change of language': (db, { browser_hash }) =>
      billing.setCartLanguage(db, now(), { browser_hash, language: 'es' }),
    'the end of all carts': (db, account) => billing.endCartsOf(db, now(), account),
  }
  for (const [what, change] of Object.entries(SEVERAL)) {
    test(`${what} locks carts in the order of their ids`, async () => {
      const { db } = service.world
      const carts = await twoCarts()
      await inOrder(
        {
          first: (tx) => billing.lockCart(tx, carts.one),
          next: (tx) => billing.lockCart(tx, carts.two),
        },
        () => change(db, carts),
      )
    })
  }
})
