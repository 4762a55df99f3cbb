import type { Fault, PlantedFault } from './code-faults.ts'

/** Makes a member the owner of a seller, or gives a member another role. */
const SET_ROLE = 'update seller_members set role'

/** A transfer of ownership also changes the payout account of the seller. */
function withTransfer(change: string): Fault['alterStatement'] {
  return ({ text, values }) =>
    text.startsWith(SET_ROLE) && values[0] === 'owner'
      ? {
          text: `with changed as (update payout_accounts set ${change} where owner = $2) ${text}`,
          values,
        }
      : undefined
}

/** The lookup of an account's role at a seller, after an offer of an app was locked. */
function acceptingAs(role: string, instead: string): Fault['alterRows'] {
  let isAccepting = false
  return ({ text }, rows) => {
    if (/from app_transfers t where t\.id = \$1 .*for update/.test(text)) isAccepting = true
    if (!isAccepting || !text.startsWith('select m.seller_id, m.user_id, m.role')) return rows
    isAccepting = false
    return (rows as { role: string }[]).map((row) =>
      row.role === role ? { ...row, role: instead } : row,
    )
  }
}

/** Planted faults about sellers who get another owner. */
export const PLANTED_OWNERSHIP_FAULTS: readonly PlantedFault[] = [
  {
    name: 'the offer of an app outlives the ownership of who made it',
    caught_by: ['the offer of an app ends with the ownership of who made it'],
    seed: 19,
    alterStatement: ({ text }) =>
      /^update app_transfers set outcome = 'withdrawn'/.test(text) ? null : undefined,
  },
  {
    name: 'a former owner accepts an app for the seller',
    caught_by: ['only the owner of a seller accepts an app for it, and the owner may'],
    seed: 7,
    alterRows: acceptingAs('admin', 'owner'),
  },
  {
    name: 'a seller loses its bank account with its owner',
    caught_by: ['a payee keeps the account and the bank that were entered for it'],
    alterStatement: withTransfer('bank_name = null, bank_last4 = null, bank_fingerprint = null'),
  },
  {
    name: 'a bank account that returned a payout is paid again because the owner is another',
    caught_by: ['payouts go on after a return once a bank account is entered, and not before'],
    seed: 18,
    alterStatement: withTransfer('returned_at = null, is_ready = true'),
  },
]
