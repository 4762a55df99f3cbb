import * as catalog from '#domain/catalog'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import { sendEvidence } from '#flows/dispute'
import { switchAddOn } from '#flows/integration'
import { replaceVersions } from '#flows/listing'
import { openOnboarding, payOut } from '#flows/pay-out'
import { refundCharge } from '#flows/refund'
import { fileWholeMonth } from '#flows/remit-tax'
import { payBuyerOtherwise, reinstateByStaff, suspendByStaff, writeOff } from '#flows/staff-actions'
import { FREQUENCIES } from '#platform/calendar'
import { cents, formatAmount } from '#platform/money'
import { sql } from '#platform/sql'
import * as accounts from '../../src/sandbox/accounts.ts'
import { TEST_BANK_ACCOUNTS, TEST_BANK_NAME } from '../../src/sandbox/banks.ts'
import type { Chance } from './chance.ts'
import { someLicense } from './owning.ts'
import type { Town } from './town.ts'

const REQUEST = 'req_play'

interface PaidBill {
  invoice_id: string
  processor_charge_id: string
  charged: number
  developer_id: string
}

/** One of the bills that were paid, the latest ones more often. */
async function someBill({ world }: Town, chance: Chance): Promise<PaidBill | undefined> {
  const bills = await world.db.rows<PaidBill>(sql`select c.invoice_id, c.processor_charge_id,
      c.amount as charged, s.user_id as developer_id
    from charges c join invoices i on i.id = c.invoice_id join apps a on a.id = i.app_id
      join sellers s on s.id = a.seller_id
    order by i.number desc limit ${chance.odds(60) ? 5 : 100}`)
  return bills.length > 0 ? chance.pick(bills) : undefined
}

/** The seller or staff gives money back: all, some, too much, or by two at once. */
export async function refund(town: Town, chance: Chance): Promise<string | undefined> {
  const bill = await someBill(town, chance)
  if (!bill) return undefined
  const { invoice_id, charged, developer_id } = bill
  const give = async () => {
    const as = chance.odds(60) ? ('seller' as const) : ('operator' as const)
    const user_id = as === 'seller' ? developer_id : town.operator_id
    const amount = someAmount(chance, charged)
    const asked = town.witness.ask('refund', invoice_id, amount)
    const given = await refundCharge(
      town.world,
      { user_id, request_id: REQUEST, as },
      {
        invoice_id,
        reason: 'The buyer asked for it.',
        ...(amount === 0 ? {} : { amount: cents(amount) }),
      },
    )
    asked.outcome = given.outcome === 'refused' ? given.refusal : given.outcome
    return `${amount} by the ${as}: ${asked.outcome}`
  }
  const said = await Promise.all(chance.odds(20) ? [give(), give()] : [give()])
  return `${invoice_id} of ${charged}, ${said.join(' and ')}`
}

/** What is asked for; zero is all that is left. */
function someAmount(chance: Chance, charged: number): number {
  const part = () => chance.between(1, charged)
  const absurd = [charged + 1, charged * 2, -part(), 99_999_999]
  const draw = chance.below(100)
  if (draw < 30) return 0
  if (draw < 45) return charged
  if (draw < 80) return part()
  if (draw < 90) return 1
  return chance.pick(absurd)
}

/** A buyer objects to a charge at his bank. */
export async function object(town: Town, chance: Chance): Promise<string | undefined> {
  const bill = await someBill(town, chance)
  if (!bill) return undefined
  const { processor_charge_id: charge_id, invoice_id } = bill
  const reason = chance.pick(['fraudulent', 'product_not_received', 'general'] as const)
  const scene = { charge_id, reason, is_inquiry: chance.odds(25) }
  const opened = await town.stage.sandbox.disputeCharge(town.world.clock.now(), scene)
  return `${invoice_id} ${opened ? (scene.is_inquiry ? 'inquired' : 'disputed') : 'not possible'}`
}

const STATEMENTS = ['winning_evidence', 'losing_evidence', 'He used it each day.', '']

/** Evidence is sent for a dispute, or the bank decides. */
export async function settleDispute(town: Town, chance: Chance): Promise<string | undefined> {
  const { world, stage } = town
  const open = await payments.listUnclosed(world.db, null)
  if (open.length === 0) return undefined
  const { id: dispute_id, processor_dispute_id } = chance.pick(open)
  if (chance.odds(60)) {
    const asker = { user_id: town.operator_id, request_id: REQUEST }
    const statement = chance.pick(STATEMENTS)
    const sent = await sendEvidence(world, asker, { dispute_id, statement })
    return `${dispute_id} evidence "${statement}": ${sent}`
  }
  const outcome = chance.pick(['won', 'lost'] as const)
  const scene = { dispute_id: processor_dispute_id, outcome }
  try {
    await stage.sandbox.decideDispute(world.clock.now(), scene)
  } catch (error) {
    if (!(error instanceof payments.DisputeClosed)) throw error
    return `${dispute_id} was decided before`
  }
  return `${dispute_id} ${outcome}`
}

