import { drop } from './altered-statements.ts'
import type { Fault, PlantedFault } from './code-faults.ts'

/** Drops the statements that begin with a text, as if they had worked. */
function without(start: string): Pick<Fault, 'alterStatement'> {
  return { alterStatement: ({ text }) => (text.startsWith(start) ? null : undefined) }
}

/** Alters a part of the statements that contain it. */
function replacing(part: string, instead: string): Pick<Fault, 'alterStatement'> {
  return {
    alterStatement: ({ text, values }) =>
      text.includes(part) ? { text: text.replace(part, instead), values } : undefined,
  }
}

/** A passkey is taken for one of the account that asked for it. */
function forAnyAccount(): Pick<Fault, 'alterStatement' | 'alterRows'> {
  let asking: unknown = null
  return {
    alterStatement({ text, values }) {
      if (text.startsWith('delete from passkey_challenges where challenge_hash')) asking = values[2]
      return undefined
    },
    alterRows: ({ text }, rows) =>
      asking !== null && /from passkeys where credential_id/.test(text)
        ? rows.map((row) => ({ ...(row as object), user_id: asking }))
        : rows,
  }
}

const FACTOR = 'a sign-in needs the second factor while the account has one, and only then'
const OWN = 'a passkey is right only for its account, while it has the passkey'
const STORED = 'an account has the passkeys that its owner added and did not remove'
const COUNTED = 'a passkey counts up, and a copy of it does not'
const SIGNED = 'what a passkey signed is right once, within five minutes'
const LEFT = 'a change of security leaves no other session'
const ENDED = 'a session that ended is not accepted'
const KEPT = 'a session is accepted until something ends it'
const REVOKED = 'a token that was revoked is not accepted'
const PASSWORD =
  'a password is right only until another is set, or an undone change of email removes it'

/** Planted faults about passkeys, passwords, sessions, and what apps were issued. */
export const PLANTED_ACCESS_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a removed passkey still signs in',
    caught_by: [FACTOR, OWN, STORED],
    ...replacing(
      'delete from passkeys where id = $1 and user_id = $2 returning name',
      'select name from passkeys where id = $1 and user_id = $2',
    ),
  },
  {
    name: 'a passkey of another person is a second factor',
    caught_by: [OWN],
    seed: 20,
    ...forAnyAccount(),
  },
  {
    name: 'what a passkey signed is right again',
    caught_by: [SIGNED],
    seed: 14,
    ...replacing(
      'delete from passkey_challenges where challenge_hash',
      'update passkey_challenges set purpose = purpose where challenge_hash',
    ),
  },
  {
    name: 'a challenge of a passkey is valid for a day',
    caught_by: [SIGNED],
    seed: 2,
    ...replacing('and expires_at > $5', "and expires_at > $5::timestamptz - interval '1 day'"),
  },
  {
    name: 'a copy of a passkey signs at the same moment',
    caught_by: [COUNTED],
    seed: 5,
    ...replacing('counter < greatest($4::bigint, 1)', '$4::bigint is not null'),
  },
  {
    name: 'the counter of a passkey stays the same',
    caught_by: [COUNTED],
    ...replacing(
      'update passkeys set counter = $1,',
      'update passkeys set counter = counter + 0 * $1::bigint,',
    ),
  },
  {
    name: 'an undone change of email leaves the passkeys of who asked for it',
    caught_by: [FACTOR, 'an undone change of email leaves no second factor that was set up since'],
    ...without('delete from passkeys where user_id = $1 and created_at'),
  },
  {
    name: 'an undone change of email removes every passkey',
    caught_by: [STORED, 'a passkey is right unless something is wrong with it'],
    ...replacing(
      'delete from passkeys where user_id = $1 and created_at >= $2',
      'delete from passkeys where user_id = $1 and $2::timestamptz is not null',
    ),
  },
  {
    name: 'a browser that is signed out stays signed in',
    caught_by: [LEFT, ENDED],
    ...without('delete from sessions where id = $1 and user_id = $2'),
  },
  {
    name: 'a session keeps its secret when its owner proves who they are',
    caught_by: [KEPT, ENDED],
    ...replacing('set token_hash = $1,', 'set token_hash = coalesce(token_hash, $1::bytea),'),
  },
  {
    name: 'a session that no one uses never ends',
    caught_by: [ENDED],
    seed: 5,
    ...replacing('s.last_seen_at > case', "s.last_seen_at + interval '1 year' > case"),
  },
  {
    name: 'the tokens of apps outlive a sign-out of everything else',
    caught_by: [REVOKED],
    ...without('delete from oidc_records where user_id = $1 and kind in'),
  },
  {
    name: 'agents keep their access after a sign-out',
    caught_by: [REVOKED],
    seed: 5,
    ...without("delete from oidc_records where kind = 'Grant' and user_id"),
  },
  {
    name: 'a refresh token can be used again at any time',
    caught_by: [REVOKED],
    seed: 4,
    alterRows: ({ text }, rows) =>
      text.startsWith('select consumed_at as used_at')
        ? rows.map(() => ({ used_at: null, is_superseded: false }))
        : rows,
  },
  {
    name: 'a password outlives the undo of a change of email',
    caught_by: [PASSWORD],
    ...without('update users set password_hash = null'),
  },
  {
    name: 'a password outlives the one that replaces it',
    caught_by: [PASSWORD, 'a password is wrong only if another was set, or it was removed'],
    ...replacing(
      'update users set password_hash = $1 where',
      'update users set password_hash = coalesce(password_hash, $1) where',
    ),
  },
  {
    name: 'no email says that a passkey was removed',
    caught_by: ['the owner gets one email for each change of security'],
    ...drop('insert into emails', ({ facts }) => String(facts).includes('passkey_removed')),
  },
  {
    name: 'the audit log misses new passkeys',
    caught_by: ['the audit log has each change of security, once'],
    ...drop('insert into audit_log', ({ action }) => action === 'account.passkey_added'),
  },
]
