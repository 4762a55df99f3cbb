import { drop } from './altered-statements.ts'
import type { Fault, PlantedFault } from './code-faults.ts'

/** The lookup of an invoice that is to be refunded. */
const REFUNDED_INVOICE =
  /from invoices where id = \$1 and number is not null and \(\$2::text is null/

/** The lookup of what a payee owes. */
const OWED = /^ ?select coalesce\(sum\(amount\), 0\)::bigint as balance from/

/** Alters the statement that gives an app to another seller. */
function inTransfer(part: string, instead: string): Fault['alterStatement'] {
  return ({ text, values }) =>
    text.startsWith('update apps set seller_id')
      ? { text: text.replace(part, instead), values }
      : undefined
}

/** The seller who has the app, in place of the one who sold it. */
const PRESENT_SELLER = '(select seller_id from apps where apps.id = invoices.app_id) as seller_id'

/** Planted faults about apps that change their seller. */
export const PLANTED_TRANSFER_FAULTS: readonly PlantedFault[] = [
  {
    name: 'an app stays with the seller who transferred it',
    caught_by: ['an app, and what it sells, is of the seller who accepted it'],
    alterStatement: inTransfer('seller_id = $1', 'seller_id = coalesce(seller_id, $1)'),
  },
  {
    name: 'a seller refunds what a former seller sold',
    caught_by: ['a seller refunds what it sold while it has the app'],
    seed: 16,
    alterStatement: ({ text, values }) =>
      REFUNDED_INVOICE.test(text)
        ? { text: text.replace('invoices.seller_id', PRESENT_SELLER), values }
        : undefined,
  },
  {
    name: 'the secret of a former seller stays valid',
    caught_by: ['a seller who owes money transfers no app, and keeps no secret of it'],
    ...drop('update clients set secret_hash'),
  },
  {
    name: 'a seller who owes money transfers an app',
    caught_by: ['a seller who owes money transfers no app, and keeps no secret of it'],
    seed: 5,
    alterStatement: ({ text, values }) =>
      OWED.test(text)
        ? { text: text.replace('sum(amount)', '0 * sum(amount)'), values }
        : undefined,
  },
  {
    name: 'an app stays approved after its transfer',
    caught_by: [
      'nothing is sold while its app is not on sale',
      'what is for sale can be bought, and nothing else',
    ],
    alterStatement: inTransfer(', external_sales_enabled = false', ''),
  },
]
