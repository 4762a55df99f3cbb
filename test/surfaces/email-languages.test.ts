import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { OrderDetails, Receipt } from '#domain/billing'
import { invoicePdf } from '#http/invoice-pdf'
import type { Locale } from '#platform/language/locale'
import { cents } from '#platform/money'
import type { PdfContent } from '#platform/pdf/content'
import * as account from '../../src/surfaces/emails/account-templates.ts'
import * as buyer from '../../src/surfaces/emails/buyer-templates.ts'
import * as reminders from '../../src/surfaces/emails/charge-reminders.ts'
import * as excess from '../../src/surfaces/emails/excess-templates.ts'
import * as receipts from '../../src/surfaces/emails/receipt-template.ts'
import { emailHtml, emailText, footerOf } from '../../src/surfaces/emails/render.tsx'
import { type EmailContent, soldBy } from '../../src/surfaces/emails/template.ts'
import { plainWords } from '../support/plain-words.ts'
import { PSEUDO, readCatalog, withPseudoLocale } from '../support/pseudo-locale.ts'

const languages = withPseudoLocale()
const pseudo = languages.named(PSEUDO)
const day = new Date('2026-11-23T12:00:00Z')
const url = 'https://example.com/page'
const operator = {
  legal_name: 'Demoville',
  address: ['1', '2'],
  tax_id: '00',
  support_email: 'support@example.com',
  support_url: url,
  statement_descriptor: 'DEMOVILLE',
}
const config = { operator, base_url: 'https://example.com' } as never
const NAMES = ['Demoville', 'DEMOVILLE\\*? ?\\w*', 'Tidepool', 'Basic', 'Visa', 'TX', 'SAVE', 'USD']

const order = {
  id: 'ord_1',
  app_name: 'Tidepool',
  product_name: 'Basic',
  created_at: day,
  amount: cents(1000),
  tax: cents(60),
  charged: cents(1060),
  card_brand: 'visa',
  card_last4: '4242',
  state: 'TX',
  frequency: 'month',
  period_end: day,
  trial_days: 0,
  prepaid_until: null,
  discount: { code: 'SAVE', amount: cents(200) },
} as unknown as OrderDetails

const receipt = {
  ...order,
  number: 7,
  kind: 'renewal',
  language: PSEUDO,
  seller_name: 'Demoville',
  email: 'amelia@example.com',
  zip: '78701',
  rate_ppm: 62_500,
  taxable_ppm: 800_000,
  period_start: day,
  paid_at: day,
  is_waived: false,
  refunds: [
    { amount: cents(100), tax: cents(6), is_pending: false, at: day },
    { amount: cents(100), tax: cents(6), is_pending: true, at: day },
    { amount: cents(100), tax: null, is_pending: true, at: day },
  ],
  disputed: [
    { status: 'open', amount: cents(50), at: day },
    { status: 'lost', amount: cents(50), at: day },
  ],
  settled: [
    { how: 'repaid', amount: cents(50), at: day },
    { how: 'waived', amount: cents(50), at: day },
  ],
  lines: [
    { kind: 'price', amount: cents(1200) },
    { kind: 'discount', amount: cents(-100), code: 'SAVE' },
    { kind: 'credit', amount: cents(-100) },
  ],
} as unknown as Receipt

