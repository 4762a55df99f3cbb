import { addDays } from '#platform/calendar'
import { where } from './altered-statements.ts'
import type { Fault, PlantedFault } from './code-faults.ts'

/** The lookup of an invoice that is to be refunded. */
const REFUNDED_INVOICE =
  /from invoices where id = \$1 and number is not null and \(\$2::text is null/

/** The action's own choice of a license, after which its seller ends it. */
const TO_END = /from licenses l left join subscriptions .* where l.origin <> 'comp'/

/** A license that its seller ends is taken for one that is over. */
function leavingLicenses(): Fault['alterRows'] {
  let isEnding = false
  return ({ text }, rows) => {
    const isLock = isEnding && /from licenses .*for update/.test(text)
    isEnding = TO_END.test(text) || (isEnding && !isLock)
    return isLock ? rows.map((row) => ({ ...(row as object), status: 'canceled' })) : rows
  }
}

/** The row of an invoice, as if it had consumed twice the credit. */
function withTwiceTheCredit(row: unknown): unknown {
  const invoice = row as { lines: { kind: string; amount: number }[] }
  const lines = invoice.lines.map((line) =>
    line.kind === 'credit' ? { ...line, amount: 2 * line.amount } : line,
  )
  return { ...invoice, lines }
}

/** Planted faults about what sellers do for single buyers. */
export const PLANTED_SUPPORT_FAULTS: readonly PlantedFault[] = [
  {
    name: 'the license of an extended trial ends a day early',
    caught_by: ['a trial lasts as long as it was promised'],
    seed: 2,
    ...where('update licenses set status', ({ status, period_end }) =>
      status === 'trialing' ? { period_end: addDays(period_end as Date, -1) } : {},
    ),
  },
  {
    name: 'the extension of a trial is not audited',
    caught_by: ['a trial is extended as its seller saw, once'],
    seed: 2,
    alterStatement: ({ text, values }) =>
      text.startsWith('insert into audit_log') && values.includes('license.trial_extended')
        ? null
        : undefined,
  },
  {
    name: 'the credit of an upgrade is refunded like a charge of its own',
    caught_by: ['the credit of an upgrade is refunded as it was shown'],
    seed: 3,
    ...where('insert into refunds', () => ({ upgrade_refund_id: null })),
  },
  {
    name: 'more than an upgrade consumed is refunded as its credit',
    caught_by: ['the credit of an upgrade is refunded with it, and no more than it consumed'],
    seed: 3,
    alterRows: ({ text }, rows) =>
      REFUNDED_INVOICE.test(text) ? rows.map(withTwiceTheCredit) : rows,
  },
  {
    name: 'a license that its seller ends goes on',
    caught_by: ['the answer to a seller who ends a license was true'],
    seed: 8,
    alterRows: leavingLicenses(),
  },
  {
    name: 'the email to a seller who ends a license is lost',
    caught_by: [
      'a license that its seller ends has an email to its buyer, and to its seller if it renewed',
    ],
    seed: 3,
    alterStatement: ({ text, values }) =>
      text.includes('insert into emails') && values.flat().includes('seller_cancellation')
        ? null
        : undefined,
  },
]
