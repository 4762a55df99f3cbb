import * as catalog from '#domain/catalog'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import { sendEvidence } from '#flows/dispute'
import { switchAddOn } from '#flows/integration'
import { replaceVersions } from '#flows/listing'
import { openOnboarding, payOut, refreshAccount } from '#flows/pay-out'
import { refundCharge } from '#flows/refund'
import { fileWholeMonth } from '#flows/remit-tax'
import { payBuyerOtherwise, reinstateByStaff, suspendByStaff, writeOff } from '#flows/staff-actions'
import { FREQUENCIES } from '#platform/calendar'
import type { InvoiceId, PayeeId, UserId } from '#platform/ids'
import { cents, formatAmount } from '#platform/money'
import { sql } from '#platform/sql'
import * as accounts from '../../src/sandbox/accounts.ts'
import { TEST_BANK_ACCOUNTS, TEST_BANK_NAME } from '../../src/sandbox/banks.ts'
import { actingStaff, REQUEST } from './actors.ts'
import { someLicense } from './buyer-actions.ts'
import type { Fixture } from './fixture.ts'
import { recordVersions } from './price-switches.ts'
import type { SeededRandom } from './random.ts'

interface PaidInvoice {
  invoice_id: InvoiceId
  processor_charge_id: string
  charged: number
  seller_user_id: UserId
}

/** A random paid invoice, more often a recent one. */
async function somePaidInvoice(
  { world }: Fixture,
  rng: SeededRandom,
): Promise<PaidInvoice | undefined> {
  const invoices = await world.db.rows<PaidInvoice>(sql`select c.invoice_id, c.processor_charge_id,
      c.amount as charged, m.user_id as seller_user_id
    from charges c join invoices i on i.id = c.invoice_id join apps a on a.id = i.app_id
      join seller_members m on m.seller_id = a.seller_id and m.role = 'owner'
    order by i.number desc limit ${rng.odds(60) ? 5 : 100}`)
  return invoices.length > 0 ? rng.pick(invoices) : undefined
}

/** The seller or staff refunds: everything, some, too much, or concurrently. */
export async function refund(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const invoice = await somePaidInvoice(fixture, rng)
  if (!invoice) return undefined
  const { invoice_id, charged, seller_user_id } = invoice
  const give = async () => {
    const kind = rng.odds(60) ? ('seller' as const) : ('staff' as const)
    const user_id = kind === 'seller' ? seller_user_id : fixture.operator_id
    const amount = someAmount(rng, charged)
    const requests = fixture.record.ask('refund', invoice_id, amount)
    const given = await refundCharge(
      fixture.world,
      { kind, user_id, request_id: REQUEST },
      {
        invoice_id,
        reason: 'The buyer asked for it.',
        ...(amount === 0 ? {} : { amount: cents(amount) }),
      },
    )
    requests.outcome = given.outcome === 'refused' ? given.refusal : given.outcome
    return `${amount} by the ${kind}: ${requests.outcome}`
  }
  const said = await Promise.all(rng.odds(20) ? [give(), give()] : [give()])
  return `${invoice_id} of ${charged}, ${said.join(' and ')}`
}

/** A random amount to refund; zero means everything that is left. */
function someAmount(rng: SeededRandom, charged: number): number {
  const part = () => rng.between(1, charged)
  const absurd = [charged + 1, charged * 2, -part(), 99_999_999]
  const draw = rng.below(100)
  if (draw < 30) return 0
  if (draw < 45) return charged
  if (draw < 80) return part()
  if (draw < 90) return 1
  return rng.pick(absurd)
}

