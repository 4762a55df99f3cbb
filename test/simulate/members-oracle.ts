import type { SellerPermission } from '#domain/sellers'
import { addDays } from '#platform/calendar'
import type { SellerId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'
import { roleSubject, rolesDuring } from './member-steps.ts'
import { valuesDuring } from './recorded-change.ts'
import { wasOn } from './switches.ts'
import type { RecordedAccess, RecordedInvitation, TeamRole, TeamStep } from './team-record.ts'

/** Compares what members could do with the answers to those who changed the teams of sellers. */
export async function memberFaults(fixture: Fixture): Promise<Broken[]> {
  const { record } = fixture
  return [
    {
      rule: 'a member may do what their role includes, and nothing else',
      facts: record.accesses.filter((access) => isWrongAccess(fixture, access)),
    },
    {
      rule: 'a team changes only by a member who may change it, and then as they asked',
      facts: record.team.filter((step) => isWrongStep(fixture, step)),
    },
    {
      rule: 'a person joins by an invitation to them that is valid, once, and by any such',
      facts: record.invitations.flatMap((each) => wrongAnswers(fixture, each)),
    },
    {
      rule: 'each member has the role that was answered, and a seller has one owner',
      facts: await otherTeams(fixture),
    },
    { rule: 'the audit log names who changed a team', facts: await wrongAudits(fixture) },
  ].filter(({ facts }) => facts.length > 0)
}

const ALL: readonly SellerPermission[] = [
  'view',
  'edit_apps',
  'support',
  'move_data',
  'payouts',
  'team',
  'account',
]

/** What each role includes: decided here again, independent of the service's table. */
const INCLUDED: Record<TeamRole, readonly SellerPermission[]> = {
  owner: [...ALL, 'export_all', 'transfer_apps'],
  admin: ALL,
  developer: ['view', 'edit_apps'],
  finance: ['view', 'support', 'payouts'],
  support: ['view', 'support'],
  none: [],
}

function isWrongAccess(fixture: Fixture, access: RecordedAccess): boolean {
  const { app_id, user_id, permission, at, until, outcome, is_change } = access
  if (outcome === 'unknown') return false
  const otherwise = access.seller_id
  const ids = app_id
    ? valuesDuring(fixture.record.sellers, { subject: app_id, from: at, until: until!, otherwise })
    : new Set([access.seller_id])
  const may = [...ids].flatMap((seller_id) => {
    const active = wasOn(fixture, `active ${seller_id}`, { at, until: until! })
    const states =
      is_change && active !== true ? (active === false ? [false] : [true, false]) : [true]
    const roles = [...rolesDuring(fixture, { seller_id, user_id }, at, until!)]
    return roles.flatMap((role) =>
      states.map((isActive) => isActive && INCLUDED[role].includes(permission)),
    )
  })
  return outcome === 'allowed' ? !may.includes(true) : !may.includes(false)
}

const JOINS = /joined$/

/** Whether a step was made, or refused, though the roles of both people say otherwise. */
function isWrongStep(fixture: Fixture, { action, by, seller_id, ...step }: TeamStep): boolean {
  const { at, until, is_made, outcome, about } = step
  if (!until || outcome === 'unknown' || JOINS.test(action)) return false
  const roles = (user_id: UserId) => [...rolesDuring(fixture, { seller_id, user_id }, at, until)]
  const isTransfer = action === 'seller.ownership_transferred'
  const isLeaving = action === 'seller.member_removed' && by === about
  const may = roles(by).map((role) =>
    isTransfer ? role === 'owner' : INCLUDED[role].includes('team'),
  )
  const isAllowed = isLeaving || may.includes(true)
  if (is_made) return !isAllowed
  if (outcome === 'not_found') return !may.includes(false)
  if (outcome === 'no member') {
    // Who is not the owner gets the same answer about a member.
    const isByOther = isTransfer && may.includes(false)
    return !isByOther && !roles(about as UserId).includes('none')
  }
  return outcome === 'is_owner' && !roles(about as UserId).includes('owner')
}

const VALID_DAYS = 7

/** The answers to an invitation that were wrong. */
function wrongAnswers(fixture: Fixture, invitation: RecordedInvitation): TeamStep[] {
  const { record } = fixture
  const { id, sent, seller_id, user_id, answers } = invitation
  // Two that were sent in the same moment may have been seen as the one that replaced the other.
  const same = record.invitations.filter((each) => {
    return each === invitation || (id !== undefined && each.id === id)
  })
  const all = same.flatMap((each) => each.answers)
  return answers.filter((answer) => {
    const { at, until, by, outcome, action } = answer
    if (!until || outcome === 'unknown' || !JOINS.test(action)) return false
    const others = [
      ...all.filter((each) => each !== answer && each.outcome !== 'no invitation'),
      // A later invitation to the same email replaces it.
      ...record.invitations
        .filter((each) => each.seller_id === seller_id && each.user_id === user_id)
        .filter((each) => !same.includes(each))
        .map((each) => each.sent)
        .filter((each) => !each.until || each.until >= sent.at),
    ].filter((each) => each.is_made !== false && each.at <= until)
    const isSurelyOver = others.some((each) => {
      // Of two invitations that were sent at once, either may have replaced the other.
      const isEarlier = each.action === sent.action && each.at <= sent.until!
      const isDone = each.is_made || each.outcome === 'joined'
      return !isEarlier && isDone && each.until && each.until < at
    })
    const ends_at = addDays(sent.at, VALID_DAYS)
    const inviter = { seller_id, user_id: sent.by }
    const lost = record.roles.filter(({ subject, to, at: asked, is_made }) => {
      const isLater = asked >= sent.at && asked <= until
      return subject === roleSubject(inviter) && isLater && is_made !== false && !mayInvite(to)
    })
    const isLost = lost.some(({ at: asked, ended_at, is_made }) => {
      return is_made && asked > sent.until! && ended_at! < at
    })
    if (outcome === 'joined') return by !== user_id || isSurelyOver || at >= ends_at || isLost
    return by === user_id && until < ends_at && others.length === 0 && lost.length === 0
  })
}

const mayInvite = (role: TeamRole) => INCLUDED[role].includes('team')

interface StoredMember {
  seller_id: SellerId
  user_id: UserId
  role: TeamRole
}

async function otherTeams(fixture: Fixture): Promise<unknown[]> {
  const { harness, record, world, sellers } = fixture
  const now = world.clock.now()
  const members = await harness.db.rows<StoredMember>(
    sql`select seller_id, user_id, role from seller_members order by 1, 2`,
  )
  const people = [...record.colleagues, ...members].map(({ user_id }) => user_id)
  return sellers.flatMap(({ seller_id }) => {
    const own = members.filter((each) => each.seller_id === seller_id)
    const owners = own.filter(({ role }) => role === 'owner')
    const others = [...new Set(people)].flatMap((user_id) => {
      const role = own.find((each) => each.user_id === user_id)?.role ?? 'none'
      const roles = rolesDuring(fixture, { seller_id, user_id }, now, now)
      return roles.has(role) ? [] : [{ seller_id, user_id, role, roles: [...roles] }]
    })
    return owners.length === 1 ? others : [{ seller_id, owners }, ...others]
  })
}

interface StoredStep {
  step: string
  count: number
}

/** Each step is in the audit log once, with who asked for it, and nothing else is. */
async function wrongAudits({ harness, record }: Fixture): Promise<unknown[]> {
  const rows = await harness.db.rows<StoredStep>(sql`select action || ' ' || actor || ' ' || subject
      || ' ' || coalesce(detail->>'user_id', detail->>'after', detail->>'email', detail->>'id')
      as step, count(*)::int as count
    from audit_log where action like 'seller.member%' or action like 'seller.invitation%'
      or action = 'seller.ownership_transferred' group by 1`)
  const counts = new Map(rows.map(({ step, count }) => [step, count]))
  const asked = Map.groupBy(record.team, nameOf)
  return [...new Set([...counts.keys(), ...asked.keys()])].flatMap((step) => {
    const own = asked.get(step) ?? []
    const count = counts.get(step) ?? 0
    const sure = own.filter(({ is_made }) => is_made).length
    const maybe = own.filter(({ is_made }) => is_made !== false).length
    return count >= sure && count <= maybe ? [] : [{ step, count, sure, maybe }]
  })
}

const nameOf = ({ action, by, seller_id, about }: TeamStep) =>
  `${action} ${by} ${seller_id} ${about}`
