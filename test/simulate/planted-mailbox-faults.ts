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
      // The last statement of an undo.
      if (text.startsWith('insert into audit_log')) isUndo = false
      return isUndo ? fault.alterStatement!(statement) : undefined
    },
  }
}

/** Planted faults about links that arrive in mailboxes, and changes of email that are undone. */
export const PLANTED_MAILBOX_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a link to sign in outlives a change of email',
    caught_by: ['a link to sign in opens the account that has its mailbox, and no other'],
    seed: 20,
    ...without('update account_links set expires_at'),
  },
  {
    name: 'an emailed link works again',
    caught_by: ['an emailed link works once'],
    seed: 10,
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
    name: 'a change of email can be confirmed after its undo',
    caught_by: ['a change of email is not made after its undo'],
    seed: 2,
    ...duringUndo({
      alterStatement({ text, values }) {
        if (text.startsWith('update email_changes set ended_at')) return null
        const altered = text.replace("purpose <> 'undo_email'", "purpose = 'sign_in'")
        return altered === text ? undefined : { text: altered, values }
      },
    }),
  },
  {
    name: 'an undo that finds its email taken does not lock the account',
    caught_by: [
      'an account is locked as it was answered',
      'nothing is sold or paid out after the answer that it is off',
    ],
    seed: 3,
    ...without('update users set locked_at = coalesce'),
  },
]
