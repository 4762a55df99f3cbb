import { all, drop } from './altered-statements.ts'
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

const EXPIRES_LINKS = without('update account_links set expires_at')

/** Planted faults about links that arrive in mailboxes, and changes of email that are undone. */
export const PLANTED_MAILBOX_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a link to sign in outlives a change of email',
    caught_by: ['a link to sign in opens the account that has its mailbox, and no other'],
    ...EXPIRES_LINKS,
  },
  {
    name: 'an emailed link works again',
    caught_by: ['an emailed link works once'],
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
  {
    name: 'a change of email is made after its undo',
    caught_by: ['a change of email is not made after its undo'],
    ...duringUndo(all(EXPIRES_LINKS, without('update email_changes set ended_at'))),
  },
  {
    name: 'an account stays open whose former email another account has',
    caught_by: ['an account is locked as it was answered'],
    ...drop('update users set locked_at'),
  },
]
