import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Wrapped } from '#design/cells'
import { Alert, Badge } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { Day, formatMoney, Money } from '#design/money'
import { PageNav } from '#design/navigation'
import { PageHeader } from '#design/page-header'
import { DescriptionList, Heading } from '#design/panels'
import { RecordTable } from '#design/records'
import type { Paging } from '#http/pagination'
import { payoutLabel } from '#http/payout-label'
import { AskForReview } from '#http/review-link'
import { type Cents, cents } from '#platform/money'
import { causeLabel } from './labels.ts'
import { type BalanceFacts, BalancePanel, BankPanel, DoneNote, PayoutsPanel } from './panels.tsx'

/** A seller's balance, bank account and payouts. */
export function SellerPayoutsPage(facts: BalanceFacts & { done: string | undefined }): JSX.Element {
  return (
    <SiteLayout title="Payouts · Purser" notice={facts.notice}>
      <Heading title="Payouts">Your balance and payouts to your bank.</Heading>
      <DoneNote done={facts.done} />
      {facts.is_suspended && (
        <Alert tone="warning" title="This seller is suspended">
          A payout cannot be requested until it is reinstated. We emailed the reason to the owner
          and the admins. <AskForReview />
        </Alert>
      )}
      {facts.are_paused && (
        <Alert tone="warning" title="Your payouts are paused">
          Your balance keeps growing with your sales, and is paid out once they are resumed. We
          emailed you the reason. <AskForReview />
        </Alert>
      )}
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)]">
        <BalancePanel {...facts} earned="Revenue from a sale" />
        <BankPanel {...facts} />
      </div>
      <PayoutsPanel {...facts} />
    </SiteLayout>
  )
}

/** A statement line on the page. */
export interface StatementRow {
  key: string
  at: Date
  text: string
  /** The page of the sale. */
  href: string | undefined
  /** The gross amount of the sale, and the service's fees on it, in cents. */
  gross: Cents | null
  fees: Cents | null
  amount: Cents
}

/** The names of the pages with the payee's balance and bank account. */
const PAGE_NAMES = { seller: 'Payouts', affiliate: 'Referrals' }

/** A payout, line by line. */
export function StatementPage(facts: {
  /** The banner about the payee's own time. */
  notice: string | undefined
  home: string
  /** The path of the statement. */
  path: string
  kind: 'seller' | 'affiliate'
  number: number
  amount: Cents
  cause: 'weekly' | 'request'
  /** The bank account that it was sent to, as far as known. */
  bank: string | null
  status: 'open' | 'pending' | 'paid' | 'failed'
  was_refused: boolean
  failure: string | null
  /** Whether nothing is paid out until the payee changes or confirms the bank account. */
  needs_bank: boolean
  created_at: Date
  settled_at: Date | null
  /** The gross amounts of all lines of a seller; null for an affiliate. */
  gross: Cents | null
  rows: StatementRow[]
  paging: Paging
}): JSX.Element {
  const { label, tone } = payoutLabel(facts)
  const isSeller = facts.kind === 'seller'
  const money = (amount: Cents | null) => (amount === null ? '' : <Money amount={amount} />)
  const figures = [
    ...(isSeller
      ? [
          { label: 'Before fees', numeric: true },
          { label: 'Fees', numeric: true },
        ]
      : []),
    { label: isSeller ? 'Net' : 'Commission', numeric: true },
  ]
  const cellsOf = (row: StatementRow) => [
    <Day date={row.at} />,
    <Wrapped text={row.text} href={row.href} />,
    ...(isSeller ? [money(row.gross), money(row.fees)] : []),
    money(row.amount),
  ]
  const { gross, amount } = facts
  const strong = (total: Cents) => <strong>{money(total)}</strong>
  const beforeFees = gross === null ? ['', ''] : [strong(gross), strong(cents(amount - gross))]
  const total = [
    '',
    <strong>{facts.paging.last > 1 ? 'Total of all pages' : 'Total'}</strong>,
    ...(isSeller ? beforeFees : []),
    strong(amount),
  ]
  return (
    <SiteLayout title={`Payout ${facts.number} · Purser`} notice={facts.notice}>
      <PageHeader
        title={`Payout ${facts.number}: ${formatMoney(facts.amount)}`}
        back={{ label: PAGE_NAMES[facts.kind], href: facts.home }}
        aside={
          <Actions>
            <Button href={`${facts.path}statement.pdf`}>Download PDF</Button>
            <Button href={`${facts.path}statement.csv`}>Download CSV</Button>
          </Actions>
        }
      >
        All ledger entries in this payout.
      </PageHeader>
      {facts.status === 'failed' && <Failure {...facts} />}
      <DescriptionList
        items={[
          { term: 'Status', detail: <Badge tone={tone}>{label}</Badge> },
          { term: 'Created', detail: <Day date={facts.created_at} /> },
          ...(facts.settled_at ? [{ term: label, detail: <Day date={facts.settled_at} /> }] : []),
          { term: 'Type', detail: causeLabel(facts) },
          ...(facts.bank ? [{ term: 'Bank', detail: facts.bank }] : []),
        ]}
      />
      <RecordTable
        caption={`Transactions in payout ${facts.number}`}
        columns={[{ label: 'Day' }, { label: 'Description' }, ...figures]}
        rows={[
          ...facts.rows.map((row) => ({ key: row.key, cells: cellsOf(row) })),
          { key: 'total', cells: total },
        ]}
      />
      <PageNav
        label="Pages of lines"
        {...facts.paging}
        href={(page) => `${facts.path}?page=${page}`}
      />
    </SiteLayout>
  )
}

/** Why a payout failed, and what is next. */
function Failure(facts: {
  kind: 'seller' | 'affiliate'
  was_refused: boolean
  failure: string | null
  needs_bank: boolean
}): JSX.Element {
  const { failure } = facts
  if (facts.was_refused) {
    return (
      <Alert tone="error" title="This payout failed">
        {failure ?? 'The processor gave no reason.'} Nothing was sent to your bank. The amount was
        added back to your balance and is part of your next payout. Check your bank account before
        then.
      </Alert>
    )
  }
  return (
    <Alert tone="error" title="This payout was returned">
      {failure ?? 'The bank gave no reason.'} The amount was added back to your balance.
      {facts.needs_bank &&
        ` Change your bank account under ${PAGE_NAMES[facts.kind]}, or confirm that its details are right. Nothing is paid out until then.`}
    </Alert>
  )
}
