import * as identity from '#domain/identity'
import { mintId, type SellerId, type UserId } from '#platform/ids'
import { REQUEST } from './actors.ts'
import type { Fixture, Seller } from './fixture.ts'
import { rolesDuring } from './member-steps.ts'
import type { SeededRandom } from './random.ts'
import type { Colleague } from './team-record.ts'

const COLLEAGUES = 4

/** A member as the actor of a step. */
export const memberActor = (user_id: UserId, seller_id: SellerId) =>
  ({ kind: 'seller', user_id, seller_id, request_id: REQUEST }) as const

/** The owner of a seller. */
export async function ownerOf(
  { harness }: Fixture,
  { seller_user_id }: Seller,
): Promise<Colleague> {
  const { email, email_normalized } = await identity.getUser(harness.db, seller_user_id)
  return { user_id: seller_user_id, email, email_normalized }
}

/** Who acts for a seller: its owner, or a person whom a seller invited, perhaps not this one. */
export async function someActor(
  fixture: Fixture,
  rng: SeededRandom,
  seller: Seller,
): Promise<Colleague> {
  return rng.odds(50) ? await ownerOf(fixture, seller) : someInvited(fixture, rng, seller)
}

/** A person whom a seller invited: most often one who is a member of this seller. */
export function someInvited(
  fixture: Fixture,
  rng: SeededRandom,
  { seller_id }: Pick<Seller, 'seller_id'>,
): Colleague {
  const { record, world } = fixture
  const now = world.clock.now()
  const members = record.colleagues.filter(({ user_id }) => {
    return !rolesDuring(fixture, { seller_id, user_id }, now, now).has('none')
  })
  return rng.pick(members.length > 0 && rng.odds(80) ? members : record.colleagues)
}

/** A seller whose team changes: most often one with members. */
export function someSeller({ record, sellers }: Fixture, rng: SeededRandom): Seller {
  const joined = sellers.filter(({ seller_id }) =>
    record.team.some((step) => step.seller_id === seller_id && step.outcome === 'joined'),
  )
  return rng.pick(joined.length > 0 && rng.odds(80) ? joined : sellers)
}

/** A person who may be a member, or becomes one. */
export async function someColleague(fixture: Fixture, rng: SeededRandom): Promise<Colleague> {
  const { record, world } = fixture
  const { colleagues } = record
  if (colleagues.length >= COLLEAGUES || (colleagues.length > 0 && rng.odds(55)))
    return rng.pick(colleagues)
  const email = `colleague-${colleagues.length}@example.com`
  const { user_id } = await identity.findOrAddUser(world.db, world.clock.now(), {
    id: mintId(world.random, 'usr'),
    email,
    email_normalized: email,
    created_via: 'demo',
  })
  const colleague = { user_id, email, email_normalized: email }
  if (!colleagues.some((each) => each.email === email)) colleagues.push(colleague)
  return colleague
}
