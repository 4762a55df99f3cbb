import { type PayeeAccount, ProcessorRefused } from '#domain/payments'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import type { Random } from '#platform/random'
import { sql } from '#platform/sql'
import type { StoredBank } from './bank-form.ts'
import * as events from './events.ts'

/** A payee's account. */
export interface SandboxAccount extends PayeeAccount {
  id: string
  email: string
  bank_failure: string | null
}

/** An onboarding page of a payee, and its return URL. */
export interface Onboarding extends SandboxAccount {
  onboarding_id: string
  return_url: string
}

const COLUMNS = sql`a.id, a.email, a.bank_name, a.bank_last4, a.bank_fingerprint, a.bank_failure,
  a.bank_name is not null as is_ready`

/** The account of an owner, created if there is none. */
export async function open(
  db: Db,
  random: Random,
  now: Date,
  { owner, email }: { owner: string; email: string },
): Promise<string> {
  await db.run(sql`insert into sandbox.accounts (id, owner, email, created_at)
    values (${mintId(random, 'acct')}, ${owner}, ${email}, ${now}) on conflict (owner) do nothing`)
  const { id } = await db.one<{ id: string }>(
    sql`select id from sandbox.accounts where owner = ${owner}`,
  )
  return id
}

/** An account; throws if it does not exist. */
export async function read(db: Db, id: string): Promise<SandboxAccount> {
  const account = await db.maybe<SandboxAccount>(
    sql`select ${COLUMNS} from sandbox.accounts a where a.id = ${id}`,
  )
  if (!account) throw new ProcessorRefused('there is no such account')
  return account
}

/** The part of an account that the service sees. */
export function payeeOf(account: SandboxAccount): PayeeAccount {
  const { is_ready, bank_name, bank_last4, bank_fingerprint } = account
  return { is_ready, bank_name, bank_last4, bank_fingerprint }
}

/** Opens an onboarding page. */
export async function openOnboarding(
  db: Db,
  random: Random,
  now: Date,
  { account_id, return_url }: { account_id: string; return_url: string },
): Promise<string> {
  const id = mintId(random, 'obd')
  await db.run(sql`insert into sandbox.onboardings (id, account_id, return_url, created_at)
    values (${id}, ${account_id}, ${return_url}, ${now})`)
  return id
}

/** The onboarding page with this ID. */
export async function findOnboarding(db: Db, id: string): Promise<Onboarding | undefined> {
  return await db.maybe<Onboarding>(sql`select ${COLUMNS}, o.id as onboarding_id, o.return_url
    from sandbox.onboardings o join sandbox.accounts a on a.id = o.account_id
    where o.id = ${id}`)
}

/** Stores the bank account that a payee entered, and schedules its event. Runs in a transaction. */
export async function setBank(
  tx: Db,
  random: Random,
  now: Date,
  account_id: string,
  bank: StoredBank,
): Promise<void> {
  await tx.run(sql`update sandbox.accounts set bank_name = ${bank.bank_name},
    bank_last4 = ${bank.bank_last4}, bank_fingerprint = ${bank.bank_fingerprint},
    bank_failure = ${bank.bank_failure} where id = ${account_id}`)
  const account = payeeOf(await read(tx, account_id))
  const content = { kind: 'account_changed', account_id, account } as const
  await events.schedule(tx, random, now, { id: account_id }, content)
}
