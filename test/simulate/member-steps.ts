import * as sellers from '#domain/sellers'
import type { SellerId, UserId } from '#platform/ids'
import { Problem } from '#platform/problem'
import type { Fixture } from './fixture.ts'
import { type RecordedChange, valuesDuring } from './recorded-change.ts'
import type { TeamRole, TeamStep } from './team-record.ts'

/** An account at a seller. */
interface At {
  seller_id: SellerId
  user_id: UserId
}

/** What a recorded role is of. */
export const roleSubject = ({ seller_id, user_id }: At) => `${seller_id} ${user_id}`

/** The role that an account had at a seller before anything was asked for. */
export function firstRole({ record, sellers: all }: Fixture, at: At): TeamRole {
  const changed = record.roles.find(({ subject }) => subject === roleSubject(at))
  if (changed) return changed.from
  const { seller_user_id } = all.find(({ seller_id }) => seller_id === at.seller_id)!
  return seller_user_id === at.user_id ? 'owner' : 'none'
}

/** The roles that an account can have had at a seller at any time of a period. */
export function rolesDuring(fixture: Fixture, of: At, from: Date, until: Date): Set<TeamRole> {
  const otherwise = firstRole(fixture, of)
  const during = { subject: roleSubject(of), from, until, otherwise }
  return valuesDuring(fixture.record.roles, during)
}

/** What a step asks for, with the roles that it changes. */
export type AskedStep = Pick<TeamStep, 'action' | 'by' | 'seller_id' | 'about'> & {
  roles?: { user_id: UserId; to: TeamRole }[]
  /** The answers to an invitation, of which it is one. */
  answers?: TeamStep[]
}

/** Records a step with the roles that it changes. A second passes before and after it. */
export async function takeStep(
  fixture: Fixture,
  { roles = [], answers, ...asked }: AskedStep,
  ask: () => Promise<Pick<TeamStep, 'is_made' | 'outcome'>>,
): Promise<TeamStep> {
  const { record, harness } = fixture
  const { clock } = harness
  clock.pass(1)
  const step: TeamStep = { ...asked, at: clock.now(), outcome: 'unknown' }
  const { seller_id, at, outcome } = step
  const changes = roles.map(({ user_id, to }): RecordedChange<TeamRole> => {
    const of = { seller_id, user_id }
    return { subject: roleSubject(of), from: firstRole(fixture, of), to, at, outcome }
  })
  record.team.push(step)
  // Before it is asked for: a process that is killed may have done it.
  answers?.push(step)
  record.roles.push(...changes)
  try {
    Object.assign(step, await ask())
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    Object.assign(step, { is_made: false, outcome: error.code })
  } finally {
    step.until = clock.now()
    const { is_made, outcome: said } = step
    for (const change of changes)
      Object.assign(change, { is_made, outcome: said, ended_at: step.until })
    clock.pass(1)
  }
  return step
}

/** Names the owner of a seller who acts for it: after a lost answer too, as its team sees who is. */
export async function seeOwner(
  { harness, sellers: all, shops }: Fixture,
  seller_id: SellerId,
): Promise<void> {
  const members = await sellers.membersOf(harness.db, seller_id)
  const owner = members.find(({ role }) => role === 'owner')
  if (!owner) return
  for (const each of [...all, ...shops]) {
    if (each.seller_id === seller_id) each.seller_user_id = owner.user_id
  }
}
