import type { Fault, PlantedFault } from './code-faults.ts'

/** Drops the statements that match. */
function without(statement: RegExp): Pick<Fault, 'alterStatement'> {
  return { alterStatement: ({ text }) => (statement.test(text) ? null : undefined) }
}

/** Alters a part of the statements that contain it. */
function replacing(part: string, instead: string): Pick<Fault, 'alterStatement'> {
  return {
    alterStatement: ({ text, values }) =>
      text.includes(part) ? { text: text.replace(part, instead), values } : undefined,
  }
}

/** Planted faults about second factors. */
export const PLANTED_FACTOR_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a sign-in by the mailbox forgets the second factor',
    caught_by: ['a sign-in needs the second factor while the account has one, and only then'],
    alterRows: ({ text }, rows) =>
      text.includes('as has_authenticator')
        ? rows.map((row) => ({ ...(row as object), has_authenticator: false }))
        : rows,
  },
  {
    name: 'a code of an authenticator app works again',
    caught_by: ['a second factor is right if it is of the account, current, and was not used'],
    ...replacing('last_step < $3', '$3::bigint is not null'),
  },
  {
    name: 'a recovery code works again',
    caught_by: ['a second factor is right if it is of the account, current, and was not used'],
    seed: 5,
    ...replacing('::bytea[]) and used_at is null', '::bytea[])'),
  },
  {
    name: 'recovery codes outlive the ones that replace them',
    caught_by: ['a second factor is right if it is of the account, current, and was not used'],
    ...without(/^delete from recovery_codes where user_id = \$1$/),
  },
  {
    name: 'recovery codes are used up before they are typed',
    caught_by: ['a second factor is wrong only if something is wrong with it'],
    ...replacing(
      'update recovery_codes set used_at = $1 where',
      'update recovery_codes set used_at = $1 where false and',
    ),
  },
  {
    name: 'a sign-in waits for its second factor for a day',
    caught_by: ['a sign-in waits for its second factor for 15 minutes, and for one'],
    ...replacing('p.expires_at >', "p.expires_at + interval '1 day' >"),
  },
  {
    name: 'a pending sign-in outlives a change of second factors',
    caught_by: ['a sign-in waits for its second factor for 15 minutes, and for one'],
    seed: 4,
    ...without(/^delete from pending_sign_ins where user_id/),
  },
  {
    name: 'the other sessions outlive a change of second factors',
    caught_by: ['a change of security leaves no other session'],
    seed: 2,
    ...without(/^delete from sessions where user_id = \$1 and id <> \$2/),
  },
  {
    name: 'an undone change of email leaves the second factors of who asked for it',
    caught_by: ['an undone change of email leaves no second factor that was set up since'],
    seed: 3,
    ...without(/^delete from authenticator_apps where user_id = \$1 and \(/),
  },
  {
    name: 'a session is recent for an hour',
    caught_by: ['who proved who they are ten minutes ago proves it again'],
    ...replacing(
      's.authenticated_at, s.last_seen_at from',
      "s.authenticated_at + interval '50 minutes' as authenticated_at, s.last_seen_at from",
    ),
  },
]
