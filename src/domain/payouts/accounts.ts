import type { Db } from '#platform/db'
import type { PayeeId, ProcessorId, UserId } from '#platform/ids'
import { type Sql, sql } from '#platform/sql'
import type { Payout } from './payouts.ts'

/** A payee's account at the processor, with a bank account once it is ready. */
export interface PayoutAccount {
  owner: PayeeId
  processor: string
  processor_account_id: ProcessorId
  bank_name: string | null
  bank_last4: string | null
  /** Differs for each account number; null while there is no bank. */
  bank_fingerprint: string | null
  /** Whether payouts can be made to it; after a return, once `returned_at` is null again. */
  is_ready: boolean
  /** When its bank returned a payout; null once the payee changed the bank, or confirmed it. */
  returned_at: Date | null
}

const COLUMNS = sql`owner, processor, processor_account_id, bank_name, bank_last4,
  bank_fingerprint, is_ready, returned_at`

/**
 * Stores the account of a payee; an existing one stays. `monday` is the last one on the payee's
 * clock: weekly payouts begin with the next. Throws if another payee has the account.
 */
export async function addAccount(
  db: Db,
  now: Date,
  monday: Date,
  account: Pick<PayoutAccount, 'owner' | 'processor' | 'processor_account_id'>,
): Promise<void> {
  const { owner, processor, processor_account_id } = account
  // With `(owner)`, the same account stored at the same time would violate the other constraint.
  const added = await db.run(sql`insert into payout_accounts
    (owner, processor, processor_account_id, weekly_at, created_at, updated_at)
    values (${owner}, ${processor}, ${processor_account_id}, ${monday}, ${now}, ${now})
    on conflict do nothing`)
  if (added === 0 && !(await findAccount(db, owner))) {
    throw new Error(`processor account ${processor_account_id} is another payee's`)
  }
}

/** The account of a payee. */
export async function findAccount(db: Db, owner: PayeeId): Promise<PayoutAccount | undefined> {
  return await db.maybe<PayoutAccount>(
    sql`select ${COLUMNS} from payout_accounts where owner = ${owner}`,
  )
}

/** The account of a payee, locked until the caller's transaction ends. */
export async function lockAccount(tx: Db, owner: PayeeId): Promise<PayoutAccount | undefined> {
  return await tx.maybe<PayoutAccount>(
    sql`select ${COLUMNS} from payout_accounts where owner = ${owner} for update`,
  )
}

/** The bank account in words, `Tide Bank, account ending in 6789`; undefined: none. */
export function bankOf({
  bank_name,
  bank_last4,
}: Pick<PayoutAccount, 'bank_name' | 'bank_last4'>): string | undefined {
  if (bank_name === null && bank_last4 === null) return undefined
  return `${bank_name ?? 'Your bank'}, account ending in ${bank_last4 ?? '····'}`
}

/** The bank account that a payout is sent to now, as the payout records it. */
export function destinationOf(account: PayoutAccount): Pick<Payout, 'bank' | 'bank_fingerprint'> {
  return { bank: bankOf(account) ?? null, bank_fingerprint: account.bank_fingerprint }
}

/** The account with this id at the processor. */
export async function accountOfProcessor(
  db: Db,
  { processor, processor_account_id }: Pick<PayoutAccount, 'processor' | 'processor_account_id'>,
): Promise<PayoutAccount | undefined> {
  return await db.maybe<PayoutAccount>(sql`select ${COLUMNS} from payout_accounts
    where processor = ${processor} and processor_account_id = ${processor_account_id}`)
}

/**
 * Records what the processor says about an account. `is_resumed`: payouts go on after one that was
 * returned.
 */
export async function recordAccount(
  db: Db,
  now: Date,
  owner: PayeeId,
  reported: Pick<PayoutAccount, 'bank_name' | 'bank_last4' | 'bank_fingerprint' | 'is_ready'> & {
    is_resumed: boolean
  },
): Promise<void> {
  const { bank_name, bank_last4, bank_fingerprint, is_ready, is_resumed } = reported
  await db.run(sql`update payout_accounts set bank_name = ${bank_name},
      bank_last4 = ${bank_last4}, bank_fingerprint = ${bank_fingerprint}, updated_at = ${now},
      is_ready = ${is_ready} and (${is_resumed} or returned_at is null),
      returned_at = case when ${is_resumed} then null else returned_at end
    where owner = ${owner}`)
}

/** Pays nothing more to an account whose bank returned a payout, until the payee changes it. */
export async function awaitBank(db: Db, now: Date, owner: PayeeId): Promise<void> {
  await db.run(sql`update payout_accounts set is_ready = false, returned_at = ${now},
    updated_at = ${now} where owner = ${owner}`)
}

/**
 * How far the test clocks of a payee's apps are ahead of the service's time, in seconds: of a
 * seller's own, of those that it transferred, or of those that an affiliate earned on.
 */
export async function clockAheadOf(db: Db, owner: PayeeId): Promise<number> {
  const { ahead } = await db.one<{ ahead: number }>(sql`select ${AHEAD_OF(sql`${owner}`)} as ahead`)
  return ahead
}

const AHEAD_OF = (owner: Sql) => sql`(select coalesce(max(a.clock_ahead), 0) from apps a
  where a.clock_ahead > 0 and (a.seller_id = ${owner}
    or exists (select 1 from app_transfers t where t.from_seller = ${owner} and t.app_id = a.id
      and t.outcome = 'accepted')
    or exists (select 1 from invoices i where i.affiliate_id = ${owner} and i.app_id = a.id)))`

/** The Monday of a time that is `ahead` seconds after another. */
const MONDAY = (now: Date, ahead: Sql) => sql`date_trunc('week',
  (${now}::timestamptz + ${ahead} * interval '1 second') at time zone 'UTC') at time zone 'UTC'`

/**
 * Payees whose payout for this week is not decided yet, each by their own clock. `now` is the
 * service's time.
 */
export async function dueByCalendar(db: Db, now: Date): Promise<PayeeId[]> {
  const rows = await db.rows<{ owner: PayeeId }>(sql`select owner from payout_accounts
    where weekly_at is null or weekly_at < ${MONDAY(now, AHEAD_OF(sql`payout_accounts.owner`))}
    order by weekly_at nulls first, owner limit 1000`)
  return rows.map(({ owner }) => owner)
}

/** Claims a week's decision about a payee, in the caller's transaction; false if it was claimed. */
export async function claimWeek(db: Db, owner: PayeeId, monday: Date): Promise<boolean> {
  const claimed = await db.run(sql`update payout_accounts set weekly_at = ${monday}
    where owner = ${owner} and (weekly_at is null or weekly_at < ${monday})`)
  return claimed === 1
}

/** The person behind an owner of payouts, and where emails about them are sent. */
export interface PayeeFacts {
  user_id: UserId
  email: string
  /** A seller's legal name; an affiliate's code. */
  name: string
}

/** The person who is paid: the owner of a seller, or an affiliate. */
export async function payeeFacts(db: Db, owner: PayeeId): Promise<PayeeFacts> {
  return await db.one<PayeeFacts>(sql`select u.id as user_id, u.email, payee.name
    from (select m.user_id, s.legal_name as name
        from sellers s join seller_members m on m.seller_id = s.id and m.role = 'owner'
        where s.id = ${owner}
      union all select user_id, code as name from affiliates where id = ${owner}) payee
    join users u on u.id = payee.user_id`)
}
