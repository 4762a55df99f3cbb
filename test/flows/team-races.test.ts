import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as sellers from '#domain/sellers'
import { deleteAccount, type Owner } from '#flows/account'
import { finishWalkthrough, startPreview } from '#flows/preview'
import {
  acceptTerms,
  changeMemberRole,
  inviteMember,
  removeMember,
  saveDetails,
  transferOwnership,
  withdrawMemberInvitation,
} from '#flows/seller'
import { parseId, type UserId } from '#platform/ids'
import { newEmail, openOwner, signUp } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { TEXAS } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { idOf, join } from '../support/team.ts'

let service: TestService
let owner: Agent
before(async () => {
  service = await openTestService()
  await service.listen()
  owner = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

test('a seller keeps an owner, whatever else happens to the new one during a transfer', async () => {
  const { world } = service
  const owner_id = await idOf(service, service.demo.seller.email)
  const [{ seller_id }] = (await sellers.membershipsOf(world.db, owner_id)) as [sellers.Membership]
  const actor = { kind: 'seller', user_id: owner_id, seller_id, request_id: 'req_test' } as const
  const demote = { role: 'support', seller_id } as const
  const changes = [
    (user_id: UserId) => changeMemberRole(world, actor, { ...demote, user_id }),
    (user_id: UserId) => removeMember(world, actor, { seller_id, user_id }),
    (_: UserId, account: Owner) => deleteAccount(world, account),
  ]
  for (const [index, change] of changes.entries()) {
    const { user_id, email } = await join({ service, owner }, 'admin')
    const account = await openOwner(service, { user_id, email })
    const [passed, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // What a transfer of the ownership does, up to its commit.
    const passing = world.db.tx(async (tx) => {
      await sellers.lockMemberships(tx, user_id)
      await sellers.setRole(tx, { seller_id, user_id: owner_id, role: 'admin' })
      await sellers.setRole(tx, { seller_id, user_id, role: 'owner' })
      passed.resolve()
      await ready.promise
    })
    await passed.promise
    const changing = change(user_id, account)
    // Long enough for it to read the role, if it did not wait.
    await new Promise((resolve) => setTimeout(resolve, 200))
    ready.resolve()
    await passing
    await changing
    const member = await sellers.memberOf(world.db, { seller_id, user_id })
    assert.equal(member?.role, 'owner', `change ${index}`)
    const back = { ...actor, user_id }
    await transferOwnership(world, back, { seller_id, user_id: owner_id })
  }
})

// Threat 59
test('a change of the team that waited for the loss of the role is refused', async () => {
  const { world } = service
  const owner_id = await idOf(service, service.demo.seller.email)
  const [{ seller_id }] = (await sellers.membershipsOf(world.db, owner_id)) as [sellers.Membership]
  for (const lose of ['removed', 'developer'] as const) {
    const add = async (role: sellers.InvitedRole) => {
      const user_id = await idOf(service, (await signUp(service)).email)
      await sellers.addMember(world.db, service.clock.now(), { seller_id, user_id, role })
      return user_id
    }
    const [user_id, other] = [await add('admin'), await add('support')]
    const actorOf = (by: UserId) =>
      ({ kind: 'seller', user_id: by, seller_id, request_id: 'req_test' }) as const
    const actor = actorOf(user_id)
    const [pending, email] = [newEmail(), newEmail()]
    const invited = { role: 'admin', seller_id } as const
    const before = { ...invited, email: pending, email_normalized: pending }
    await inviteMember(world, actorOf(owner_id), before)
    const invitations = await sellers.invitationsOf(world.db, service.clock.now(), seller_id)
    const { id } = invitations.find((each) => each.email === pending)!
    const of = { seller_id, user_id: other }
    for (const change of [
      () => inviteMember(world, actor, { ...invited, email, email_normalized: email }),
      () => withdrawMemberInvitation(world, actor, { seller_id, id }),
      () => changeMemberRole(world, actor, { ...of, role: 'admin' }),
      () => changeMemberRole(world, actor, { seller_id, user_id, role: 'admin' }),
      () => removeMember(world, actor, of),
    ]) {
      const [lost, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      // What the owner does, up to its commit.
      const losing = world.db.tx(async (tx) => {
        await sellers.lockMemberships(tx, user_id)
        if (lose === 'removed') await sellers.removeMember(tx, { seller_id, user_id })
        else await sellers.setRole(tx, { seller_id, user_id, role: lose })
        lost.resolve()
        await ready.promise
      })
      await lost.promise
      const changing = assert.rejects(change(), { code: 'not_found' }, `${change}`)
      // Long enough for it to commit, if it did not wait.
      await new Promise((resolve) => setTimeout(resolve, 100))
      ready.resolve()
      await losing
      await changing
    }
    const left = await sellers.invitationsOf(world.db, service.clock.now(), seller_id)
    assert.ok(left.some((each) => each.id === id))
    assert.ok(!left.some((each) => each.email === email))
    assert.equal((await sellers.memberOf(world.db, of))?.role, 'support')
    assert.notEqual((await sellers.memberOf(world.db, { seller_id, user_id }))?.role, 'admin')
  }
})

// Threat 59
test('details and terms that waited for the loss of the role are not saved', async () => {
  const { world } = service
  const owner_id = await idOf(service, service.demo.seller.email)
  const [{ seller_id }] = (await sellers.membershipsOf(world.db, owner_id)) as [sellers.Membership]
  const user_id = await idOf(service, (await signUp(service)).email)
  await sellers.addMember(world.db, service.clock.now(), { seller_id, user_id, role: 'admin' })
  const accepted = await sellers.acceptedTerms(world.db, seller_id)
  const newer = { ...world, seller_terms_version: '9999-01-01' }
  const { id: _, ...before } = (await sellers.findSeller(world.db, seller_id))!
  const actor = { kind: 'seller', user_id, seller_id, request_id: 'req_test' } as const
  const [lost, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // What the owner does, up to its commit.
  const losing = world.db.tx(async (tx) => {
    await sellers.lockMemberships(tx, user_id)
    await sellers.removeMember(tx, { seller_id, user_id })
    lost.resolve()
    await ready.promise
  })
  await lost.promise
  const entered = { legal_name: 'Renamed LLC' }
  const saving = [
    assert.rejects(saveDetails(world, actor, { seller_id, entered }), { code: 'not_found' }),
    assert.rejects(acceptTerms(newer, actor, seller_id), { code: 'not_found' }),
  ]
  // Long enough for both to commit, if they did not wait.
  await new Promise((resolve) => setTimeout(resolve, 100))
  ready.resolve()
  await losing
  await Promise.all(saving)
  const { id: __, ...after } = (await sellers.findSeller(world.db, seller_id))!
  assert.deepEqual(after, before)
  assert.deepEqual(await sellers.acceptedTerms(world.db, seller_id), accepted)
})

test('a preview that waited for the removal of the member is not given', async () => {
  const { world } = service
  const app = await apps.get(world.db, service.demo.app.client_id)
  const [plan] = (await catalog.products(world.db, app.id)).filter(({ is_free }) => !is_free)
  const { seller_id } = app
  const { email, agent } = await signUp(service)
  const user_id = await idOf(service, email)
  await sellers.addMember(world.db, service.clock.now(), { seller_id, user_id, role: 'support' })
  await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
  await agent.submit('Continue', TEXAS)
  const cart_id = parseId('cart', /cart_\w+/.exec(agent.page.url)![0])
  const request = { session: { user_id, app_id: null }, request_id: 'req_test' }
  const [lost, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // What the removal does, up to its commit.
  const losing = world.db.tx(async (tx) => {
    await sellers.lockMemberships(tx, user_id)
    await sellers.removeMember(tx, { seller_id, user_id })
    await licensing.endPreview(tx, service.clock.now(), { app_id: app.id, user_id })
    lost.resolve()
    await ready.promise
  })
  await lost.promise
  const started = startPreview(world, request, { app, product_id: plan!.id })
  const finished = finishWalkthrough(world, request, cart_id)
  // Long enough for both to commit, if they did not wait.
  await new Promise((resolve) => setTimeout(resolve, 200))
  ready.resolve()
  await losing
  assert.equal(await started, false)
  assert.deepEqual(await finished, { outcome: 'sign_in_needed' })
  assert.equal(await licensing.findPreview(world.db, { app_id: app.id, user_id }), undefined)
})
