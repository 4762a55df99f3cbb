import * as identity from '#domain/identity'
import type { UserId } from '#platform/ids'
import { type Sql, sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'
import { type RecordedChange, valuesAt } from './recorded-change.ts'

/** An account, by the email that it has now. */
interface StoredAccount {
  user_id: UserId
  email_normalized: string
  created_at: Date
}

/** The emails that an account can have had at a time, by the answers to its owner. */
export function emailsAt(
  { record }: Pick<Fixture, 'record'>,
  { user_id, email_normalized }: Pick<StoredAccount, 'user_id' | 'email_normalized'>,
  at: Date,
): Set<string> {
  return valuesAt(record.emails, { subject: user_id, at, otherwise: email_normalized })
}

/** The accounts that can have had an email at one of some times. */
export async function accountsWith(
  { harness, record }: Fixture,
  email: string,
  times: readonly Date[],
): Promise<UserId[]> {
  const accounts = await harness.db.rows<StoredAccount>(ACCOUNTS)
  const had = (account: StoredAccount, at: Date) =>
    account.created_at <= at && emailsAt({ record }, account, at).has(email)
  return accounts.filter((each) => times.some((at) => had(each, at))).map(({ user_id }) => user_id)
}

/** Compares the accounts with the answers to owners who changed their email or deleted them. */
export async function accountFaults(fixture: Fixture): Promise<Broken[]> {
  const made = fixture.record.emails.filter(({ is_made }) => is_made)
  const deleted = made.filter(isDeletion)
  const addresses: EmailChange[] = []
  for (const deletion of deleted) addresses.push(...(await addressesOf(fixture, made, deletion)))
  return [
    { rule: 'an account has the email that its owner saw last', facts: await otherEmails(fixture) },
    {
      rule: 'no email changes while it pays, and no account is deleted then',
      // An undo comes from the former mailbox, and waits for nothing.
      facts: await rowsFor(
        fixture,
        made.filter(({ is_undo }) => !is_undo),
        isPaying,
      ),
    },
    {
      rule: 'a deleted account leaves no license, no session and no subscription',
      facts: await rowsFor(fixture, deleted, leftovers),
    },
    {
      rule: 'the email of a deleted account is stored nowhere',
      facts: [
        ...(await rowsFor(fixture, addresses, addressesLeft)),
        ...(await rowsFor(fixture, deleted, ownAddressesLeft)),
      ],
    },
    {
      rule: 'an account is deleted unless something of it is open',
      facts: await wrongRefusals(fixture),
    },
  ].filter(({ facts }) => facts.length > 0)
}

type EmailChange = RecordedChange<string>

const ACCOUNTS = sql`select id as user_id, email_normalized, created_at from users`

/** Whether the owner of an account asked for its deletion. */
export const isDeletion = ({ subject, to }: EmailChange) =>
  to === identity.addressOfDeleted(subject as UserId)

/** A deletion for each address that the account had and no other account had then. */
async function addressesOf(
  fixture: Fixture,
  made: readonly EmailChange[],
  deletion: EmailChange,
): Promise<EmailChange[]> {
  const { subject, at, answered_at } = deletion
  const addresses: EmailChange[] = []
  for (const { from } of made.filter((each) => each.subject === subject)) {
    const holders = await accountsWith(fixture, from, [at, answered_at!])
    if (holders.every((id) => id === subject)) addresses.push({ ...deletion, from })
  }
  return addresses
}

async function otherEmails({ harness, world, record }: Fixture): Promise<unknown[]> {
  const accounts = await harness.db.rows<StoredAccount>(ACCOUNTS)
  const now = world.clock.now()
  // An account whose owner asked for no change has the email that it was created with.
  return accounts.filter((each) => !emailsAt({ record }, each, now).has(each.email_normalized))
}

async function rowsFor(
  { harness }: Fixture,
  changes: readonly EmailChange[],
  query: (change: EmailChange) => Sql,
): Promise<unknown[]> {
  const facts: unknown[] = []
  for (const change of changes) {
    const rows = await harness.db.rows(query(change))
    if (rows.length > 0) facts.push({ change, rows })
  }
  return facts
}

/** Attempts with an email that waited for their answer before and after it was replaced. */
const isPaying = ({ from, to, at, answered_at }: EmailChange) => sql`select id from attempts
  where email_normalized in (${from}, ${to}) and created_at < ${at}
    and (settled_at is null or settled_at > ${answered_at!})`

const leftovers = ({ subject, answered_at }: EmailChange) => sql`
  select l.id from licenses l where l.user_id = ${subject} and l.status <> 'canceled'
  union all select s.id from subscriptions s join licenses l on l.id = s.license_id
    where l.user_id = ${subject} and s.ended_at is null
  union all select id from sessions where user_id = ${subject}
  union all select id from licenses where user_id = ${subject} and created_at > ${answered_at!}`

/**
 * Rows from before the deletion; later ones are of other accounts with the same email. An account
 * that had the email before keeps its own.
 */
const addressesLeft = ({ subject, from, at }: EmailChange) => sql`
  select a.id from attempts a join invoices i on i.id = a.invoice_id
    where a.email_normalized = ${from} and a.created_at < ${at}
      and coalesce(i.user_id, ${subject}) = ${subject}
  union all select id from carts where email_normalized = ${from} and created_at < ${at}
    and coalesce(user_id, ${subject}) = ${subject}
  union all select id from invoices where lower(buyer_email) = ${from} and created_at < ${at}
    and coalesce(user_id, ${subject}) = ${subject}
  union all select id from emails where subject_id = ${from} and queued_at < ${at}
  union all select id from email_changes where created_at < ${at}
    and lower(old_email) = ${from} and user_id = ${subject}`

/** Rows of the account with an address, also one that another account has now. */
const ownAddressesLeft = ({ subject, to }: EmailChange) => sql`
  select a.id from attempts a join invoices i on i.id = a.invoice_id
      left join carts c on c.id = i.cart_id
    where coalesce(i.user_id, c.user_id) = ${subject} and a.email_normalized <> ${to}
  union all select id from carts where user_id = ${subject} and email_normalized <> ${to}
  union all select id from invoices where user_id = ${subject} and buyer_email <> ${to}`

/** Refused deletions of accounts of which nothing was open at that time. */
async function wrongRefusals(fixture: Fixture): Promise<unknown[]> {
  const refused = fixture.record.emails.filter(
    (change) => isDeletion(change) && change.is_made === false && change.outcome !== 'signed_out',
  )
  const facts: unknown[] = []
  for (const change of refused) {
    const open = await fixture.harness.db.rows(openFor(change))
    if (open.length === 0) facts.push(change)
  }
  return facts
}

const openFor = ({ subject, from, at, answered_at }: EmailChange) => sql`
  select s.id from subscriptions s join licenses l on l.id = s.license_id
    where l.user_id = ${subject} and l.created_at <= ${answered_at!}
      and (s.ended_at is null or s.ended_at >= ${at})
  union all select id from attempts
    where email_normalized in (${from}, ${identity.addressOfDeleted(subject as UserId)})
      and created_at <= ${answered_at!} and (settled_at is null or settled_at >= ${at})
  union all select d.id from disputes d join charges c on c.id = d.charge_id
      join invoices i on i.id = c.invoice_id where i.user_id = ${subject}
  union all select e.owner from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
    where e.account = 'buyer_payable' and e.owner = ${subject} and t.at <= ${answered_at!}
    group by e.owner`
