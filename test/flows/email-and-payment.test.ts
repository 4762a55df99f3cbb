import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import * as sellers from '#domain/sellers'
import { confirmEmailChange, deleteAccount } from '#flows/account'
import { checkoutTotals, confirm, findPricedCart } from '#flows/checkout'
import { endLicense, lockLicense } from '#flows/locked-license'
import { reconcile } from '#flows/payment'
import { undoEmailChange } from '#flows/sign-in'
import { givePlan } from '#flows/subscription'
import type { Database, Db } from '#platform/db'
import { type LicenseId, mintId, parseId, type UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { openOwner } from '../support/account.ts'
import { textOf } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { untilBlocked } from '../support/blocked.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { changePlanTo } from '../support/plan-change.ts'
import { buyer, chargedAmounts, goToConfirm, TEXAS } from '../support/purchase.ts'
import { sellerActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { signInAs } from '../support/sign-in.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'

const ORIGIN = { address: '10.0.0.1', agent: 'test', request_id: 'req_test' } as const
const CHALLENGES_ONCE = '4000002500003155'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

const normalized = (email: string) => identity.readEmail(email)!.email_normalized

/** A link with which an account's change of email is confirmed or undone. */
async function linkTo(
  purpose: 'change_email' | 'undo_email',
  { user_id, email: old_email }: Subscriber,
  wanted: string,
): Promise<string> {
  const { db, random } = service.world
  const now = service.clock.now()
  const id = mintId(random, 'ech')
  const token = `token-${id}`
  const { email: new_email, email_normalized: new_email_normalized } = identity.readEmail(wanted)!
  const change = { id, user_id, old_email, new_email, new_email_normalized }
  await identity.requestEmailChange(db, now, { ...change, session_id: mintId(random, 'ses') })
  await identity.addLink(db, now, { token, user_id, purpose, about: id })
  return token
}

/** A purchase that waits at the bank's page. */
async function buyAndWait(email: string) {
  const agent = buyer(service)
  await goToConfirm(service, agent, { email, card: CHALLENGES_ONCE })
  await agent.submit(/^Pay /)
  assert.match(agent.page.body, /Complete authentication/)
  const finish = async () => {
    await agent.submit('Complete authentication').catch(() => undefined)
    service.clock.pass(30)
    await reconcile(service.world)
  }
  return finish
}

/** A lock that another transaction takes while an account is deleted. */
type LockStep = (
  tx: Db,
  facts: { user_id: UserId; email: string; cart_id: billing.Cart['id'] },
) => Promise<unknown>

const liveLicenses = (email: string) =>
  service.world.db.rows<{ id: LicenseId; user_id: UserId }>(sql`
    select l.id, l.user_id from licenses l join users u on u.id = l.user_id
    where u.email_normalized = ${normalized(email)} and l.status <> 'canceled'`)

describe('a change of email', () => {
  test('waits for a purchase that is pending with the new email', async () => {
    const owner = await subscribe(service)
    const wanted = 'wanted-1@example.com'
    const finish = await buyAndWait(wanted)
    const token = await linkTo('change_email', owner, wanted)
    assert.deepEqual(await confirmEmailChange(service.world, token, ORIGIN), { outcome: 'paying' })
    await finish()
    assert.equal((await chargedAmounts(service, wanted)).length, 1)
    assert.equal((await liveLicenses(wanted)).length, 1)
    assert.deepEqual(await confirmEmailChange(service.world, token, ORIGIN), { outcome: 'taken' })
    assert.equal((await liveLicenses(owner.email)).length, 1)
  })

  test('waits for a payment that is pending with the old email', async () => {
    const owner = await subscribe(service)
    await service.world.db.run(sql`update sandbox.cards set behavior = 'challenges_always'
      where token in (select token from cards where user_id = ${owner.user_id})`)
    const yearly = service.demo.app.prices[1]!.public_id
    const { moved } = await changePlanTo(service, owner, yearly)
    assert.ok(moved.outcome === 'action_required')
    const token = await linkTo('change_email', owner, 'wanted-2@example.com')
    const page = await buyer(service).open(`/link/change_email/${token}`)
    assert.equal(page.status, 200)
    const agent = buyer(service)
    await agent.open(`/link/change_email/${token}`)
    await agent.submit('Change my email')
    assert.equal(agent.page.status, 409)
    assert.match(agent.page.body, /Open the link again in a few minutes/)
    await owner.agent.open(moved.action_url)
    await owner.agent.submit('Complete authentication').catch(() => undefined)
    service.clock.pass(30)
    await reconcile(service.world)
    const changed = await confirmEmailChange(service.world, token, ORIGIN)
    assert.equal(changed.outcome, 'changed')
  })

  test('delays a purchase with the new email, which is not charged before it ends', async () => {
    const owner = await subscribe(service)
    const wanted = 'wanted-3@example.com'
    const agent = buyer(service)
    await goToConfirm(service, agent, { email: wanted })
    const begun = Promise.withResolvers<void>()
    const buying = begun.promise.then(() => agent.submit(/^Pay /))
    const { db } = service.world
    await db.tx(async (tx) => {
      await payments.lockEmails(tx, [normalized(owner.email), normalized(wanted)])
      begun.resolve()
      await untilBlocked(tx, service.world.db)
      await identity.setEmail(tx, { user_id: owner.user_id, ...identity.readEmail(wanted)! })
    })
    await buying
    assert.deepEqual(await chargedAmounts(service, wanted), [])
    assert.equal((await liveLicenses(wanted)).length, 1)
  })

  test('that the old mailbox undoes during a purchase of what the account owns locks it', async () => {
    const owner = await subscribe(service)
    const token = await linkTo('undo_email', owner, 'wanted-4@example.com')
    const { user_id } = owner
    const { db } = service.world
    await identity.setEmail(db, { user_id, ...identity.readEmail('wanted-4@example.com')! })
    const finish = await buyAndWait(owner.email)
    assert.deepEqual(await undoEmailChange(service.world, token, ORIGIN), { outcome: 'taken' })
    const logged = await db.one<{ detail: object }>(sql`select detail from audit_log
      where subject = ${user_id} and action = 'account.undo_email'`)
    assert.deepEqual(logged.detail, { outcome: 'locked' })
    await finish()
    assert.equal((await liveLicenses(owner.email)).length, 1)
    assert.equal((await liveLicenses('wanted-4@example.com')).length, 1)
  })
})

describe('the deletion of an account', () => {
  let count = 0
  /** An account whose owner is about to press Pay. */
  async function atConfirm() {
    const { db, random } = service.world
    const now = service.clock.now()
    const email = `leaving-${count++}@example.com`
    const agent = buyer(service)
    const { url } = await goToConfirm(service, agent, { email })
    const cart_id = parseId('cart', /cart_\w+/.exec(url)![0])
    const { agreement = '' } = agent.form(/^Pay /)
    const { user_id } = await identity.findOrAddUser(db, now, {
      id: mintId(random, 'usr'),
      ...identity.readEmail(email)!,
      created_via: 'comp',
    })
    await billing.identifyCart(db, now, { cart_id, user_id })
    const owner = await openOwner(service, { user_id, email })
    return { owner, request: { cart_id, agreement, return_url: url } }
  }

  test('waits for a purchase that is being recorded, and is blocked by it', async () => {
    const { world } = service
    const { owner, request } = await atConfirm()
    const recorded = Promise.withResolvers<void>()
    const deleting = recorded.promise.then(() => deleteAccount(world, owner))
    let isRecorded = false
    const tx: Database['tx'] = (work) =>
      world.db.tx(async (each) => {
        const result = await work(each)
        recorded.resolve()
        if (!isRecorded) await untilBlocked(each, service.world.db)
        isRecorded = true
        return result
      })
    const confirmed = await confirm({ ...world, db: { ...world.db, tx } }, request)
    assert.equal(confirmed.outcome, 'completed')
    assert.equal((await deleting).outcome, 'blocked')
    assert.equal((await liveLicenses(owner.email)).length, 1)
  })

  test('ends a purchase that was read before and is not recorded yet', async () => {
    const { world } = service
    const { owner, request } = await atConfirm()
    const { cart, app, price, quote } = (await findPricedCart(world.db, request.cart_id))!
    const totals = await checkoutTotals(world, cart, { app, price, quote })
    assert.equal((await deleteAccount(world, owner)).outcome, 'deleted')
    const confirmed = await confirm(world, { ...request, seen: { cart, app, price, totals } })
    assert.equal(confirmed.outcome, 'expired')
    assert.equal(await payments.latestOfCart(world.db, cart.id), undefined)
  })

  /** Gives the plan of a new app to a person. */
  async function give(slug: string, { email }: { email: string }) {
    const { client_id: app_id, product_id } = await addApp(service, { slug })
    const to = { email, email_normalized: normalized(email), ends_at: null, reason: 'A gift' }
    const actor = await sellerActor(service)
    const given = await givePlan(service.world, actor, { app_id, product_id, ...to })
    assert.ok(given.outcome === 'given')
    return given.license_id
  }

  test('ends what does not end at that moment', async () => {
    const { world } = service
    const { owner } = await atConfirm()
    const [ending_id, license_id] = [await give('ending', owner), await give('lasting', owner)]
    const ended = Promise.withResolvers<void>()
    const deleting = ended.promise.then(() => deleteAccount(world, owner))
    await world.db.tx(async (tx) => {
      await endLicense(tx, await lockLicense(world, tx, ending_id), 'refunded')
      ended.resolve()
      await untilBlocked(tx, world.db)
    })
    assert.equal((await deleting).outcome, 'deleted')
    const logged = await world.db.one<{ detail: object }>(sql`select detail from audit_log
      where subject = ${owner.user_id} and action = 'account.deleted'`)
    assert.deepEqual(logged.detail, { licenses: [license_id] })
  })

  test('leaves a cart that is opened at that moment without an account', async () => {
    const { db } = service.world
    const { owner, request } = await atConfirm()
    const { user_id, email } = owner
    const agent = await signInAs(service, { user_id }, { agent: buyer(service) })
    await agent.open(`/buy/${service.demo.app.prices[1]!.public_id}/`)
    const locked = Promise.withResolvers<void>()
    const opening = locked.promise.then(() => agent.submit('Continue', { email, ...TEXAS }))
    await db.tx(async (tx) => {
      const user = await identity.lockForDeletion(tx, user_id)
      locked.resolve()
      await untilBlocked(tx, db)
      await identity.anonymize(tx, user, [normalized(email)])
    })
    assert.match(textOf((await opening).body), /Enter your card/)
    const cart = await db.one(sql`select user_id, email from carts
      where id <> ${request.cart_id}
        and (user_id = ${user_id} or email_normalized = ${normalized(email)})`)
    assert.deepEqual(cart, { user_id: null, email })
  })

  test('leaves a plan that is given at that moment to a new account', async () => {
    const { db } = service.world
    const { owner } = await atConfirm()
    const { user_id, email } = owner
    const locked = Promise.withResolvers<void>()
    const giving = locked.promise.then(() => give('given-late', owner))
    await db.tx(async (tx) => {
      const user = await identity.lockForDeletion(tx, user_id)
      locked.resolve()
      await untilBlocked(tx, db)
      await identity.anonymize(tx, user, [normalized(email)])
    })
    const license_id = await giving
    const [license] = await liveLicenses(email)
    assert.equal(license?.id, license_id)
    assert.notEqual(license?.user_id, user_id)
  })

  const ORDERS = {
    'a purchase that is being recorded': {
      first: (tx, { cart_id }) => billing.lockCart(tx, cart_id),
      next: (tx, { email }) => payments.lockEmails(tx, [normalized(email)]),
    },
    'a purchase that is being paid': {
      first: (tx, { cart_id }) => billing.lockCart(tx, cart_id),
      next: (tx, { user_id }) =>
        tx.run(sql`select id from users where id = ${user_id} for key share`),
    },
    'a walkthrough': {
      first: (tx, { cart_id }) => billing.lockCart(tx, cart_id),
      next: (tx, { user_id }) => sellers.lockMemberships(tx, user_id),
    },
    'a link that ends the carts': {
      first: (tx, { user_id }) =>
        tx.run(sql`select id from users where id = ${user_id} for no key update`),
      next: (tx, { cart_id }) => billing.lockCart(tx, cart_id),
    },
  } satisfies Record<string, Record<'first' | 'next', LockStep>>
  for (const [what, { first, next }] of Object.entries(ORDERS)) {
    test(`locks in the order of ${what}, so that neither waits for the other`, async () => {
      const { world } = service
      const { owner, request } = await atConfirm()
      const facts = { ...owner, cart_id: request.cart_id }
      const begun = Promise.withResolvers<void>()
      const deleting = begun.promise.then(() => deleteAccount(world, owner))
      await world.db.tx(async (tx) => {
        await first(tx, facts)
        begun.resolve()
        if (world.db.engine !== 'postgresql') return
        await untilBlocked(tx, world.db)
        await tx.run(sql`set local lock_timeout = '100ms'`)
        await next(tx, facts)
      })
      assert.equal((await deleting).outcome, 'deleted')
    })
  }
})