/** Every email to a buyer or the owner of an account, in each of its variants. */
function emailsIn(locale: Locale): Record<string, EmailContent> {
  const sold_by = soldBy(operator as never, 'Tidepool', locale)
  const unpaid = soldBy(operator as never, 'Tidepool', locale, { is_charged: false })
  const links = { verify_email: url, set_password: url, not_me: url, manage: url }
  const plan = { app_name: 'Tidepool', product_name: 'Basic', manage_url: url, sold_by, locale }
  const charge = {
    amount: cents(1),
    tax: cents(1),
    total: cents(2),
    charged: cents(2),
    state: 'TX',
  }
  const plan_facts = { product_name: 'Basic', frequency: 'month' as const }
  const card = { brand: 'visa', last4: '4242', exp_month: 3, exp_year: 2027 }
  const ending = { code: 'SAVE', count: 2, full_amount: cents(5) }
  const upcoming = { ...charge, ...plan_facts, day, card, card_expires: false, ending }
  const [exact, about] = [
    { ...upcoming, is_about: false },
    { ...upcoming, is_about: true },
  ]
  const free = { ...exact, charged: cents(0) }
  const bought = { license_key: 'key_1', links, sold_by, upcoming: exact, locale }
  const product = { app_name: 'Tidepool', product_name: 'Basic' }
  const given = { ...product, license_key: 'key_1', links, locale, may_continue: false }
  const owed = { total: cents(5), card: '', declined: undefined, gives_up_at: day }
  const trial = { day, auto_renew_url: url }
  const off = { keep_url: url, is_paying: false }
  const change = { old_email: 'a@example.com', new_email: 'b@example.com' }
  const urls = { security: url, sign_in: url }
  const parts = [7, 8].map((number) => ({ number, amount: cents(5) }))
  const settled = { amount: cents(10), parts, receipts_url: url, locale }
  const repaid = { arrived_on: day, reference: '4711' }
  return {
    receipt: receipts.receipt(order, bought),
    'receipt, about': receipts.receipt(order, { ...bought, upcoming: about }),
    'receipt, canceled': receipts.receipt(order, { ...bought, upcoming: undefined }),
    'receipt, once': receipts.receipt(
      { ...order, frequency: null },
      { ...bought, upcoming: undefined },
    ),
    'receipt, nothing to pay': receipts.receipt(
      { ...order, frequency: null, charged: cents(0) },
      { ...bought, upcoming: undefined, sold_by: unpaid },
    ),
    'receipt, trial': receipts.receipt(
      { ...order, license_status: 'trialing', discount: null },
      bought,
    ),
    'receipt, trial, about': receipts.receipt(
      { ...order, license_status: 'trialing', discount: null },
      { ...bought, upcoming: about },
    ),
    'receipt, continued': receipts.receipt(
      { ...order, prepaid_until: day, discount: null },
      bought,
    ),
    plan_given: receipts.planGiven({ ...given, how: 'given', ends_at: null }),
    'plan_given, until a day': receipts.planGiven({ ...given, how: 'given', ends_at: day }),
    license_imported: receipts.planGiven({ ...given, how: 'imported', ends_at: null }),
    'license_imported, until a day': receipts.planGiven({
      ...given,
      how: 'imported',
      ends_at: day,
    }),
    'license_imported, can be continued': receipts.planGiven({
      ...given,
      how: 'imported',
      ends_at: day,
      may_continue: true,
    }),
    key_replaced: receipts.keyReplaced(given),
    license_suspended: buyer.licenseSuspended(plan),
    license_reinstated: buyer.licenseReinstated(plan, { renews: true }),
    'license_reinstated, for good': buyer.licenseReinstated(plan, { renews: false }),
    'receipt, renewal': buyer.invoicePaid(receipt, plan, exact),
    'receipt, upgrade': buyer.invoicePaid({ ...receipt, kind: 'upgrade' }, plan, about),
    'receipt, waived': buyer.invoicePaid({ ...receipt, is_waived: true }, plan, undefined),
    'receipt, for good': buyer.invoicePaid({ ...receipt, period_end: null }, plan, undefined),
    'receipt, renewal, card expires': buyer.invoicePaid(receipt, plan, {
      ...exact,
      card_expires: true,
    }),
    payment_failed: buyer.paymentFailed(plan, {
      ...owed,
      needs_other_card: false,
      retry_at: day,
      is_last: false,
    }),
    'payment_failed, last': buyer.paymentFailed(plan, {
      ...owed,
      needs_other_card: true,
      retry_at: null,
      is_last: true,
    }),
    import_ending: receipts.importEnding(plan, day),
    canceled: buyer.subscriptionCanceled(plan, { ...off, ends_at: day }),
    'canceled, paying': buyer.subscriptionCanceled(plan, { ...off, ends_at: day, is_paying: true }),
    'canceled, now': buyer.subscriptionCanceled(plan, { ...off, ends_at: null }),
    license_ended: buyer.licenseEnded(plan, url),
    given_plan_ended: buyer.givenPlanEnded(plan, { product_url: url, how: 'given' }),
    'given_plan_ended, imported': buyer.givenPlanEnded(plan, {
      product_url: url,
      how: 'imported',
    }),
    trial_ending: reminders.trialEnding(plan, { ...trial, upcoming: exact }),
    'trial_ending, about': reminders.trialEnding(plan, { ...trial, upcoming: about }),
    'trial_ending, canceled': reminders.trialEnding(plan, { ...trial, upcoming: undefined }),
    renewal_reminder: reminders.renewalReminder(plan, { ...trial, upcoming: exact }),
    'renewal_reminder, about': reminders.renewalReminder(plan, { ...trial, upcoming: about }),
    'renewal_reminder, free': reminders.renewalReminder(plan, { ...trial, upcoming: free }),
    'renewal_reminder, other plan': reminders.renewalReminder(plan, {
      ...trial,
      upcoming: { ...exact, product_name: 'Visa' },
    }),
    'renewal_reminder, other plan, about': reminders.renewalReminder(plan, {
      ...trial,
      upcoming: { ...about, product_name: 'Visa' },
    }),
    'renewal_reminder, other plan, free': reminders.renewalReminder(plan, {
      ...trial,
      upcoming: { ...free, product_name: 'Visa' },
    }),
    refund: buyer.refundIssued(receipt, plan, {
      amount: cents(5),
      tax: cents(1),
      is_pending: false,
      has_ended: true,
    }),
    'refund, pending': buyer.refundIssued(receipt, plan, {
      amount: cents(5),
      tax: cents(1),
      is_pending: true,
      has_ended: true,
    }),
    'refund, kept': buyer.refundIssued(receipt, plan, {
      amount: cents(5),
      tax: cents(0),
      is_pending: false,
      has_ended: false,
    }),
    refund_returned: buyer.refundReturned(receipt, plan, { amount: cents(5), help_url: url }),
    excess_repaid: excess.excessRepaid(settled, { ...repaid, left: cents(0) }),
    'excess_repaid, in part': excess.excessRepaid(settled, { ...repaid, left: cents(5) }),
    excess_waived: excess.excessWaived(settled),
    paid_otherwise: excess.paidOtherwise(settled),
    account_deleted: account.accountDeleted(locale, 'support@example.com'),
    sign_in: account.signInLink(locale, url),
    set_password: account.setPassword(locale, url),
    sign_up: account.signUpLink(locale, url),
    'sign_up, known': account.accountExists(locale, url),
    security: account.securityChanged(locale, { what: 'passkey_added', name: 'Visa' }, urls),
    change_email: account.confirmNewEmail(locale, 'a@example.com', url),
    'change_email, taken': account.newEmailTaken(locale),
    email_changed: account.emailChange(locale, { ...change, done_at: day }, url),
    email_changing: account.emailChange(locale, { ...change, done_at: null }, url),
  }
}

