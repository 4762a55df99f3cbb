import { type InvitedRole, invitationsOf } from '#domain/sellers'
import {
  acceptInvitation,
  changeMemberRole,
  inviteMember,
  removeMember,
  withdrawMemberInvitation,
} from '#flows/seller'
import type { SellerId } from '#platform/ids'
import { REQUEST } from './actors.ts'
import type { Fixture, Seller } from './fixture.ts'
import { opensTeam, requestSome } from './member-access.ts'
import {
  memberActor,
  ownerOf,
  someActor,
  someColleague,
  someInvited,
  someSeller,
} from './member-people.ts'
import { type AskedStep, rolesDuring, takeStep } from './member-steps.ts'
import type { SeededRandom } from './random.ts'
import type { Colleague, RecordedInvitation, TeamStep } from './team-record.ts'

/** What happens to the teams of sellers, with its relative frequency. */
export const MEMBER_ACTIONS = [
  { name: 'invite a member', weight: 4, act: inviteSome },
  { name: 'answer an invitation', weight: 4, act: answerSome },
  { name: 'invite, and lose the permission', weight: 2, act: inviteAndLose },
  { name: 'lose the permission, and change a member', weight: 2, act: loseAndChange },
  { name: 'change a member', weight: 6, act: changeSome },
  { name: 'request as a member', weight: 4, act: requestAsMember },
] as const

/** The roles to which people are invited: most often one that may change the team. */
export const ROLES: readonly InvitedRole[] = ['admin', 'admin', 'developer', 'finance', 'support']

/** A member invites a person, who most often accepts. */
async function inviteSome(fixture: Fixture, rng: SeededRandom): Promise<string> {
  const seller = rng.pick(fixture.sellers)
  const { seller_id } = seller
  const person = await someColleague(fixture, rng)
  const by = rng.odds(60) ? await ownerOf(fixture, seller) : await someActor(fixture, rng, seller)
  const said = `${by.email} invites ${person.email} to ${seller_id}`
  if (!(await opensTeam(fixture, by, seller_id))) return `${said}: refused`
  const between = await changeBetween(fixture, rng, { by, seller })
  const role = rng.pick(ROLES)
  const invitation = await invite(fixture, { by, seller_id, person, role })
  const { outcome } = invitation.sent
  const isAnswered = invitation.id !== undefined && rng.odds(65)
  const answer = isAnswered ? `, ${await answerOne(fixture, rng, invitation)}` : ''
  return `${said} as ${role}${between}: ${outcome}${answer}`
}

/** A member invites a person. */
export async function invite(
  fixture: Fixture,
  facts: { by: Colleague; seller_id: SellerId; person: Colleague; role: InvitedRole },
): Promise<RecordedInvitation> {
  const { world, harness, record } = fixture
  const { by, seller_id, role } = facts
  const { user_id, email, email_normalized } = facts.person
  const asked = { action: 'seller.member_invited', by: by.user_id, seller_id, about: email }
  const sent = await takeStep(fixture, asked, async () => {
    const invited = { seller_id, email, email_normalized, role }
    const outcome = await inviteMember(world, memberActor(by.user_id, seller_id), invited)
    return { is_made: outcome === 'invited', outcome }
  })
  const invitation: RecordedInvitation = { seller_id, user_id, role, sent, answers: [] }
  record.invitations.push(invitation)
  // As the page of the team lists it, unless another one replaced it in the same moment.
  const pending = await invitationsOf(harness.db, world.clock.now(), seller_id)
  const found = pending.find((each) => {
    const isSent = each.created_at.getTime() === sent.at.getTime()
    return isSent && each.email === email && each.role === role && each.inviter === by.email
  })
  if (sent.is_made && found) invitation.id = found.id
  return invitation
}

