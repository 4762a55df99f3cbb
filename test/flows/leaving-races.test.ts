import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import * as sellers from '#domain/sellers'
import { type DeletionBlock, deleteAccount, type Owner } from '#flows/account'
import { publishApp } from '#flows/app'
import { confirm } from '#flows/checkout'
import { joinAffiliates } from '#flows/join-affiliates'
import { acceptInvitation, startSelling } from '#flows/seller'
import { decideAboutSeller } from '#flows/staff-actions'
import { renewDue, setAutoRenew } from '#flows/subscription'
import type { World } from '#flows/world'
import { addDays } from '#platform/calendar'
import { type AppId, mintId, parseId, type SellerId, type UserId } from '#platform/ids'
import { newEmail, openOwner } from '../support/account.ts'
import { addApp, type OtherApp, setOnSale } from '../support/apps.ts'
import { untilBlocked } from '../support/blocked.ts'
import { CARD } from '../support/cards.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { oneAfterOther } from '../support/one-after-other.ts'
import { buyer, chargedAmounts, enterCard, TEXAS } from '../support/purchase.ts'
import { staffActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { buyerActor, DAY, subscribe } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

/** An account with a confirmed email, as flows know its owner. */
async function account(): Promise<Owner> {
  const { world, clock } = service
  const { email, email_normalized } = identity.readEmail(newEmail())!
  const id = mintId(world.random, 'usr')
  const user = { id, email, email_normalized, created_via: 'signup' } as const
  await identity.findOrAddUser(world.db, clock.now(), user)
  await identity.proveMailbox(world.db, clock.now(), id)
  return await openOwner(service, { user_id: id, email })
}

const FORM = {
  legal_name: 'Leaving LLC',
  address: '1 Main Street',
  city: 'Austin',
  state: 'TX',
  zip: '78701',
}

interface LeavingSeller {
  owner: Owner
  seller_id: SellerId
  actor: ReturnType<typeof memberOf>
}

const memberOf = (user_id: UserId) => ({ kind: 'seller', user_id, request_id: 'req_test' }) as const

/** A seller whose owner could delete their account. */
async function leavingSeller(): Promise<LeavingSeller> {
  const owner = await account()
  const actor = memberOf(owner.user_id)
  const started = await startSelling(service.world, actor, FORM)
  assert.ok('seller_id' in started)
  return { owner, actor, ...started }
}

let slugs = 0

/** An app of a seller that is not published. */
async function unpublished(seller_id: SellerId): Promise<OtherApp> {
  const facts = { slug: `leaving-${slugs++}`, seller_id, is_published: false }
  return await addApp(service, facts)
}

/** A buyer of an app who is about to press Pay. */
async function atConfirm({ price_id }: OtherApp, card?: string) {
  const agent = buyer(service)
  const email = newEmail()
  await agent.open(`/buy/${price_id}/`)
  await agent.submit('Continue', { email, ...TEXAS })
  const { url } = await enterCard(agent, card)
  return { agent, email, url }
}

/** What blocks a deletion that had to wait. */
function blocksOf(
  settled: PromiseSettledResult<Awaited<ReturnType<typeof deleteAccount>>>,
): DeletionBlock[] {
  assert.ok(settled.status === 'fulfilled', String('reason' in settled && settled.reason))
  assert.ok(settled.value.outcome === 'blocked', 'the account was deleted')
  return settled.value.blocks
}

function assertRefused(settled: PromiseSettledResult<unknown>, code: string): void {
  assert.ok(settled.status === 'rejected', 'it was not refused')
  assert.equal(settled.reason.code, code)
}

const isPublished = async (app_id: AppId) => (await apps.get(service.world.db, app_id)).is_published

describe('the owner of a seller who deletes their account', () => {
  test('publishes no app at the same time', async () => {
    const { owner, actor, seller_id } = await leavingSeller()
    const { client_id } = await unpublished(seller_id)
    const [deleted, publishing] = await oneAfterOther(
      service,
      (world) => deleteAccount(world, owner),
      (world) => publishApp(world, actor, client_id),
    )
    assert.equal(deleted.outcome, 'deleted')
    assertRefused(publishing, 'not_found')
    assert.equal(await isPublished(client_id), false)
  })

  test('keeps their account if they publish an app at the same time', async () => {
    const { owner, actor, seller_id } = await leavingSeller()
    const { client_id } = await unpublished(seller_id)
    const [published, deleting] = await oneAfterOther(
      service,
      (world) => publishApp(world, actor, client_id),
      (world) => deleteAccount(world, owner),
    )
    assert.equal(published, 'published')
    const { legal_name: seller_name } = FORM
    assert.deepEqual(blocksOf(deleting), [{ kind: 'seller', seller_name, has: 'apps' }])
  })

  test('keeps their account if a member joins at the same time', async () => {
    const { world, clock } = service
    const { owner, seller_id } = await leavingSeller()
    const member = await account()
    const id = mintId(world.random, 'mbi')
    const { email } = member
    const invited = { email, email_normalized: email, role: 'admin' } as const
    const times = { created_at: clock.now(), expires_at: addDays(clock.now(), 7) }
    const invited_by = owner.user_id
    await sellers.addInvitation(world.db, { id, seller_id, invited_by, ...invited, ...times })
    const [joined, deleting] = await oneAfterOther(
      service,
      (each) => acceptInvitation(each, memberOf(member.user_id), { id, email_normalized: email }),
      (each) => deleteAccount(each, owner),
    )
    assert.equal(joined, seller_id)
    const { legal_name: seller_name } = FORM
    assert.deepEqual(blocksOf(deleting), [{ kind: 'seller', seller_name, has: 'members' }])
  })

  test('starts no other seller', async () => {
    const owner = await account()
    const [deleted, starting] = await oneAfterOther(
      service,
      (world) => deleteAccount(world, owner),
      (world) => startSelling(world, memberOf(owner.user_id), FORM),
    )
    assert.equal(deleted.outcome, 'deleted')
    assertRefused(starting, 'signed_out')
    assert.deepEqual(await sellers.membershipsOf(service.world.db, owner.user_id), [])
  })

  test('waits for the payments that buyers have begun', async () => {
    const { owner, seller_id } = await leavingSeller()
    const app = await addApp(service, { slug: `leaving-${slugs++}`, seller_id })
    const { agent } = await atConfirm(app, CARD.asks_always)
    await agent.submit(/^Pay /)
    await setOnSale(service, app.client_id, { is_published: false, external_sales_enabled: true })
    const deleted = await deleteAccount(service.world, owner)
    assert.ok(deleted.outcome === 'blocked')
    const { legal_name: seller_name } = FORM
    assert.deepEqual(deleted.blocks, [{ kind: 'seller', seller_name, has: 'purchases' }])
    await agent.submit('Complete authentication')
    const sold = await deleteAccount(service.world, owner)
    assert.ok(sold.outcome === 'blocked')
    assert.deepEqual(
      sold.blocks.map((block) => ('has' in block ? block.has : block.kind)),
      ['subscriptions', 'balance'],
    )
  })

  test('waits for a subscription whose buyer can still turn auto-renew on', async () => {
    const { world } = service
    const { owner, seller_id } = await leavingSeller()
    const app = await addApp(service, { slug: `leaving-${slugs++}`, seller_id, trial_days: 14 })
    const bought = await subscribe(service, { app })
    const { license_id } = bought
    await setAutoRenew(world, buyerActor(bought), { license_id, to: 'off' })
    await setOnSale(service, app.client_id, { is_published: false, external_sales_enabled: true })
    const waiting = await deleteAccount(world, owner)
    assert.ok(waiting.outcome === 'blocked')
    const { legal_name: seller_name } = FORM
    assert.deepEqual(waiting.blocks, [{ kind: 'seller', seller_name, has: 'subscriptions' }])
    service.clock.pass(14 * DAY)
    await renewDue(world)
    assert.equal((await deleteAccount(world, owner)).outcome, 'deleted')
  })
})

test('an affiliate does not join while they delete their account', async () => {
  const owner = await account()
  const [deleted, joining] = await oneAfterOther(
    service,
    (world) => deleteAccount(world, owner),
    (world) => joinAffiliates(world, owner, 'leaving-code'),
  )
  assert.equal(deleted.outcome, 'deleted')
  assertRefused(joining, 'signed_out')
  assert.equal(await affiliates.findByCode(service.world.db, 'leaving-code'), undefined)
})

/** What presses Pay, without the page. */
function paying({ agent, url }: Awaited<ReturnType<typeof atConfirm>>) {
  const { agreement = '' } = agent.form(/^Pay /)
  return { cart_id: parseId('cart', /cart_\w+/.exec(url)![0]), agreement, return_url: url }
}

test('a cart is not charged once its seller was suspended', async () => {
  const { world } = service
  const { seller_id } = await leavingSeller()
  const app = await addApp(service, { slug: `leaving-${slugs++}`, seller_id })
  const bought = await atConfirm(app)
  const open = await atConfirm(app)
  const staff = { ...(await staffActor(service)), reason: 'Stolen content.' }
  const decide = (what: 'suspended' | 'reinstated') => (each: World) =>
    decideAboutSeller(each, staff, { seller_id, what })
  const [, suspended] = await oneAfterOther(
    service,
    (each) => confirm(each, paying(bought)),
    decide('suspended'),
  )
  assert.deepEqual(suspended, { status: 'fulfilled', value: true })
  assert.equal((await chargedAmounts(service, bought.email)).length, 1)
  assert.ok(await decide('reinstated')(world))
  const [, confirming] = await oneAfterOther(service, decide('suspended'), (each) =>
    confirm(each, paying(open)),
  )
  assert.deepEqual(confirming, { status: 'fulfilled', value: { outcome: 'gone' } })
  assert.deepEqual(await chargedAmounts(service, open.email), [])
})

test('a cart is not charged once its app was taken off sale', async () => {
  const { world } = service
  const app = await addApp(service, { slug: `leaving-${slugs++}` })
  const buying = await atConfirm(app)
  const { email } = buying
  const { cart_id } = paying(buying)
  const begun = Promise.withResolvers<void>()
  const confirming = begun.promise.then(() => confirm(world, paying(buying)))
  await world.db.tx(async (tx) => {
    const found = await apps.lock(tx, app.client_id)
    begun.resolve()
    await untilBlocked(tx, world.db)
    await apps.setOnSale(tx, app.client_id, { ...found, is_published: false })
  })
  assert.deepEqual(await confirming, { outcome: 'gone' })
  assert.equal(await payments.latestOfCart(world.db, cart_id), undefined)
  assert.deepEqual(await chargedAmounts(service, email), [])
})
