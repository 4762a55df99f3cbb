import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import { offerTransfer } from '#flows/app'
import { transferOwnership } from '#flows/seller'
import { sql } from '#platform/sql'
import { newEmail, PASSWORD, signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import {
  accept,
  newApp,
  type OtherSeller,
  offer,
  otherSeller,
  sellerOf,
} from '../support/app-transfer.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { emailTo } from '../support/mailbox.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY } from '../support/subscriber.ts'

// Guards point 3 of issue 11: offers of an app to another seller (decision 100).

let service: TestService

before(async () => {
  service = await openTestService()
  await service.listen()
})
after(() => assertInvariantsAndClose(service))

describe('an offer', () => {
  test('is accepted only by the account that has its email, and by an owner', async () => {
    const app = await newApp(service)
    const to = await otherSeller(service)
    const third = await otherSeller(service)
    await offer(service, app.slug, to.email)
    await to.agent.open('/dashboard/transfers/')
    const { transfer_id } = to.agent.form(/^Accept for /)
    assert.ok(transfer_id)
    const form = async (agent: Agent, path: string) => {
      await agent.open('/dashboard/invitations/')
      const start = await agent.open('/dashboard/team/')
      const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(start.body)?.[1] ?? ''
      return await service.app.inject({
        method: 'POST',
        url: path,
        headers: { cookie: agent.cookie, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ csrf_token, transfer_id: transfer_id! }).toString(),
      })
    }
    for (const path of ['/dashboard/transfers/accept', '/dashboard/transfers/decline']) {
      const { statusCode, headers } = await form(third.agent, path)
      assert.deepEqual([statusCode, headers.location], [303, '/dashboard/transfers/?done=not_open'])
    }
    const { db } = service.world
    const { id: user_id } = (await identity.findByEmail(db, to.email))!
    const member = { seller_id: to.seller_id, user_id }
    await sellers.setRole(db, { ...member, role: 'admin' })
    const refused = await form(to.agent, '/dashboard/transfers/accept')
    assert.equal(refused.headers.location, '/dashboard/transfers/?done=not_owner')
    await sellers.setRole(db, { ...member, role: 'owner' })
    await accept(to)
    assert.equal(await sellerOf(service, app.client_id), to.seller_id)
    const again = await form(to.agent, '/dashboard/transfers/accept')
    assert.equal(again.headers.location, '/dashboard/transfers/?done=not_open')
  })

  test('is not accepted while the app or one of the sellers is suspended', async () => {
    const app = await newApp(service)
    const to = await otherSeller(service)
    const { db, clock } = service.world
    await offer(service, app.slug, to.email)
    for (const set of [
      (at: Date | null) => apps.setSuspended(db, app.client_id, at),
      (at: Date | null) => sellers.setSuspended(db, to.seller_id, at),
    ]) {
      await set(clock.now())
      const { url } = await accept(to)
      assert.equal(url, '/dashboard/transfers/?done=suspended')
      await set(null)
    }
    await accept(to)
    assert.equal(await sellerOf(service, app.client_id), to.seller_id)
  })

  test('requires the seller terms and recent authentication', async () => {
    const app = await newApp(service)
    const to = await otherSeller(service)
    const owner = await offer(service, app.slug, to.email)
    const { db } = service.world
    await db.run(sql`update sellers set terms_version = 'former' where id = ${to.seller_id}`)
    assert.match((await accept(to)).url, /^\/dashboard\/terms\//)
    const version = service.world.seller_terms_version
    await sellers.acceptTerms(db, service.clock.now(), { seller_id: to.seller_id, version })
    await to.agent.open('/dashboard/transfers/')
    service.clock.pass(11 * 60)
    assert.match((await to.agent.submit(/^Accept for /)).url, /^\/account\/confirm\?/)
    assert.notEqual(await sellerOf(service, app.client_id), to.seller_id)
    assert.match((await owner.open(`/dashboard/apps/${app.slug}/transfer/`)).url, /confirm/)
  })

  test('ends by a decline, a withdrawal or after 14 days, and without its email address', async () => {
    const { db, clock } = service.world
    const ends: [
      name: string,
      end: (owner: Agent, app: { slug: string }, to: OtherSeller) => Promise<unknown>,
    ][] = [
      [
        'declined',
        async (_owner, _app, { agent }) => {
          await agent.open('/dashboard/transfers/')
          await agent.submit('Decline')
          await emailTo(service, service.demo.seller.email, /was declined$/)
        },
      ],
      [
        'withdrawn',
        async (owner, { slug }) => {
          await owner.open(`/dashboard/apps/${slug}/transfer/`)
          await owner.submit('Withdraw offer')
        },
      ],
      ['expired', async () => service.clock.pass(15 * DAY)],
    ]
    for (const [name, end] of ends) {
      const app = await newApp(service)
      const to = await otherSeller(service)
      const owner = await offer(service, app.slug, to.email)
      const { id } = (await apps.openTransferOf(db, clock.now(), app.client_id))!
      await end(owner, app, to)
      assert.equal(await apps.openTransferOf(db, clock.now(), app.client_id), undefined, name)
      const agent = name === 'expired' ? await signedInAgain(to) : to.agent
      assert.match(textOf((await agent.open('/dashboard/transfers/')).body), /No offers/, name)
      const found = await apps.findTransfer(db, id)
      if (name !== 'expired') assert.deepEqual([found?.outcome, found?.email], [name, null])
      assert.match(textOf((await offer(service, app.slug, to.email)).page.body), /Open offer/, name)
    }
  })

  test('ends with the ownership of who made it, who cannot make another in between', async () => {
    const { world } = service
    const { db } = world
    const [app, other] = [await newApp(service), await newApp(service)]
    const to = await otherSeller(service)
    const seller_id = await sellerOf(service, app.client_id)
    const idOf = async (email: string) => (await identity.findByEmail(db, email))!.id
    const user_id = await idOf(service.demo.seller.email)
    const next = await idOf((await signUp(service)).email)
    await sellers.addMember(db, service.clock.now(), { seller_id, user_id: next, role: 'admin' })
    await offer(service, app.slug, to.email)
    const actor = { kind: 'seller', user_id, seller_id, request_id: 'req_test' } as const
    assert.equal(await transferOwnership(world, actor, { seller_id, user_id: next }), 'changed')
    await to.agent.open('/dashboard/transfers/')
    assert.doesNotMatch(to.agent.text, new RegExp(app.slug))
    assert.equal(await apps.openTransferOf(db, service.clock.now(), app.client_id), undefined)
    const email = { email: to.email, email_normalized: to.email, reason: 'Sold.' }
    const offered = offerTransfer(world, actor, { ...email, app_id: other.client_id })
    await assert.rejects(offered, { code: 'not_found' })
    assert.equal(await sellerOf(service, app.client_id), seller_id)
    const back = { ...actor, user_id: next }
    assert.equal(await transferOwnership(world, back, { seller_id, user_id }), 'changed')
  })

  test('is refused for a member of the seller’s own team, without a reason, or while another is open', async () => {
    const app = await newApp(service)
    const owner = await signedIn(service, service.demo.seller)
    await owner.open(`/dashboard/apps/${app.slug}/transfer/`)
    const empty = await owner.submit('Offer app', { email: 'not an email', reason: '' })
    assert.equal(empty.status, 422)
    assert.match(textOf(empty.body), /Give a reason/)
    const turned = { email: newEmail(), reason: 'Sold \u202eto a friend' }
    const refused = await owner.submit('Offer app', turned)
    const named = /href="#reason">Reason: Must not contain control characters\.</
    assert.match(refused.body, named)
    const own = await offer(service, app.slug, service.demo.seller.email)
    assert.match(own.text, /member of your own team/)
    await owner.open(`/dashboard/apps/${app.slug}/transfer/`)
    const other_tab = owner.twin()
    await offer(service, app.slug, newEmail())
    const second = await other_tab.submit('Offer app', { email: newEmail(), reason: 'Twice.' })
    assert.match(textOf(second.body), /already offered/)
  })
})

async function signedInAgain({ email }: OtherSeller): Promise<Agent> {
  return await signedIn(service, { email, password: PASSWORD })
}
