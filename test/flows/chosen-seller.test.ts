import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { SellerId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { signUp } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { addSellerWithApp } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

// A member of two sellers with a tab for each (decision 89)

let service: TestService
let agent: Agent
let user_id: UserId
let harbor: SellerId
let lantern: SellerId
before(async () => {
  service = await openTestService()
  await service.listen()
  harbor = await sellerOf('harbor')
  lantern = await sellerOf('lantern')
  const { email, agent: browser } = await signUp(service)
  agent = browser
  const { db, clock } = service.world
  user_id = (await identity.findByEmail(db, email))!.id
  for (const seller_id of [harbor, lantern]) {
    await sellers.addMember(db, clock.now(), { seller_id, user_id, role: 'admin' })
  }
})
after(() => service.close())

/** A new seller, with an app that has this slug. */
async function sellerOf(slug: string): Promise<SellerId> {
  const { email } = await signUp(service)
  await addSellerWithApp(service, { email, slug })
  const { seller_id } = await service.world.db.one<{ seller_id: SellerId }>(
    sql`select seller_id from apps where slug = ${slug}`,
  )
  return seller_id
}

/** Opens a page of a seller in a tab, as a link of an email does. */
async function opened(page: string, seller_id: SellerId): Promise<Agent> {
  const tab = agent.tab()
  await tab.open(`${page}?seller=${seller_id}`)
  return tab
}

async function legalNameOf(seller_id: SellerId) {
  const seller = await sellers.findSeller(service.world.db, seller_id)
  return seller?.legal_name
}

test('saves the details of the seller whose form was shown', async () => {
  const first = await opened('/dashboard/seller/', harbor)
  await opened('/dashboard/seller/', lantern)
  const before = await legalNameOf(lantern)
  await first.submit('Save', { legal_name: 'Harbor Works LLC' })
  assert.equal(await legalNameOf(lantern), before)
  assert.equal(await legalNameOf(harbor), 'Harbor Works LLC')
  assert.match(first.page.body, /value="Harbor Works LLC"/)
})

test('invites to the team whose form was shown', async () => {
  const first = await opened('/dashboard/team/', harbor)
  await opened('/dashboard/team/', lantern)
  await first.submit(/invit/i, { email: 'colleague@example.com', role: 'admin' })
  const { db, clock } = service.world
  assert.deepEqual(await sellers.invitationsOf(db, clock.now(), lantern), [])
  assert.equal((await sellers.invitationsOf(db, clock.now(), harbor)).length, 1)
})

test('refuses the form of a seller that the person has left, and changes no other', async () => {
  const first = await opened('/dashboard/seller/', harbor)
  const before = await legalNameOf(lantern)
  await service.world.db.run(sql`delete from seller_members
    where seller_id = ${harbor} and user_id = ${user_id}`)
  const refused = await first.submit('Save', { legal_name: 'Someone Else LLC' })
  assert.equal(refused.status, 404)
  assert.equal(await legalNameOf(lantern), before)
})
