import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '#platform/db'
import { type Jobs, openJobs } from '#platform/jobs'
import { openLog } from '#platform/log'
import { openEmbeddedTestDatabase } from '../support/database.ts'
import { checkStatements, type Fault } from '../support/row-types/check.ts'
import { openDescriber } from '../support/row-types/database.ts'
import { readStatements, type Statement } from '../support/row-types/source.ts'

// Guards point 4 of issue 10; decision 93 says what is checked and how.

const PLANTED = 'test/support/row-types/planted.ts'

/** Where a statement is passed on that came as an argument. */
const PASSED_ON = [
  'src/platform/db-embedded.ts',
  'src/platform/jobs.ts',
  'src/platform/pg-boss.ts',
  'src/platform/telemetry/observed-db.ts',
  'src/platform/write-together.ts',
  'src/platform/write-together.ts',
]

/**
 * Columns that are declared as never null, or as fewer values than a check allows, each with what
 * keeps them so. Prefer a `not null`, or a condition in the statement, to a line here.
 */
const ASSURED: [file: string, fields: string, why: string][] = [
  ['src/domain/apps/changes.ts', 'email', 'app_changes.user_id references users'],
  ['src/domain/billing/timeline.ts', 'at why', 'a declined attempt has its time and its code'],
  ['src/domain/billing/orders.ts', 'card_brand card_last4', 'a cart that was bought has a card'],
  ['src/domain/billing/orders.ts', 'was_imported', 'the history of a license begins with it'],
  ['src/domain/billing/receipts.ts', 'invoice', 'the condition asks for an issued one'],
  ['src/domain/billing/receipts.ts', 'paid_at', 'a check: a paid invoice has its time'],
  ['src/domain/billing/invoices.ts', 'paid_at', 'a check: a paid invoice has its time'],
  ['src/domain/billing/seller-invoices.ts', 'license_id', 'a check: an issued invoice has both'],
  ['src/domain/billing/invoice-list.ts', 'license_id', 'a check: an issued invoice has both'],
  ['src/domain/billing/invoices.ts', 'number user_id license_id', 'a check: an issued one has all'],
  [
    'src/domain/billing/invoices.ts',
    'status',
    'a draft has no number, and its statements ask for one',
  ],
  ['src/domain/billing/invoices.ts', 'cart_id subscription_id', 'a check: by what it is for'],
  ['src/domain/billing/subscribers.ts', 'frequency', 'only a price with one is subscribed to'],
  ['src/domain/billing/subscriptions.ts', 'frequency', 'only a price with one is subscribed to'],
  ['src/domain/billing/subscriptions.ts', 'next_at', 'what is due has a time'],
  ['src/domain/grants/bearers.ts', 'user_id client_id', 'an access token has both'],
  ['src/domain/grants/consents.ts', 'granted_at', 'the condition asks for one of its sources'],
  ['src/domain/identity/links.ts', 'purpose', 'a link to sign up is of no account'],
  ['src/domain/licensing/transitions.ts', 'since', 'a suspension is in the history'],
  ['src/domain/payments/customers.ts', 'was_imported', 'the history of a license begins with it'],
  ['src/domain/payments/customers.ts', 'status origin', 'the condition excludes previews'],
  ['src/domain/payments/charges.ts', 'brand last4', 'the card of an attempt is written with both'],
  [
    'src/domain/payouts/statements.ts',
    'event',
    'the others post nothing to the accounts of payees',
  ],
  ['src/domain/tax/reports.ts', 'event', 'the condition asks for these'],
  ['src/domain/tax/reports.ts', 'amount taxable tax', 'an event has its refund or its dispute'],
  ['src/domain/tax/reports.ts', 'invoice_number', 'what the ledger knows has a number'],
  ['src/flows/checkout/priced-cart.ts', 'app price quote', 'a cart in the checkout has all three'],
  ['src/flows/payment/locked-attempt.ts', 'attempt draft invoice subscription', 'inner joins'],
  ['src/flows/payment/locked-attempt.ts', 'clock_ahead', 'an attempt is one for an app'],
  ['src/flows/subscription/claimed.ts', 'app price', 'a subscription has both'],
  ['src/flows/subscription/claimed.ts', 'subscription', 'the row itself'],
  ['src/flows/subscription/invoice.ts', 'card', 'a subscription has one'],
  ['src/flows/subscription/next-charge.ts', 'subscription price', 'a subscription has one'],
  ['src/flows/check-books/buyers.ts', 'user_id', 'a check: a charged invoice has its holder'],
  ['src/flows/check-books/cash.ts', 'subject', 'only movements that have one are read'],
  ['src/flows/check-books/processor-kinds.ts', 'position', 'the ordinality of a page'],
  ['src/flows/check-books/postings.ts', 'user_id', 'a check: a charged invoice has its holder'],
  ['src/platform/alarms.ts', 'kind', 'the layers above add the names: decision 85'],
  ['src/platform/tasks.ts', 'kind', 'the layers above add the names: decision 85'],
  ['src/platform/task-files.ts', 'rows', 'written together with bytes'],
  ['src/sandbox/charges.ts', 'amount card_token', 'only a closed key has no request'],
  ['src/domain/payments/license-list.ts', 'status origin', 'no preview is listed'],
  ['src/sandbox/charges.ts', 'return_url', 'only a closed key has no request'],
  ['src/sandbox/charges.ts', 'status', 'decided in the transaction that begins it'],
  ['src/sandbox/portals.ts', 'status', 'the condition asks for these two'],
]

