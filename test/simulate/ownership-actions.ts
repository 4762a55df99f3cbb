import type { SellerPermission } from '#domain/sellers'
import { transferOwnership } from '#flows/seller'
import type { SellerId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Fixture, Seller } from './fixture.ts'
import { opensTeam, request } from './member-access.ts'
import { accept, invite, ROLES } from './member-actions.ts'
import { memberActor, ownerOf, someColleague, someInvited } from './member-people.ts'
import { type AskedStep, rolesDuring, seeOwner, takeStep } from './member-steps.ts'
import type { SeededRandom } from './random.ts'
import { enterBank, requestPayout } from './seller-actions.ts'
import type { Colleague, TeamStep } from './team-record.ts'
import { offerApp } from './transfer-actions.ts'

/** How sellers get other owners, with its relative frequency. */
export const OWNERSHIP_ACTIONS = [
  { name: 'transfer ownership', weight: 6, act: transferSome },
  { name: 'transfer ownership after a returned payout', weight: 25, act: transferReturned },
  { name: 'transfer ownership, as a member', weight: 1, act: transferAsMember },
  { name: 'offer an app, and transfer ownership', weight: 4, act: offerAndTransfer },
] as const

/** The owner of a seller makes a member the owner, perhaps two at once, and both go on. */
async function transferSome(fixture: Fixture, rng: SeededRandom): Promise<string> {
  return await makeMemberOwner(fixture, rng, rng.pick(fixture.sellers))
}

/** A seller whose bank returned a payout gets another owner. */
async function transferReturned(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { harness, sellers } = fixture
  const returned = await harness.db.rows<{ owner: string }>(
    sql`select owner from payout_accounts where returned_at is not null`,
  )
  const owners = new Set(returned.map(({ owner }) => owner))
  const waiting = sellers.filter(({ seller_id }) => owners.has(seller_id))
  return waiting.length > 0 ? await makeMemberOwner(fixture, rng, rng.pick(waiting)) : undefined
}

async function makeMemberOwner(
  fixture: Fixture,
  rng: SeededRandom,
  { ...seller }: Seller,
): Promise<string> {
  const { seller_id } = seller
  const owner = await ownerOf(fixture, seller)
  const person = await someMember(fixture, rng, { owner, seller_id })
  const said = `${owner.email} makes ${person.email} the owner of ${seller_id}`
  if (!(await opensTeam(fixture, owner, seller_id))) return `${said}: refused`
  const other = rng.odds(20) ? await someMember(fixture, rng, { owner, seller_id }) : undefined
  const steps = await Promise.all([
    transfer(fixture, { by: owner, person, seller_id }),
    ...(other ? [transfer(fixture, { by: owner, person: other, seller_id })] : []),
  ])
  const outcome = steps.map((step) => step.outcome).join(' and ')
  if (!steps.some(({ is_made }) => is_made)) return `${said}: ${outcome}`
  // Who was the owner is a member like the others.
  const { colleagues } = fixture.record
  if (!colleagues.some(({ user_id }) => user_id === owner.user_id)) colleagues.push(owner)
  const did = [
    ...(rng.odds(25) ? [await requestPayout(fixture, rng, seller_id)] : []),
    await requestEach(fixture, rng, { person: owner, seller_id }),
    await requestEach(fixture, rng, { person, seller_id }),
    ...(rng.odds(20) ? [await enterBank(fixture, rng, seller_id)] : []),
  ]
  return `${said}: ${outcome}, ${did.join(', ')}`
}

/** Permissions that an owner has, of which some other members lack one or more. */
const LIMITED: readonly SellerPermission[] = ['export_all', 'transfer_apps', 'payouts', 'team']

/** A person requests what only some roles include: of the seller, of its app, and by an agent. */
async function requestEach(
  fixture: Fixture,
  rng: SeededRandom,
  { person, seller_id }: { person: Colleague; seller_id: SellerId },
): Promise<string> {
  const app_id = fixture.shops.find((shop) => shop.seller_id === seller_id)?.id
  const asked = [
    { way: 'form', permission: rng.pick(LIMITED), app_id: undefined },
    { way: 'app_form', permission: rng.pick(LIMITED), app_id },
    { way: 'tool', permission: 'edit_apps', app_id },
  ] as const
  const said: string[] = []
  for (const each of asked) {
    if (each.way !== 'form' && !app_id) continue
    const { outcome } = await request(fixture, person, { ...each, seller_id })
    said.push(`${each.way} ${each.permission} ${outcome}`)
  }
  return `${person.email} ${said.join(' and ')}`
}

/** A member of a seller who is not its owner: most often one who joins now, or joined before. */
async function someMember(
  fixture: Fixture,
  rng: SeededRandom,
  { owner, seller_id }: { owner: Colleague; seller_id: SellerId },
): Promise<Colleague> {
  const { record, world } = fixture
  const now = world.clock.now()
  const members = record.colleagues.filter(({ user_id }) => {
    const roles = rolesDuring(fixture, { seller_id, user_id }, now, now)
    return !roles.has('none') && !roles.has('owner')
  })
  if (members.length > 0 && rng.odds(70)) return rng.pick(members)
  const person = await someColleague(fixture, rng)
  if (person.user_id === owner.user_id || rng.odds(10)) return person
  const role = rng.pick(ROLES)
  const invitation = await invite(fixture, { by: owner, seller_id, person, role })
  if (invitation.id) await accept(fixture, invitation, person)
  return person
}

async function transfer(
  fixture: Fixture,
  facts: { by: Colleague; person: Colleague; seller_id: SellerId },
): Promise<TeamStep> {
  const { world } = fixture
  const { seller_id } = facts
  const [by, user_id] = [facts.by.user_id, facts.person.user_id]
  const asked = { action: 'seller.ownership_transferred', by, seller_id, about: user_id }
  const roles: AskedStep['roles'] = [
    { user_id: by, to: 'admin' },
    { user_id, to: 'owner' },
  ]
  try {
    return await takeStep(fixture, { ...asked, roles }, async () => {
      const given = { seller_id, user_id }
      const changed = await transferOwnership(world, memberActor(by, seller_id), given)
      const outcome = changed === 'not_found' ? 'no member' : changed
      return { is_made: outcome === 'changed', outcome }
    })
  } finally {
    await seeOwner(fixture, seller_id)
  }
}

/** A member who is not the owner tries to make a member the owner. */
async function transferAsMember(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  if (fixture.record.colleagues.length === 0) return undefined
  const seller = rng.pick(fixture.sellers)
  const { seller_id } = seller
  const by = someInvited(fixture, rng, seller)
  const person = rng.odds(50) ? by : someInvited(fixture, rng, seller)
  const said = `${by.email} makes ${person.email} the owner of ${seller_id}`
  if (!(await opensTeam(fixture, by, seller_id))) return `${said}: refused`
  return `${said}: ${(await transfer(fixture, { by, person, seller_id })).outcome}`
}

/** One of two sellers gets another owner between the offer of an app and its answer. */
async function offerAndTransfer(fixture: Fixture, rng: SeededRandom): Promise<string> {
  return await offerApp(fixture, rng, async ({ shop, to }) => {
    const { seller_id, seller_user_id } = rng.odds(65) ? shop : to
    return await makeMemberOwner(fixture, rng, { seller_id, seller_user_id })
  })
}
