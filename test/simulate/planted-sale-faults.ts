import { drop } from './altered-statements.ts'
import type { Fault, PlantedFault } from './code-faults.ts'

/** An app that is read, as if it were for sale. */
function asForSale(row: unknown): unknown {
  return { ...(row as object), is_on_sale: true }
}

/** Replaces a part of the statements that contain it. */
function without(part: string | RegExp, instead = ''): Required<Pick<Fault, 'alterStatement'>> {
  return {
    alterStatement({ text, values }) {
      const altered = text.replace(part, instead)
      return altered === text ? undefined : { text: altered, values }
    },
  }
}

const APP_BY_ID = /^select id, slug, seller_id, .* from apps where id = \$1$/
const IS_ON_SALE = ' and a.is_on_sale'

/** In the lookup of what is due. */
const DUE = 'with due_now as ( select s.id from subscriptions s where '

const ON_SALE = 'what is for sale can be bought, and nothing else'
const WHILE_OFF = 'nothing is sold or paid out after the answer that it is off'
const LEFT = 'sellers are as staff left them, and their apps too'

/** Planted faults about apps and prices that are not for sale, suspensions and paused payouts. */
export const PLANTED_SALE_FAULTS: readonly PlantedFault[] = [
  {
    name: 'an open cart is charged though its app was taken off sale',
    caught_by: [WHILE_OFF, 'nothing is sold while its app is not on sale'],
    ...without(IS_ON_SALE),
    alterRows: ({ text }, rows) => (APP_BY_ID.test(text) ? rows.map(asForSale) : rows),
  },
  {
    name: 'the buy link of a price that was taken off sale goes on',
    caught_by: [ON_SALE],
    seed: 17,
    ...without(/where prices\.id = (\$\d+) and .*$/, 'where prices.id = $1'),
  },
  {
    name: 'an archived app stays published',
    caught_by: [ON_SALE, 'apps and prices are as their sellers left them'],
    seed: 5,
    ...drop('update apps set archived_at'),
  },
  {
    name: 'the apps of a suspended seller stay for sale',
    caught_by: [ON_SALE, LEFT],
    ...drop('update apps set seller_suspended_at', ({ seller_suspended_at: at }) => at !== null),
  },
  {
    name: 'a payout begins while the payouts of its seller are paused',
    caught_by: [WHILE_OFF, 'a payout is refused as paused while it is, and only then'],
    seed: 6,
    alterRows: ({ text }, rows) =>
      text.includes('as are_paused') ? rows.map(() => ({ are_paused: false })) : rows,
  },
  {
    name: 'a suspended seller transfers an app',
    caught_by: [
      'no app changes its seller while one of them is suspended, and otherwise it may',
      'nothing is sold or paid out after the answer that it is off',
    ],
    alterRows: ({ text }, rows) =>
      /from (apps|sellers) where id = \$1 for update$/.test(text)
        ? rows.map((row) => ({ ...(row as object), is_suspended: false, suspended_at: null }))
        : rows,
  },
  {
    name: 'the members of a suspended seller get no email',
    caught_by: ['each decision about a seller has one email'],
    ...drop('insert into emails', ({ kind }) => kind === 'seller_decision'),
  },
  {
    name: 'nothing renews while its seller is suspended',
    caught_by: ['nothing that is due is left undone'],
    seed: 14,
    ...without(DUE, `${DUE}s.app_id not in (select id from apps where is_suspended) and `),
  },
]
