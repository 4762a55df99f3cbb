import type { PayeeId, PayoutId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'
import { rolesDuring } from './member-steps.ts'
import type { RecordedAcceptance, RecordedBank } from './ownership-record.ts'

/**
 * Compares what an owner of a seller alone may do, and where the money of payees goes, with the
 * answers to those who transferred ownership and those who entered bank accounts.
 */
export async function ownershipFaults(fixture: Fixture): Promise<Broken[]> {
  const { record } = fixture
  return [
    {
      rule: 'only the owner of a seller accepts an app for it, and the owner may',
      facts: record.acceptances.filter((each) => isOfOther(fixture, each)),
    },
    {
      rule: 'the offer of an app ends with the ownership of who made it',
      facts: record.acceptances.filter((each) => isTooLate(fixture, each)),
    },
    {
      rule: 'a payee keeps the account and the bank that were entered for it',
      facts: [...(await otherBanks(fixture)), ...(await paidToOthers(fixture))],
    },
    {
      rule: 'payouts go on after a return once a bank account is entered, and not before',
      facts: await resumedWithoutBank(fixture),
    },
  ].filter(({ facts }) => facts.length > 0)
}

function isOfOther(fixture: Fixture, { to, by, at, until, outcome }: RecordedAcceptance): boolean {
  if (!until) return false
  const roles = rolesDuring(fixture, { seller_id: to, user_id: by }, at, until)
  if (outcome === 'accepted') return !roles.has('owner')
  return outcome === 'not_owner' && roles.size === 1 && roles.has('owner')
}

function isTooLate({ record }: Fixture, acceptance: RecordedAcceptance): boolean {
  const { from, offered_at, at, outcome } = acceptance
  return (
    outcome === 'accepted' &&
    record.team.some(
      (step) =>
        step.action === 'seller.ownership_transferred' &&
        step.seller_id === from &&
        step.is_made &&
        step.at > offered_at &&
        step.until! < at,
    )
  )
}

interface StoredBank {
  owner: PayeeId
  number: string
}

/** The accounts with another bank than their payee entered last. */
async function otherBanks({ harness, record }: Fixture): Promise<unknown[]> {
  const accounts = await harness.db.rows<StoredBank>(
    sql`select owner, coalesce(bank_fingerprint, 'none') as number from payout_accounts`,
  )
  return accounts.filter(({ owner, number }) => {
    const entered = record.banks.filter((each) => each.owner === owner)
    const last = entered.filter((each) => !entered.some(({ at }) => at > each.entered_at))
    return last.length > 0 && !last.some((each) => each.number === number)
  })
}

/** The payouts that the processor made to the account of another payee. */
async function paidToOthers({ harness }: Fixture): Promise<unknown[]> {
  return await harness.db.rows(sql`select p.id, p.owner, a.owner as paid_to from payouts p
    join sandbox.payouts s on s.key = p.id join sandbox.accounts a on a.id = s.account_id
    where a.owner <> p.owner`)
}

interface ReturnedPayout {
  id: PayoutId
  owner: PayeeId
  created_at: Date
}

/** The accounts that are paid again although their bank returned the last payout to it. */
async function resumedWithoutBank({ harness, record }: Fixture): Promise<unknown[]> {
  const returned = await harness.db.rows<ReturnedPayout>(sql`select p.id, p.owner, p.created_at
    from payouts p join payout_accounts a on a.owner = p.owner
    where p.status = 'failed' and not p.was_refused
      and a.bank_fingerprint = p.bank_fingerprint and (a.returned_at is null or a.is_ready)`)
  const isSince = (each: RecordedBank, { owner, created_at }: ReturnedPayout) =>
    each.owner === owner && each.entered_at >= created_at
  return returned.filter((payout) => !record.banks.some((each) => isSince(each, payout)))
}
