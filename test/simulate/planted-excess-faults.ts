import type { PlantedFault } from './code-faults.ts'

/** The lookup of what was written off of a charge's excess, when a refund of it returns. */
const WRITTEN_OFF = /select coalesce\(sum\(p.amount\), 0\)::bigint as amount from excess_parts/

/** Planted faults about what buyers receive in excess of their charges. */
export const PLANTED_EXCESS_FAULTS: readonly PlantedFault[] = [
  {
    name: 'the alarm about an excess stays open when nothing is left to repay',
    caught_by: ['an alarm asks for what is left to repay'],
    alterStatement: ({ text, values }) =>
      text.startsWith('update alarms set resolved_at') && values.includes('refund_in_excess')
        ? null
        : undefined,
  },
  {
    name: 'the email about a repayment is lost',
    caught_by: ['a settlement has one email'],
    seed: 4,
    alterStatement: ({ text, values }) =>
      text.includes('insert into emails') && values.flat().includes('excess_repaid')
        ? null
        : undefined,
  },
  {
    name: 'an excess that a returned refund takes back stays written off',
    caught_by: ['a buyer has what was paid and not repaid'],
    seed: 2,
    alterRows: ({ text }, rows) => (WRITTEN_OFF.test(text) ? [{ amount: 0 }] : rows),
  },
]