/** A buyer disputes a charge at the bank. */
export async function disputeCharge(
  fixture: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const invoice = await somePaidInvoice(fixture, rng)
  if (!invoice) return undefined
  const { processor_charge_id: charge_id, invoice_id } = invoice
  const reason = rng.pick(['fraudulent', 'product_not_received', 'general'] as const)
  const scenario = { charge_id, reason, is_inquiry: rng.odds(25) }
  const opened = await fixture.harness.sandbox.disputeCharge(fixture.world.clock.now(), scenario)
  return `${invoice_id} ${opened ? (scenario.is_inquiry ? 'inquired' : 'disputed') : 'not possible'}`
}

const STATEMENTS = ['winning_evidence', 'losing_evidence', 'They used it each day.', '']

/** Evidence is submitted for a dispute, or the bank decides. */
export async function settleDispute(
  fixture: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const { world, harness } = fixture
  const open = await payments.listUnclosed(world.db, { limit: 1000, offset: 0 })
  if (open.length === 0) return undefined
  const { id: dispute_id, processor_dispute_id } = rng.pick(open)
  if (rng.odds(60)) {
    const actor = actingStaff(fixture.operator_id)
    const statement = rng.pick(STATEMENTS)
    const sent = await sendEvidence(world, actor, { dispute_id, statement })
    return `${dispute_id} evidence "${statement}": ${sent}`
  }
  const outcome = rng.pick(['won', 'lost'] as const)
  const scenario = { dispute_id: processor_dispute_id, outcome }
  try {
    await harness.sandbox.decideDispute(world.clock.now(), scenario)
  } catch (error) {
    if (!(error instanceof payments.DisputeClosed)) throw error
    return `${dispute_id} was decided before`
  }
  return `${dispute_id} ${outcome}`
}

/** A payee enters a bank account. */
export async function enterBankAccount(fixture: Fixture, rng: SeededRandom): Promise<string> {
  return await enterBank(fixture, rng, somePayee(fixture, rng))
}

/** A payee enters a bank account, and may leave before they are back; some reject payouts. */
export async function enterBank(
  fixture: Fixture,
  rng: SeededRandom,
  owner: PayeeId,
): Promise<string> {
  const { world, harness, record } = fixture
  const now = world.clock.now()
  await openOnboarding(world, {
    owner,
    email: 'payee@example.com',
    return_url: 'https://x.example',
  })
  const { account_id } = await harness.sandbox.openAccount(now, {
    owner,
    email: 'payee@example.com',
  })
  const number = rng.odds(60) ? '000123456789' : rng.pick([...TEST_BANK_ACCOUNTS.keys()])
  const bank = {
    bank_name: TEST_BANK_NAME,
    bank_last4: number.slice(-4),
    bank_fingerprint: number,
    bank_failure: TEST_BANK_ACCOUNTS.get(number)!,
  }
  const at = world.clock.now()
  await harness.db.tx((tx) => accounts.setBank(tx, world.random, now, account_id, bank))
  record.banks.push({ owner, number, at, entered_at: world.clock.now() })
  if (rng.odds(80)) await refreshAccount(world, owner, { is_confirmed: true })
  return `${owner} ${number}`
}

function somePayee({ sellers, affiliates }: Fixture, rng: SeededRandom): PayeeId {
  return rng.odds(25) ? rng.pick(affiliates) : rng.pick(sellers).seller_id
}

/** Some payee requests a payout. */
export async function requestSomePayout(fixture: Fixture, rng: SeededRandom): Promise<string> {
  return await requestPayout(fixture, rng, somePayee(fixture, rng))
}

/** A payee requests a payout, perhaps twice at once. */
export async function requestPayout(
  fixture: Fixture,
  rng: SeededRandom,
  owner: PayeeId,
): Promise<string> {
  const account = payouts.accountOf(owner)
  const { world, record } = fixture
  const ask = async () => {
    const at = world.clock.now()
    const { outcome } = await payOut(world, { owner, account, cause: 'request' })
    record.payouts.push({ owner, at, until: world.clock.now(), outcome })
    return outcome
  }
  const paid = await Promise.all(rng.odds(25) ? [ask(), ask()] : [ask()])
  return `${owner} ${paid.join(' and ')}`
}