/** A new admin invites a person, who answers after the owner changed that admin. */
async function inviteAndLose(fixture: Fixture, rng: SeededRandom): Promise<string> {
  const seller = rng.pick(fixture.sellers)
  const { seller_id } = seller
  const owner = await ownerOf(fixture, seller)
  const [admin, person] = [await someColleague(fixture, rng), await someColleague(fixture, rng)]
  const first = await invite(fixture, { by: owner, seller_id, person: admin, role: 'admin' })
  if (first.id) await accept(fixture, first, admin)
  const said = `${admin.email} invites ${person.email} to ${seller_id}`
  if (!(await opensTeam(fixture, admin, seller_id))) return `${said}: refused`
  const role = rng.pick(ROLES)
  const second = await invite(fixture, { by: admin, seller_id, person, role })
  const to = rng.pick(['none', 'developer', 'admin'] as const)
  const lost = await changeRole(fixture, { by: owner, person: admin, seller_id, to })
  const answer = second.id ? `, ${await answerOne(fixture, rng, second)}` : ''
  return `${said} as ${role} and becomes ${to}: ${lost.outcome}${answer}`
}

/** A person answers an invitation that they have, or had. */
async function answerSome(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const sent = fixture.record.invitations.filter(({ id }) => id !== undefined)
  const unanswered = sent.filter(({ answers }) => answers.length === 0)
  // The oldest one may have expired.
  const older = rng.odds(50) ? unanswered.slice(0, 1) : unanswered
  const some = unanswered.length > 0 && rng.odds(75) ? older : sent
  return some.length > 0 ? await answerOne(fixture, rng, rng.pick(some)) : undefined
}

/** Accepts an invitation, perhaps in two tabs or as another person; or the owner withdraws it. */
async function answerOne(
  fixture: Fixture,
  rng: SeededRandom,
  invitation: RecordedInvitation,
): Promise<string> {
  const { seller_id, user_id } = invitation
  const { colleagues } = fixture.record
  const draw = rng.below(100)
  if (draw < 12) return await withdraw(fixture, invitation)
  const invited = colleagues.find((each) => each.user_id === user_id)!
  const person = draw < 20 ? rng.pick(colleagues) : invited
  const press = () => accept(fixture, invitation, person)
  const said = await Promise.all(rng.odds(12) ? [press(), press()] : [press()])
  const answer = `${person.email} ${said.map(({ outcome }) => outcome).join(' and ')}`
  if (rng.odds(40)) return answer
  return `${answer}, ${await requestSome(fixture, rng, { person, seller_id })}`
}

/** A person accepts an invitation. */
export async function accept(
  fixture: Fixture,
  { id, seller_id, role, answers }: RecordedInvitation,
  { user_id, email_normalized }: Colleague,
): Promise<TeamStep> {
  const { world } = fixture
  const now = world.clock.now()
  const before = rolesDuring(fixture, { seller_id, user_id }, now, now)
  const asked = { action: 'seller.member_joined', by: user_id, seller_id, about: user_id }
  const roles = [{ user_id, to: role }]
  return await takeStep(fixture, { ...asked, roles, answers }, async () => {
    const actor = { kind: 'seller', user_id, request_id: REQUEST } as const
    const joined = await acceptInvitation(world, actor, { id: id!, email_normalized })
    if (!joined) return { is_made: false, outcome: 'no invitation' }
    // A person who is a member since keeps their role, and the answer does not say so.
    const isSure = before.size === 1 && before.has('none')
    return { ...(isSure && { is_made: true }), outcome: 'joined' }
  })
}

async function withdraw(
  fixture: Fixture,
  { id, seller_id, answers }: RecordedInvitation,
): Promise<string> {
  const { world, sellers } = fixture
  const { seller_user_id: by } = sellers.find((each) => each.seller_id === seller_id)!
  const asked = { action: 'seller.invitation_withdrawn', by, seller_id, about: id! }
  const step = await takeStep(fixture, { ...asked, answers }, async () => {
    const given = { seller_id, id: id! }
    const is_made = await withdrawMemberInvitation(world, memberActor(by, seller_id), given)
    return { is_made, outcome: is_made ? 'withdrawn' : 'was not pending' }
  })
  return step.outcome
}

