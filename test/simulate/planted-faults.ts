import * as payments from '#domain/payments'
import { addDays } from '#platform/calendar'
import { cents } from '#platform/money'
import { all, drop, rowsIn, where } from './altered-statements.ts'
import type { Fault, PlantedFault, Statement } from './code-faults.ts'
import { PLANTED_ACCOUNT_FAULTS } from './planted-account-faults.ts'
import { PLANTED_EXCESS_FAULTS } from './planted-excess-faults.ts'
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

/** The row of a locked attempt, as if it had no answer yet. */
function asUnanswered(row: unknown): unknown {
  const locked = row as { attempt: object }
  return { ...locked, attempt: { ...locked.attempt, status: 'open' } }
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

/** A renewal pays for the invoiced period, however late it is paid. */
function keepingPeriods(): Pick<Fault, 'alterStatement'> {
  const billed = new Map<unknown, { period_start: unknown; period_end: unknown }>()
  const instead = new Map<number, unknown>()
  const swap = (at: unknown) => (at instanceof Date ? (instead.get(at.getTime()) ?? at) : at)
  const remember = where('insert into invoices', ({ id, kind, period_start, period_end }) => {
    if (kind === 'renewal' && period_end) billed.set(id, { period_start, period_end })
    return {}
  })
  const pay = where("update invoices set status = 'paid'", ({ id, period_start, period_end }) => {
    const old = billed.get(id)
    if (!old) return {}
    instead.set((period_start as Date).getTime(), old.period_start)
    instead.set((period_end as Date).getTime(), old.period_end)
    return old
  })
  const row = where('update subscriptions set price_id', ({ anchor, period_end, next_at }) => ({
    anchor: swap(anchor),
    period_end: swap(period_end),
    next_at: swap(next_at),
  }))
  const license = where('update licenses set status', ({ period_end }) => ({
    period_end: swap(period_end),
  }))
  return all(remember, pay, row, license)
}

/** Renews a buyer brought by the service at the rate of one brought by the seller. */
function atTheSellersRate(row: Readonly<Record<string, unknown>>): object {
  const { kind, brought_by, amount, add_on_fee, affiliate_id } = row
  if (kind !== 'renewal' || brought_by !== 'service') return {}
  const price = amount as number
  const rate = (bps: number) => Math.min(price, Math.round((price * bps) / 10_000) + 50)
  const fee = (add_on_fee as number) > 0 ? rate(700) : rate(500)
  const commission = affiliate_id === null ? 0 : Math.floor(fee / 4)
  return { brought_by: 'seller', fee, add_on_fee: fee - rate(500), commission }
}

const BOOKS = 'the books are what happened, recomputed'
const TAKEN = 'money that the processor took has its charge, its order and its license'
const IMPORT_ENDS = 'an imported license ends when it should, and is charged only once it continues'
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
    seed: 4,
    ...throwingRefusals(),
  },
  {
    name: 'a renewal keeps 5 % though the service brought the buyer',
    caught_by: ['a fee is that of the link by which it was bought'],
    seed: 3,
    ...where('insert into invoices', atTheSellersRate),
  },
  {
    name: 'a payment that comes late keeps the old period',
    caught_by: ['a period is counted from its anchor', FORESEEN],
    seed: 16,
    ...keepingPeriods(),
  },
  {
    name: 'a due that is too little to charge is asked for all the same',
    caught_by: ['nothing is asked for that is too little to charge'],
    seed: 3,
    processor: (processor) => ({ ...processor, smallest_charge: cents(0) }),
  },
  {
    name: 'a charge whose answer was lost is made again under a fresh key',
    caught_by: [TAKEN],
    ...whenLost('charge', (processor, now, request) =>
      processor.charge(now, { ...request, key: `${request.key}_again` }),
    ),
  },
  {
    name: 'a lost answer is taken for a no',
    caught_by: [TAKEN],
    ...whenLost('charge', () => ({ status: 'declined', decline_code: 'processing_error' })),
  },
  {
    name: 'a refund whose answer was lost is given again under a fresh key',
    caught_by: ['a refund that the processor did is one that we asked for, once'],
    seed: 10,
    ...whenLost('refund', (processor, now, request) =>
      processor.refund(now, { ...request, key: `${request.key}_again` }),
    ),
  },
  {
    name: 'an answer is settled twice',
    caught_by: [FORESEEN, 'nothing fails that was not made to fail'],
    seed: 35,
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
    alterStatement: owingAnotherState(),
  },
  {
    name: 'a renewal forgets the fixed part of the fee',
    caught_by: [`${BOOKS}: a fee follows its terms`],
    ...where('insert into invoices', ({ kind, fee }) =>
      // A smaller fee would be refused: it is never less than its fixed part.
      kind === 'renewal' && (fee as number) >= 100 ? { fee: (fee as number) - 50 } : {},
    ),
  },
  {
    name: 'a renewal that fails leaves no line in the history of the license',
    caught_by: ['a license went along the table of transitions, and is where its history ends'],
    seed: 5,
    ...drop('insert into license_history', ({ trigger }) => trigger === 'renewal_failed'),
  },
  {
    name: 'a period is counted from when it is paid instead of from its anchor',
    caught_by: ['a period is counted from its anchor', 'a license lasts as long as it is paid for'],
    ...where("update invoices set status = 'paid'", ({ paid_at, period_start, period_end }) => {
      if (period_end === null) return {}
      const late = (paid_at as Date).getTime() - (period_start as Date).getTime()
      return { period_start: paid_at, period_end: new Date((period_end as Date).getTime() + late) }
    }),
  },
  {
    name: 'the start of an unpaid renewal is lost',
    caught_by: [FORESEEN, 'an unpaid renewal is retried for three weeks and then no longer'],
    seed: 5,
    ...where('update subscriptions set price_id', () => ({ past_due_since: null })),
  },
  {
    name: 'auto-renew stays on whatever its owner wants',
    caught_by: ['auto-renew is as its owner set it', 'nothing renews while auto-renew is off'],
    ...where('update subscriptions set price_id', () => ({ auto_renew: true })),
  },
  {
    name: 'a discount for some periods applies to all of them',
    caught_by: ['a discount is that of the code that the buyer entered, as long as it lasts'],
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
    name: 'a given plan goes on after its end',
    caught_by: ['a given plan ends when it should, and is never charged', IMPORT_ENDS],
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
    caught_by: [FORESEEN, 'nothing fails that was not made to fail', TAKEN],
    seed: 36,
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
    seed: 7,
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
  ...PLANTED_EXCESS_FAULTS,
  ...PLANTED_TRANSFER_FAULTS,
  ...PLANTED_ACCOUNT_FAULTS,
  ...PLANTED_SUPPORT_FAULTS,
]