/** Staff files the previous month for every state. */
export async function fileTaxes(fixture: Fixture): Promise<string | undefined> {
  const now = fixture.world.clock.now()
  const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1))
  const month = before.toISOString().slice(0, 7)
  const staff = actingStaff(fixture.operator_id)
  const filed = await fileWholeMonth(fixture.world, staff, { month, batch_reference: month })
  return `${month}: ${filed} states`
}

/** The seller changes prices, removes a plan, or adds one. */
export async function replacePlans(
  fixture: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const shop = rng.pick(fixture.shops)
  const offers = await catalog.livePrices(fixture.world.db, shop.id)
  const versions: catalog.VersionInput[] = offers.map(
    ({ product_id, product_name, frequency, amount, trial_days }) => {
      const cost = rng.odds(40) ? rng.between(100, 30_000) : amount
      const price = { amount: formatAmount(cents(cost)), frequency }
      return { product_id, name: product_name, trial_days, prices: [price] }
    },
  )
  if (versions.length > 1 && rng.odds(25)) versions.splice(rng.below(versions.length), 1)
  if (rng.odds(15)) versions.push(someVersion(rng))
  const actor = { kind: 'seller', user_id: shop.seller_user_id, request_id: REQUEST } as const
  const order = { app: shop, dry_run: false, versions }
  const written = await recordVersions(fixture, { app_id: shop.id, is_undo: false }, () =>
    replaceVersions(fixture.world, actor, order),
  )
  return 'faults' in written ? `refused: ${written.faults[0]?.message}` : `${versions.length} plans`
}

function someVersion(rng: SeededRandom): catalog.VersionInput {
  const amount = formatAmount(cents(rng.between(100, 9999)))
  const frequency = rng.pick([...FREQUENCIES, null])
  const name = `Plan ${rng.below(1_000_000)}`
  return { name, trial_days: 0, prices: [{ amount, frequency }] }
}

/** The seller turns the add-on on or off. */
export async function changeAddOn(
  fixture: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const shop = rng.pick(fixture.shops)
  const actor = { kind: 'seller', user_id: shop.seller_user_id, request_id: REQUEST } as const
  const to = rng.pick(['on', 'off'] as const)
  await switchAddOn(fixture.world, actor, { app_id: shop.id, to })
  return `${shop.id} ${to}`
}

function staffOf({ operator_id: user_id }: Fixture) {
  return { ...actingStaff(user_id), reason: 'A look at it.' }
}

/** Staff suspends a license. */
export async function suspend(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const owned = await someLicense(fixture, rng)
  if (!owned) return undefined
  return `${owned.license_id} ${await suspendByStaff(fixture.world, staffOf(fixture), owned.license_id)}`
}

/** Staff reinstates a license that it suspended. */
export async function reinstate(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const owned = await someLicense(fixture, rng, sql`l.paused_for = 'staff'`)
  if (!owned) return undefined
  return `${owned.license_id} ${await reinstateByStaff(fixture.world, staffOf(fixture), owned.license_id)}`
}

/** Staff pays a buyer whose refund failed by check. */
export async function payBuyer(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const owed = await fixture.world.db.rows<{ owner: UserId }>(sql`select owner from ledger_entries
    where account = 'buyer_payable' group by owner having sum(amount) < 0 order by owner`)
  if (owed.length === 0) return undefined
  const { owner } = rng.pick(owed)
  return `${owner} ${await payBuyerOtherwise(fixture.world, staffOf(fixture), { user_id: owner })}`
}

/** Staff writes off a payee's debt. */
export async function forgive(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const owner = somePayee(fixture, rng)
  const debt = { owner, account: payouts.accountOf(owner) }
  const amount = await writeOff(fixture.world, staffOf(fixture), debt)
  return amount === undefined ? undefined : `${owner} ${amount}`
}