/** A member changes the role of another, removes one, or leaves; both go on with their work. */
async function changeSome(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  if (fixture.record.colleagues.length === 0) return undefined
  const seller = someSeller(fixture, rng)
  const { seller_id } = seller
  const isOwner = rng.odds(10)
  const person = isOwner ? await ownerOf(fixture, seller) : someInvited(fixture, rng, seller)
  const by = rng.odds(20) ? person : await someActor(fixture, rng, seller)
  const asked = { by, person, seller_id }
  const said = `${by.email} changes ${person.email} at ${seller_id}`
  // Who leaves needs no permission.
  const isLeaving = by.user_id === person.user_id
  if (!isLeaving && !(await opensTeam(fixture, by, seller_id))) return `${said}: refused`
  const between = isLeaving ? '' : await changeBetween(fixture, rng, { by, seller })
  const to = isLeaving || rng.odds(45) ? 'none' : rng.pick(ROLES)
  const change = async () => (await changeRole(fixture, { ...asked, to })).outcome
  const back = async () =>
    (await changeRole(fixture, { ...asked, by: person, person: by, to: 'support' })).outcome
  const isMutual = !isLeaving && rng.odds(12) && (await opensTeam(fixture, person, seller_id))
  const outcomes = await Promise.all(isMutual ? [change(), back()] : [change()])
  const requested = await requestSome(fixture, rng, { person, seller_id })
  return `${said}${between} to ${to}: ${outcomes.join(' and ')}, ${requested}`
}

async function changeRole(
  fixture: Fixture,
  facts: { by: Colleague; person: Colleague; seller_id: SellerId; to: InvitedRole | 'none' },
): Promise<TeamStep> {
  const { world } = fixture
  const { seller_id, to } = facts
  const { user_id } = facts.person
  const by = facts.by.user_id
  const action = to === 'none' ? 'seller.member_removed' : 'seller.member_changed'
  const asked: AskedStep = { action, by, seller_id, about: user_id, roles: [{ user_id, to }] }
  return await takeStep(fixture, asked, async () => {
    const actor = memberActor(by, seller_id)
    const member = { seller_id, user_id }
    const changed =
      to === 'none'
        ? await removeMember(world, actor, member)
        : await changeMemberRole(world, actor, { ...member, role: to })
    const outcome = changed === 'not_found' ? 'no member' : changed
    return { is_made: outcome === 'changed', outcome }
  })
}

/** After a form was allowed, the owner may change the member who sent it before it is saved. */
async function changeBetween(
  fixture: Fixture,
  rng: SeededRandom,
  { by, seller }: { by: Colleague; seller: Seller },
): Promise<string> {
  const { seller_id, seller_user_id } = seller
  if (by.user_id === seller_user_id || rng.odds(70)) return ''
  const to = rng.pick(['none', 'support', 'admin'] as const)
  const owner = await ownerOf(fixture, seller)
  const { outcome } = await changeRole(fixture, { by: owner, person: by, seller_id, to })
  return ` (who becomes ${to}: ${outcome})`
}

/** A new admin opens a form of the team, and sends it after the owner changed that admin. */
async function loseAndChange(fixture: Fixture, rng: SeededRandom): Promise<string> {
  const seller = rng.pick(fixture.sellers)
  const { seller_id } = seller
  const owner = await ownerOf(fixture, seller)
  const admin = await someColleague(fixture, rng)
  const first = await invite(fixture, { by: owner, seller_id, person: admin, role: 'admin' })
  if (first.id) await accept(fixture, first, admin)
  const said = `${admin.email} changes the team of ${seller_id}`
  if (!(await opensTeam(fixture, admin, seller_id))) return `${said}: refused`
  const to = rng.pick(['none', 'developer', 'finance', 'support', 'admin'] as const)
  const lost = await changeRole(fixture, { by: owner, person: admin, seller_id, to })
  const person = await someColleague(fixture, rng)
  const isInviting = rng.odds(50) || person.user_id === admin.user_id
  const role = rng.pick(ROLES)
  const facts = { by: admin, seller_id, person }
  const { outcome } = isInviting
    ? (await invite(fixture, { ...facts, role })).sent
    : await changeRole(fixture, { ...facts, to: rng.odds(50) ? 'none' : role })
  const what = isInviting ? `invites ${person.email}` : `changes ${person.email}`
  return `${said}, becomes ${to}: ${lost.outcome}, and ${what}: ${outcome}`
}

/** A person requests something of a seller: as its member, its former member, or none. */
async function requestAsMember(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  if (fixture.record.colleagues.length === 0) return undefined
  const seller = someSeller(fixture, rng)
  const person = await someActor(fixture, rng, seller)
  const { seller_id } = seller
  const said = [
    await requestSome(fixture, rng, { person, seller_id }),
    await requestSome(fixture, rng, { person, seller_id }),
  ]
  return `${seller_id}: ${said.join(', ')}`
}