/** A payee names a bank, of which some take no payout. */
export async function nameBank(town: Town, chance: Chance): Promise<string | undefined> {
  const { world, stage } = town
  const owner = somePayee(town, chance)
  const now = world.clock.now()
  await openOnboarding(world, {
    owner,
    email: 'payee@example.com',
    return_url: 'https://x.example',
  })
  const { account_id } = await stage.sandbox.openAccount(now, { owner, email: 'payee@example.com' })
  const number = chance.odds(60) ? '000123456789' : chance.pick([...TEST_BANK_ACCOUNTS.keys()])
  const bank = {
    bank_name: TEST_BANK_NAME,
    bank_last4: number.slice(-4),
    bank_failure: TEST_BANK_ACCOUNTS.get(number)!,
  }
  await stage.db.tx((tx) => accounts.nameBank(tx, world.random, now, account_id, bank))
  return `${owner} ${number}`
}

function somePayee({ shops, affiliates }: Town, chance: Chance): string {
  return chance.odds(25) ? chance.pick(affiliates) : chance.pick(shops).seller_id
}

/** A payee asks for what is available, perhaps twice at once. */
export async function askForPayout(town: Town, chance: Chance): Promise<string | undefined> {
  const owner = somePayee(town, chance)
  const account = payouts.accountOf(owner)
  const ask = () => payOut(town.world, { owner, account, cause: 'request' })
  const paid = await Promise.all(chance.odds(25) ? [ask(), ask()] : [ask()])
  return `${owner} ${paid.map(({ outcome }) => outcome).join(' and ')}`
}

/** Staff files the month before, of every state. */
export async function fileTaxes(town: Town): Promise<string | undefined> {
  const now = town.world.clock.now()
  const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1))
  const month = before.toISOString().slice(0, 7)
  const filer = { user_id: town.operator_id, request_id: REQUEST }
  const filed = await fileWholeMonth(town.world, filer, { month, batch_reference: month })
  return `${month}: ${filed} states`
}

/** The seller changes what the plans cost, takes one off sale, or brings one more. */
export async function changePlans(town: Town, chance: Chance): Promise<string | undefined> {
  const shop = chance.pick(town.shops)
  const offers = await catalog.offers(town.world.db, shop.id)
  const versions: catalog.GivenVersion[] = offers.map(
    ({ product_id, product_name, frequency, amount, trial_days }) => {
      const cost = chance.odds(40) ? chance.between(100, 30_000) : amount
      const price = { amount: formatAmount(cents(cost)), frequency }
      return { product_id, name: product_name, trial_days, prices: [price] }
    },
  )
  if (versions.length > 1 && chance.odds(25)) versions.splice(chance.below(versions.length), 1)
  if (chance.odds(15)) versions.push(someVersion(chance))
  const editor = { user_id: shop.developer_id, request_id: REQUEST, agent: null }
  const order = { app: shop, dry_run: false, versions }
  const written = await replaceVersions(town.world, editor, order)
  return 'faults' in written ? `refused: ${written.faults[0]?.message}` : `${versions.length} plans`
}

function someVersion(chance: Chance): catalog.GivenVersion {
  const amount = formatAmount(cents(chance.between(100, 9999)))
  const frequency = chance.pick([...FREQUENCIES, null])
  const name = `Plan ${chance.below(1_000_000)}`
  return { name, trial_days: 0, prices: [{ amount, frequency }] }
}

/** The seller turns the add-on on or off. */
export async function changeAddOn(town: Town, chance: Chance): Promise<string | undefined> {
  const shop = chance.pick(town.shops)
  const editor = { user_id: shop.developer_id, request_id: REQUEST, agent: null }
  const to = chance.pick(['on', 'off'] as const)
  await switchAddOn(town.world, editor, { app_id: shop.id, to })
  return `${shop.id} ${to}`
}

function staffOf({ operator_id: user_id }: Town) {
  return { user_id, request_id: REQUEST, reason: 'A look at it.' }
}

/** Staff holds a license. */
export async function hold(town: Town, chance: Chance): Promise<string | undefined> {
  const held = await someLicense(town, chance)
  if (!held) return undefined
  return `${held.license_id} ${await suspendByStaff(town.world, staffOf(town), held.license_id)}`
}

/** Staff lets a license go on that it held. */
export async function release(town: Town, chance: Chance): Promise<string | undefined> {
  const held = await someLicense(town, chance, sql`l.paused_for = 'operator'`)
  if (!held) return undefined
  return `${held.license_id} ${await reinstateByStaff(town.world, staffOf(town), held.license_id)}`
}

/** Staff sends a check to a buyer whose refund came back. */
export async function payBuyer(town: Town, chance: Chance): Promise<string | undefined> {
  const owed = await town.world.db.rows<{ owner: string }>(sql`select owner from ledger_entries
    where account = 'buyer_payable' group by owner having sum(amount) < 0 order by owner`)
  if (owed.length === 0) return undefined
  const { owner } = chance.pick(owed)
  return `${owner} ${await payBuyerOtherwise(town.world, staffOf(town), owner)}`
}

/** Staff gives up what a payee owes and will not pay. */
export async function forgive(town: Town, chance: Chance): Promise<string | undefined> {
  const owner = somePayee(town, chance)
  const debt = { owner, account: payouts.accountOf(owner) }
  const amount = await writeOff(town.world, staffOf(town), debt)
  return amount === undefined ? undefined : `${owner} ${amount}`
}
