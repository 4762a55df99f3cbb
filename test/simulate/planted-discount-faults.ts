import { where } from './altered-statements.ts'
import type { Fault, PlantedFault } from './code-faults.ts'

const CODE = /from discount_codes where (app_id|id) = /

/** Alters each code that is read. */
function reading(
  change: (code: { is_active: boolean }) => object,
): Required<Pick<Fault, 'alterRows'>> {
  return {
    alterRows: ({ text }, rows) =>
      CODE.test(text) ? rows.map((row) => Object.assign({}, row, change(row as never))) : rows,
  }
}

const ENTERED = 'a discount is that of the code that the buyer entered, as long as it lasts'

/** Planted faults about codes that change while buyers have them. */
export const PLANTED_DISCOUNT_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a code that was turned off still applies',
    caught_by: ['nothing is sold or paid out after the answer that it is off'],
    seed: 6,
    ...reading(() => ({ is_active: true })),
  },
  {
    name: 'a code that was turned on again stays off',
    caught_by: [ENTERED],
    seed: 6,
    ...where('update discount_codes set is_active', () => ({ is_active: false })),
  },
  {
    name: 'a code that has ended still applies',
    caught_by: ['a code gives a discount from its first day to its last'],
    ...reading(() => ({ valid_until: null })),
  },
  {
    name: 'a code applies before its first day',
    caught_by: ['a code gives a discount from its first day to its last'],
    seed: 14,
    ...reading(() => ({ valid_from: null })),
  },
  {
    name: 'a code is used more often than it may be',
    caught_by: ['a discount code is used in no more purchases than it allows'],
    ...reading(() => ({ max_uses: null })),
  },
  {
    name: 'a subscription loses its discount when the code is turned off',
    caught_by: ['the books are what happened, recomputed: a discount is what its code takes off'],
    seed: 28,
    alterRows: ({ text }, rows) =>
      text.includes('from discount_codes where id = $1') && !text.includes('for no key update')
        ? rows.map((row) => {
            const code = row as { is_active: boolean }
            return code.is_active ? code : { ...code, percent: null, amount: 1 }
          })
        : rows,
  },
]