describe('an email', () => {
  for (const [name, content] of Object.entries(emailsIn(pseudo))) {
    test(`has no English word in the pseudo-locale: ${name}`, () => {
      const footer = footerOf(config, pseudo)
      const text = `${content.subject}\n${emailText(content, footer, pseudo)}`
      assert.deepEqual(plainWords(text, NAMES), [])
      assert.match(emailHtml(content, footer, pseudo), new RegExp(`<html lang="${PSEUDO}">`))
    })
  }

  for (const [name, { blocks }] of Object.entries(emailsIn(pseudo))) {
    test(`asks its reader to do one thing at most: ${name}`, () => {
      assert.ok(blocks.filter(({ kind }) => kind === 'action').length <= 1)
    })
  }

  test('about each change to an account has its messages', () => {
    const changes = Object.keys(readCatalog('en')).filter((id) =>
      account.isSecurityChange(id.slice(6)),
    )
    assert.equal(changes.length, 8)
  })
})

describe('a PDF', () => {
  const drawn: PdfContent[] = []
  const pdfs = {
    async draw(content: PdfContent) {
      drawn.push(content)
      return Buffer.alloc(0)
    },
    async close() {},
  }

  for (const variant of [{}, { is_waived: true, taxable_ppm: 1_000_000 }, { period_end: null }]) {
    test(`has no English word in the pseudo-locale: ${JSON.stringify(variant)}`, async () => {
      await invoicePdf({ config, pdfs, languages }, { ...receipt, ...variant })
      const { language, ...content } = drawn.pop()!
      assert.equal(language, PSEUDO)
      const texts = JSON.stringify(content, (key, value) => (key === 'now' ? undefined : value))
      const values = texts.replaceAll(/"\w+":/g, ' ')
      assert.deepEqual(
        plainWords(values, [...NAMES, '\\{page\\}', '\\{count\\}', 'true', 'INV']),
        [],
      )
    })
  }

  test('is in English for a language that no longer exists', async () => {
    await invoicePdf({ config, pdfs, languages }, { ...receipt, language: 'xx' })
    assert.equal(drawn.pop()!.title, 'Receipt and invoice')
  })
})
