import * as payments from '#domain/payments'
import { cents } from '#platform/money'
import { all, drop, rowsIn, where } from './altered-statements.ts'
import type { Fault, PlantedFault, Statement } from './code-faults.ts'
import { PLANTED_ACCESS_FAULTS } from './planted-access-faults.ts'
import { PLANTED_ACCOUNT_FAULTS } from './planted-account-faults.ts'
import { PLANTED_COMP_FAULTS } from './planted-comp-faults.ts'
import { PLANTED_DISCOUNT_FAULTS } from './planted-discount-faults.ts'
import { PLANTED_EXCESS_FAULTS } from './planted-excess-faults.ts'
import { PLANTED_FACTOR_FAULTS } from './planted-factor-faults.ts'
import { PLANTED_MAILBOX_FAULTS } from './planted-mailbox-faults.ts'
import { PLANTED_MEMBER_FAULTS } from './planted-member-faults.ts'
import { PLANTED_OWNERSHIP_FAULTS } from './planted-ownership-faults.ts'
import { PLANTED_RENEWAL_FAULTS } from './planted-renewal-faults.ts'
import { PLANTED_SALE_FAULTS } from './planted-sale-faults.ts'
import { PLANTED_SUPPORT_FAULTS } from './planted-support-faults.ts'
import { PLANTED_TRANSFER_FAULTS } from './planted-transfer-faults.ts'

/** Alters the statement by which a payout takes its lines. */
function inPayouts(part: string | RegExp, instead: string): Fault['alterStatement'] {
  return (statement) => {
    if (!statement.text.includes('insert into payout_lines')) return undefined
    const text = statement.text.replace(part, instead)
    if (text === statement.text) throw new Error('nothing was altered')
    return { ...statement, text }
  }
}

/** Simulates a bug in handling a lost call. */
function whenLost<Call extends 'charge' | 'refund'>(
  name: Call,
  then: (processor: payments.Processor, ...args: Parameters<payments.Processor[Call]>) => unknown,
): Pick<Fault, 'processor'> {
  return {
    processor: (processor) => ({
      ...processor,
      [name]: async (...args: Parameters<payments.Processor[Call]>) => {
        try {
          return await (processor[name] as (...args: unknown[]) => Promise<unknown>)(...args)
        } catch (error) {
          if (!(error instanceof payments.ProcessorUnreachable)) throw error
          return await then(processor, ...args)
        }
      },
    }),
  }
}

/** Begins the statement of a posting. */
const POSTING = 'insert into ledger_transactions'

/** Whether a statement posts an event; undefined if it posts none. */
function posts(statement: Statement, event: string): boolean | undefined {
  if (!statement.text.startsWith(POSTING)) return undefined
  return rowsIn(statement).some((row) => row.event === event)
}

/** The tax of a sale in Texas is owed to California. */
function owingAnotherState(): Fault['alterStatement'] {
  let isSale = false
  const entries = where('insert into ledger_entries', ({ owner }) => ({
    owner: String(owner).replace('US-TX', 'US-CA'),
  }))
  return (statement) => {
    isSale = posts(statement, 'sale') ?? isSale
    return isSale ? entries.alterStatement(statement) : undefined
  }
}

/** A license that a refund should end stays the same, and so does its history. */
function forgettingLicenses(): Fault['alterStatement'] {
  const forgotten = all(
    drop('update licenses set status', ({ status }) => status === 'canceled'),
    drop('insert into license_history', ({ trigger }) => trigger === 'refunded'),
  )
  let isRefund = false
  return (statement) => {
    isRefund = posts(statement, 'refund') ?? isRefund
    return isRefund ? forgotten.alterStatement!(statement) : undefined
  }
}

/** The row of a locked attempt, as if it had no answer yet. */
function asUnanswered(row: unknown): unknown {
  const locked = row as { attempt: object }
  return { ...locked, attempt: { ...locked.attempt, status: 'open' } }
}

/** Simulates an adapter that throws refusals: for a key, from then on. */
function throwingRefusals(): Pick<Fault, 'processor'> {
  const refused = new Set<string>()
  const fail = () => {
    throw new Error('parameter_invalid')
  }
  return {
    processor: (processor) => ({
      ...processor,
      async charge(now, request) {
        const answer = await processor.charge(now, request)
        if (answer.status !== 'refused') return answer
        refused.add(request.key)
        return fail()
      },
      find: async (key) => (refused.has(key) ? fail() : await processor.find(key)),
      close: async (now, key) => (refused.has(key) ? fail() : await processor.close(now, key)),
    }),
  }
}

const BOOKS = 'the books are what happened, recomputed'
const TAKEN = 'money that the processor took has its charge, its order and its license'
const FORESEEN = 'no flow fails with an unexpected error'
const DIVIDED = [
  'a fully refunded invoice returned its tax, its commission and all but the fixed fee',
  `${BOOKS}: a refund is divided like its invoice`,
]

