import type { Fault, PlantedFault } from './code-faults.ts'

/** Alters the statement by which a link is used up. */
function inUse(part: RegExp, instead: string): Fault['alterStatement'] {
  return ({ text, values }) =>
    text.startsWith('update account_links l set used_at')
      ? { text: text.replace(part, instead), values }
      : undefined
}

/** Drops the statements that begin with a text. */
function without(start: string): Required<Pick<Fault, 'alterStatement'>> {
  return { alterStatement: ({ text }) => (text.startsWith(start) ? null : undefined) }
}

/** A fault that happens only while a change of email is undone. */
function duringUndo(fault: Pick<Fault, 'alterStatement'>): Pick<Fault, 'alterStatement'> {
  let isUndo = false
  return {
    alterStatement(statement) {
      const { text, values } = statement
      if (text.startsWith('update account_links l set used_at')) {
        isUndo = values.includes('undo_email')
      }
      return isUndo ? fault.alterStatement!(statement) : undefined
    },
  }
}

/** Planted faults about links that arrive in mailboxes, and changes of email that are undone. */
export const PLANTED_MAILBOX_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a link to sign in outlives a change of email',
    caught_by: ['a link to sign in opens the account that has its mailbox, and no other'],
    seed: 13,
    ...without('update account_links set expires_at'),
  },
  {
    name: 'an emailed link works again',
    caught_by: ['an emailed link works once'],
    seed: 3,
    alterStatement: inUse(/and l\.used_at is null/, ''),
  },
  {
    name: 'an emailed link expires at once',
    caught_by: [
      'an emailed link works until it expires, unless something else happens to its account',
    ],
    alterStatement: inUse(/l\.expires_at >/, "l.expires_at - interval '7 days' >"),
  },
  {
    name: 'an undone change of email leaves the sessions of its account',
    caught_by: ['an undone change of email leaves no session'],
    ...duringUndo(without('delete from sessions where user_id')),
  },
]
