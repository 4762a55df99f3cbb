import type { Db } from '#platform/db'
import type { PayeeId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { Payee } from './available.ts'
import type { Payout } from './payouts.ts'

/** The statuses of payouts. */
export const PAYOUT_STATUSES = ['open', 'pending', 'paid', 'failed'] as const

/** A payout in the list of staff, with the name of its payee. */
export interface ListedPayout
  extends Pick<
    Payout,
    | 'id'
    | 'number'
    | 'owner'
    | 'amount'
    | 'cause'
    | 'status'
    | 'was_refused'
    | 'failure'
    | 'retry_at'
    | 'refusal'
    | 'created_at'
  > {
  /** A seller's legal name; an affiliate's email. */
  name: string
}

/** Payouts of all payees, or of one, latest first. */
export async function listPayouts(
  db: Db,
  facts: {
    owner?: PayeeId
    status?: Payout['status'] | undefined
    below_number?: number | undefined
    limit: number
  },
): Promise<ListedPayout[]> {
  const { owner, status, below_number, limit } = facts
  const ofOwner = owner === undefined ? sql`` : sql`and p.owner = ${owner}`
  // The order begins with the status, so that its index serves it.
  const inStatus = status === undefined ? sql`` : sql`and p.status = ${status}`
  return await db.rows<ListedPayout>(sql`select p.id, p.number, p.owner, p.amount, p.cause,
      p.status, p.was_refused, p.failure, p.retry_at, p.refusal, p.created_at,
      coalesce(s.legal_name, u.email, p.owner) as name
    from payouts p left join sellers s on s.id = p.owner left join affiliates f on f.id = p.owner
      left join users u on u.id = f.user_id
    where p.number < coalesce(${below_number ?? null}::bigint, 9223372036854775807)
      ${ofOwner} ${inStatus}
    order by p.number desc limit ${limit}`)
}

/** What a payee owes the service. */
export interface Debt extends Payee {
  amount: Cents
  /** What is returned if all open disputes are won, without their cost. */
  reserved: Cents
  name: string
}

/** A page of the sellers and affiliates who owe the service, in the order of their ids. */
export async function listDebts(
  db: Db,
  { limit, offset }: { limit: number; offset: number },
): Promise<Debt[]> {
  return await db.rows<Debt>(sql`select d.owner, d.account, d.amount,
      (select coalesce(-sum(amount), 0)::bigint from ledger_entries
        where account = 'dispute_hold' and owner = d.owner) as reserved,
      coalesce(s.legal_name, u.email, d.owner) as name
    from (select b.owner, b.account, sum(b.amount)::bigint as amount from (
          select owner, account, amount from payee_balances
            where owner in (select owner from payee_balances where amount > 0
              union select owner from payee_unsummed)
          union all select owner, account, amount from payee_unsummed) b
        group by b.owner, b.account having sum(b.amount) > 0) d
      left join sellers s on s.id = d.owner left join affiliates f on f.id = d.owner
      left join users u on u.id = f.user_id
    order by d.owner, d.account limit ${limit} offset ${offset}`)
}
