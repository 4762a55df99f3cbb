import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { SellerId } from '#platform/ids'
import { sql } from '#platform/sql'
import { signUp } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
const members = new Map<sellers.MemberRole, Agent>()
before(async () => {
  service = await openTestService()
  await service.listen()
  for (const role of sellers.MEMBER_ROLES) members.set(role, await memberWith(role))
})
after(() => service.close())

/** A browser of a new member of the cast's seller; a new owner replaces the cast's. */
async function memberWith(role: sellers.MemberRole): Promise<Agent> {
  const { db, clock } = service.world
  const { email, agent } = await signUp(service)
  const { id: user_id } = (await identity.findByEmail(db, email))!
  const { id: seller_id } = await db.one<{ id: SellerId }>(sql`select id from sellers limit 1`)
  if (role === 'owner') await db.run(sql`update seller_members set role = 'admin'`)
  await sellers.addMember(db, clock.now(), { seller_id, user_id, role })
  return agent
}

/** The addresses in the menu of a seller's pages. */
function menuIn(body: string): string[] {
  const [menu = ''] = /<nav aria-label="Seller".*?<\/nav>/s.exec(body) ?? []
  return [...menu.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href)
}

const PAGES = [
  ...['', 'overview/', 'team/', 'activity/', 'seller/', 'export/', 'emails/', 'terms/'],
].map((page) => `/dashboard/${page}`)
const OF_ADMINS = ['/dashboard/activity/', '/dashboard/seller/']

for (const role of sellers.MEMBER_ROLES) {
  // Guards threat 59.
  test(`the seller menu of the role ${role} has the pages that it may open, on each of them`, async () => {
    const agent = members.get(role)!
    const isAdmin = role === 'owner' || role === 'admin'
    const theirs = PAGES.filter((page) => {
      if (page === '/dashboard/export/') return role === 'owner'
      return isAdmin || !OF_ADMINS.includes(page)
    })
    for (const page of PAGES) {
      const { status, body } = await agent.open(page)
      assert.equal(status, theirs.includes(page) ? 200 : 403, page)
      if (status === 200) assert.deepEqual(menuIn(body), theirs, page)
    }
  })
}

test('a member who may not accept the seller terms is not asked to', async () => {
  const { db } = service.world
  await db.run(sql`update sellers set terms_accepted_at = null`)
  for (const role of sellers.MEMBER_ROLES) {
    const { body } = await members.get(role)!.open('/dashboard/terms/')
    assert.equal(body.includes('I accept these terms'), ['owner', 'admin'].includes(role), role)
    assert.equal(
      body.includes('The owner or an admin must accept'),
      !body.includes('I accept'),
      role,
    )
  }
})