let db: Database
let jobs: Jobs
let statements: Statement[]
let faults: Fault[]
before(async () => {
  db = await openEmbeddedTestDatabase()
  // The tables of the job queue.
  jobs = openJobs(db, openLog('silent'))
  await jobs.open()
  statements = readStatements('src/', PLANTED)
  faults = await checkStatements(statements, await openDescriber(db))
})
after(async () => {
  await jobs.stop()
  await db.close()
})

const fileOf = ({ place }: { place: string }) => place.slice(0, place.lastIndexOf(':'))

test('every statement of the source is found, with all its alternatives', () => {
  assert.ok(statements.filter(({ row }) => row).length > 250)
  const unread = statements.filter(({ texts }) => texts.length === 0)
  assert.deepEqual(unread.map(fileOf).sort(), PASSED_ON)
})

test('every declared row matches the columns of its statement', () => {
  const isAssured = (fault: Fault) =>
    fault.is_narrow &&
    ASSURED.some(
      ([file, names]) => file === fileOf(fault) && names.split(' ').includes(fault.field),
    )
  const wrong = faults.filter((fault) => fileOf(fault) !== PLANTED && !isAssured(fault))
  assert.deepEqual(
    wrong.map(({ place, field, text }) => `${place}: ${field} ${text}`),
    [],
  )
})

test('every exception refers to a statement that exists', () => {
  const unused = ASSURED.flatMap(([file, names]) =>
    names
      .split(' ')
      .filter((name) => !faults.some((each) => fileOf(each) === file && each.field === name))
      .map((name) => `${file}: ${name}`),
  )
  assert.deepEqual(unused, [])
})

test('each kind of wrong row is reported, and no correct one', () => {
  const found = faults.filter((fault) => fileOf(fault) === PLANTED)
  assert.deepEqual(
    found.map(({ field, text }) => `${field} ${text}`),
    [
      'nmae is not a column of the result',
      'canceled_at may be null, and declared as Date',
      'amount is bigint, and declared as string',
      'total is numeric, and declared as number',
      'email may be null, and declared as string',
      'at may be null, and declared as Date',
      'last may be null, and declared as Date',
      'name may be null, and declared as string',
      'canceled_at may be null, and declared as Date',
      'at may be null, and declared as Date',
      'period_end may be null, and declared as Date',
      'at may be null, and declared as Date',
      "status may be draft or void, and declared as 'open' | 'paid'",
      'brand may be null, and declared as string',
      'tagline is text, and declared as number',
      "brand has no check, and is declared as 'visa'",
      'cause is never daily',
      ' error: column "nmae" of relation "apps" does not exist',
      'isShort → 1 error: column "nmae" does not exist',
    ],
  )
})
