import { addDays } from '#platform/calendar'
import { where } from './altered-statements.ts'
import type { Fault, PlantedFault } from './code-faults.ts'

/** The lookup of a person's live license. */
const LIVE_LICENSE = /from licenses where app_id = \$1 and status not in .* and user_id =/

/** The lookup of the plans of an app, one of which is given. */
const PLANS = /from products where app_id = \$1 and deleted_at is null order by position/

/** The lookup of a buyer's pending attempt. */
const PENDING_ATTEMPT = /from attempts where app_id = \$1 and email_normalized = \$2 and status in/

/** The row of a license, as if it were over where a seller gave it. */
function asEndedComp(row: unknown): unknown {
  const license = row as { origin?: string }
  return license.origin === 'comp' ? { ...license, status: 'canceled' } : row
}

/** A plan is given without looking for a pending purchase, which is done after its plan is found. */
function givingToBuyers(): Fault['alterRows'] {
  let isGiving = false
  return ({ text }, rows) => {
    const found = isGiving && PENDING_ATTEMPT.test(text) ? [] : rows
    isGiving = PLANS.test(text)
    return found
  }
}

/** Planted faults about plans that sellers give. */
export const PLANTED_COMP_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a given plan goes on after its end',
    caught_by: [
      'a given plan ends when it should, and is never charged',
      'an imported license ends when it should, and is charged only once it continues',
    ],
    alterRows: ({ text }, rows) =>
      /from licenses l where l.origin in \('comp', 'import'\) and l.status = 'active'/.test(text)
        ? []
        : rows,
  },
  {
    name: 'a given plan ends a day early',
    caught_by: ['a given plan is the one that the seller gave'],
    ...where('insert into licenses', ({ origin, period_end }) =>
      origin === 'comp' && period_end ? { period_end: addDays(period_end as Date, -1) } : {},
    ),
  },
  {
    name: 'a plan is given to a person whose purchase is processing',
    caught_by: [
      'the answer to a seller who gives a plan was true',
      'no flow fails with an unexpected error',
      'nothing fails that was not made to fail',
      'money that the processor took has its charge, its order and its license',
    ],
    seed: 2,
    alterRows: givingToBuyers(),
  },
  {
    name: 'a plan is not given to a person whose license is over',
    caught_by: ['the answer to a seller who gives a plan was true'],
    seed: 15,
    alterStatement: (statement) =>
      LIVE_LICENSE.test(statement.text)
        ? {
            ...statement,
            text: statement.text.replace("not in ('canceled', 'preview')", "<> 'preview'"),
          }
        : undefined,
  },
  {
    name: 'a given plan that its seller ends goes on',
    caught_by: [
      'a given plan entitles until its end, or until its seller ends it',
      'a given plan ends when it should, and is never charged',
    ],
    seed: 3,
    alterRows: ({ text }, rows) =>
      /from licenses .*for update/.test(text) ? rows.map(asEndedComp) : rows,
  },
  {
    name: 'the email of a given plan is lost',
    caught_by: ['a given plan has one email to its person, and one more when its seller ends it'],
    alterStatement: ({ text, values }) =>
      text.includes('insert into emails') && values.flat().includes('plan_given')
        ? null
        : undefined,
  },
]
