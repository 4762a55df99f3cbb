import { formatMoney } from '#design/money'
import * as payouts from '#domain/payouts'
import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { Report } from './report.ts'

/** A payout is the sum of its lines: lines of its own payee that were available by then. */
export async function checkPayees(db: Db, report: Report): Promise<void> {
  const sums = await db.rows<{ id: string; amount: Cents; sum: Cents }>(sql`
    select p.id, p.amount, coalesce(-sum(e.amount), 0)::bigint as sum from payouts p
    left join payout_lines l on l.payout_id = p.id
    left join ledger_entries e
      on e.transaction_id = l.transaction_id and e.position = l.position
    group by p.id having p.amount <> coalesce(-sum(e.amount), 0)`)
  for (const { id, amount, sum } of sums) {
    const detail = `it pays ${formatMoney(amount)}, and its lines come to ${formatMoney(sum)}`
    report.differ('a payout is the sum of its lines', id, detail)
  }
  await checkLines(db, report)
  await checkUnpaidLines(db, report)
  await checkRunningBalances(db, report)
}

/** A line that is not available yet is paid out only together with what reversed it. */
async function checkLines(db: Db, report: Report): Promise<void> {
  const wait = (account: payouts.Payee['account']) => payouts.delayDays({ account })
  const isDelayed = sql`(e.amount < 0 and t.event not in ('payout_failed', 'write_off')
    and p.created_at < t.at + interval '1 day' * case p.account
      when 'seller_payable' then ${wait('seller_payable')}::int
      else ${wait('affiliate_payable')}::int end)`
  // Lines that were released early count for neither side.
  const wrong = await db.rows<{ id: string; line: string; is_own: boolean }>(sql`
    with sales as materialized (select l.payout_id, ${payouts.INVOICE_OF_LINE} as invoice_id,
        sum(e.amount) filter (where e.amount > 0 or ${isDelayed}) as amount
      from payout_lines l join payouts p on p.id = l.payout_id
        join ledger_entries e on e.transaction_id = l.transaction_id and e.position = l.position
        join ledger_transactions t on t.id = e.transaction_id ${payouts.LINE_SOURCES}
      group by 1, 2)
    select p.id, l.transaction_id as line,
      e.owner = p.owner and e.account = p.account and t.event <> 'payout' as is_own
    from payout_lines l join payouts p on p.id = l.payout_id
      join ledger_entries e on e.transaction_id = l.transaction_id and e.position = l.position
      join ledger_transactions t on t.id = e.transaction_id ${payouts.LINE_SOURCES}
    where e.owner <> p.owner or e.account <> p.account or t.event = 'payout'
      or (${isDelayed} and coalesce((select sum(s.amount) from sales s where s.payout_id = p.id
          and s.invoice_id = ${payouts.INVOICE_OF_LINE}), -1) < 0)
    order by p.id, line`)
  for (const { id, line, is_own } of wrong) {
    const detail = is_own ? `${line} was not available yet` : `${line} is no line of its payee`
    report.differ('a payout pays what is available', id, detail)
  }
}

/** A payee's balance is the sum of the lines that no payout has taken. */
async function checkUnpaidLines(db: Db, report: Report): Promise<void> {
  const rows = await db.rows<{ owner: string; balance: Cents; untaken: Cents }>(sql`
    select * from (select e.owner, -sum(e.amount)::bigint as balance,
        coalesce(-sum(e.amount) filter (where l.payout_id is null and t.event <> 'payout'),
          0)::bigint as untaken
      from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
      left join payout_lines l
        on l.transaction_id = e.transaction_id and l.position = e.position
      where e.account in ('seller_payable', 'affiliate_payable')
      group by e.account, e.owner) owners`)
  report.count('payees', rows.length)
  for (const { owner, balance, untaken } of rows) {
    if (balance === untaken) continue
    const detail = `${formatMoney(balance)} is owed, and ${formatMoney(untaken)} was not paid out`
    report.differ('a balance is the sum of unpaid lines', owner, detail)
  }
}

/** The running balances and the list of unpaid lines match the ledger. */
async function checkRunningBalances(db: Db, report: Report): Promise<void> {
  for (const { owner, found, expected } of await payouts.wrongBalances(db)) {
    const detail = `it is ${formatMoney(found)}, and the entries come to ${formatMoney(expected)}`
    report.differ('a running balance is that of the ledger', owner, detail)
  }
  for (const { transaction_id, is_listed, is_unpaid } of await payouts.wrongUnpaidLines(db)) {
    const detail = !is_listed
      ? 'it was not paid out, and is not listed'
      : is_unpaid
        ? 'it is listed with other facts than the ledger has'
        : 'it is listed, and was paid out or is on no account of a payee'
    report.differ('an unpaid line is listed', transaction_id, detail)
  }
}
