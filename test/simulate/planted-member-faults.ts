import { drop, where } from './altered-statements.ts'
import type { Fault, PlantedFault } from './code-faults.ts'

/** The lookup of the role that an account has at a seller. */
const MEMBERSHIP = 'select m.seller_id, m.user_id, m.role, s.legal_name'

/** A process remembers the first role that it found for an account at a seller. */
function remembering(): Pick<Fault, 'alterRows'> {
  const found = new Map<string, unknown[]>()
  return {
    alterRows({ text, values }, rows) {
      if (!text.startsWith(MEMBERSHIP) || values.length !== 2 || rows.length === 0) return rows
      const name = values.join(' ')
      const before = found.get(name)
      if (!before) found.set(name, rows)
      return before ?? rows
    },
  }
}

/** A change of a team is saved with the role that its member had when they sent the form. */
function withLostRole(): Pick<Fault, 'alterRows'> {
  const seen = new Map<string, object>()
  let waiting: unknown
  return {
    alterRows({ text, values }, rows) {
      if (text.includes('pg_advisory_xact_lock(hashtextextended($1, 15))')) waiting = values[0]
      if (!text.startsWith(MEMBERSHIP) || values.length !== 2) return rows
      const isSaved = values[1] === waiting
      waiting = undefined
      const name = values.join(' ')
      const [row = seen.get(name)] = rows as [{ role: string }?]
      if (row) seen.set(name, row)
      if (!isSaved || !row || ('role' in row && row.role === 'owner')) return rows
      return [{ ...row, role: 'admin' }]
    },
  }
}

/** Planted faults about the members of sellers. */
export const PLANTED_MEMBER_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a member keeps the role that a process remembers',
    caught_by: [
      'a member may do what their role includes, and nothing else',
      'a team changes only by a member who may change it, and then as they asked',
    ],
    seed: 23,
    ...remembering(),
  },
  {
    name: 'a change of a team is saved for a member who lost the permission while they waited',
    caught_by: ['a team changes only by a member who may change it, and then as they asked'],
    ...withLostRole(),
  },
  {
    name: 'the pages of a suspended seller save forms',
    caught_by: ['a member may do what their role includes, and nothing else'],
    alterStatement: ({ text, values }) =>
      text.startsWith(MEMBERSHIP)
        ? { text: text.replace('s.suspended_at is not null', 'false'), values }
        : undefined,
  },
  {
    name: 'a member who was removed stays in the team',
    caught_by: [
      'a member may do what their role includes, and nothing else',
      'each member has the role that was answered, and a seller has one owner',
    ],
    alterStatement: ({ text }) =>
      text.startsWith('delete from seller_members where seller_id') ? null : undefined,
  },
  {
    name: 'a member keeps the role that was changed',
    caught_by: [
      'a member may do what their role includes, and nothing else',
      'a team changes only by a member who may change it, and then as they asked',
      'each member has the role that was answered, and a seller has one owner',
    ],
    seed: 4,
    ...drop('update seller_members set role'),
  },
  {
    name: 'an invitation outlives the permission of who sent it',
    caught_by: ['a person joins by an invitation to them that is valid, once, and by any such'],
    seed: 3,
    alterStatement: ({ text }) =>
      /^delete from member_invitations where seller_id = \$1 and invited_by/.test(text)
        ? null
        : undefined,
  },
  {
    name: 'an invitation does not expire',
    caught_by: ['a person joins by an invitation to them that is valid, once, and by any such'],
    alterStatement: ({ text, values }) =>
      text.includes('where i.id = $1 and i.expires_at >')
        ? { text: text.replace('i.expires_at >', "i.expires_at + interval '1 year' >"), values }
        : undefined,
  },
  {
    name: 'the audit log names who was changed as who changed them',
    caught_by: ['the audit log names who changed a team'],
    ...where('insert into audit_log', ({ action, detail, actor }) =>
      String(action).startsWith('seller.member_')
        ? { actor: JSON.parse(String(detail)).user_id ?? actor }
        : {},
    ),
  },
]