/** Every planted fault; the most important ones come first. */
export const EVERY_PLANTED_FAULT: readonly PlantedFault[] = [
  {
    name: 'a request that the processor refuses fails, and its attempt stays open',
    caught_by: [FORESEEN, 'nothing fails that was not made to fail'],
    seed: 8,
    ...throwingRefusals(),
  },
  {
    name: 'a due that is too little to charge is asked for all the same',
    caught_by: ['nothing is asked for that is too little to charge'],
    seed: 10,
    processor: (processor) => ({ ...processor, smallest_charge: cents(0) }),
  },
  {
    name: 'a charge whose answer was lost is made again under a fresh key',
    caught_by: [TAKEN],
    seed: 5,
    ...whenLost('charge', (processor, now, request) =>
      processor.charge(now, { ...request, key: `${request.key}_again` }),
    ),
  },
  {
    name: 'a lost answer is taken for a no',
    caught_by: [TAKEN],
    seed: 5,
    ...whenLost('charge', () => ({ status: 'declined', decline_code: 'processing_error' })),
  },
  {
    name: 'a refund whose answer was lost is given again under a fresh key',
    caught_by: [
      'a refund that the processor did is one that we asked for, once',
      'what went back is what was asked for, once',
    ],
    seed: 14,
    ...whenLost('refund', (processor, now, request) =>
      processor.refund(now, { ...request, key: `${request.key}_again` }),
    ),
  },
  {
    name: 'an answer is settled twice',
    caught_by: [FORESEEN, 'nothing fails that was not made to fail'],
    seed: 10,
    alterRows: ({ text }, rows) =>
      /for update of .*attempts$/.test(text) ? rows.map(asUnanswered) : rows,
  },
  {
    name: 'a refund ends the subscription and forgets the license',
    caught_by: [
      'a license that is subscribed to has its subscription, and a canceled one has none that runs',
      'a license whose latest charge went back whole is over',
      'a subscription is listed with its status, plan and recurring revenue',
    ],
    alterStatement: forgettingLicenses(),
  },
  {
    name: 'a refund leaves the affiliate the commission',
    caught_by: DIVIDED,
    ...where('insert into refunds', () => ({ commission: 0 })),
  },
  {
    name: 'a refund is counted as if it were the first',
    caught_by: [
      ...DIVIDED,
      'a license whose latest charge went back whole is over',
      'what went back by refunds and lost disputes is no more than was charged',
    ],
    alterRows: ({ text }, rows) =>
      /from refunds r where r\.charge_id = \$1 order by/.test(text) ? [] : rows,
  },
  {
    name: 'a payout takes its lines and does not note them',
    caught_by: [
      `${BOOKS}: a payout is the sum of its lines`,
      'a payout pays no more than what was available, and nothing to a payee who owes',
    ],
    alterStatement: inPayouts('cross join added)', 'cross join added where false)'),
  },
  {
    name: 'a payout pays what is still in reserve',
    caught_by: ['a payout pays no more than what was available, and nothing to a payee who owes'],
    alterStatement: inPayouts(/at > (\$\d+::timestamptz)/g, "at > $1 + interval '40 days'"),
  },
  {
    name: 'the total before fees of a payout leaves fees out',
    caught_by: ['the total before fees of a payout is that of its lines'],
    alterStatement: (statement) =>
      statement.text.includes('update payouts set gross')
        ? { ...statement, text: statement.text.replace('coalesce(s.gross, s.amount)', 's.amount') }
        : undefined,
  },
  {
    name: 'the tax of one state is owed to another',
    caught_by: [`${BOOKS}: sale is posted`],
    seed: 4,
    alterStatement: owingAnotherState(),
  },
  {
    name: 'a discount for some periods applies to all of them',
    caught_by: ['a discount is that of the code that the buyer entered, as long as it lasts'],
    seed: 52,
    ...where('insert into subscriptions', () => ({ discount_periods_left: null })),
  },
  {
    name: 'a declined purchase keeps the use of its discount code',
    caught_by: [
      'a purchase with a discount that waits or is paid uses its code, and no other purchase does',
    ],
    seed: 7,
    alterStatement: ({ text }) => (text.startsWith('delete from discount_uses') ? null : undefined),
  },
  {
    name: 'a license that its buyer continues stays an imported one',
    caught_by: [
      'a license comes from an order, and a preview or a comp from none',
      'a comp or an imported license is never subscribed to, and ends when it should',
    ],
    ...drop("update licenses set origin = 'purchase'"),
  },
  {
    name: 'an event of the processor is not marked as handled',
    caught_by: ['every event of the processor is recorded as handled'],
    ...drop('update processor_events set handled_at'),
  },
  {
    name: 'a dispute takes the money and lets the license go on',
    caught_by: [
      'a license of which a charge is disputed does not entitle',
      'nothing that is due is left undone',
    ],
    ...all(
      drop('update licenses set status', ({ paused_for }) => paused_for === 'dispute'),
      drop('insert into license_history', ({ trigger }) => trigger === 'disputed'),
    ),
  },
  ...PLANTED_RENEWAL_FAULTS,
  ...PLANTED_COMP_FAULTS,
  ...PLANTED_EXCESS_FAULTS,
  ...PLANTED_TRANSFER_FAULTS,
  ...PLANTED_ACCOUNT_FAULTS,
  ...PLANTED_SUPPORT_FAULTS,
  ...PLANTED_SALE_FAULTS,
  ...PLANTED_MAILBOX_FAULTS,
  ...PLANTED_DISCOUNT_FAULTS,
  ...PLANTED_MEMBER_FAULTS,
  ...PLANTED_OWNERSHIP_FAULTS,
  ...PLANTED_FACTOR_FAULTS,
  ...PLANTED_ACCESS_FAULTS,
]
