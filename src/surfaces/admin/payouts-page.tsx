import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Badge } from '#design/feedback'
import { SelectField } from '#design/forms'
import { Day, formatMoney, Moment } from '#design/money'
import { Pager } from '#design/navigation'
import { EmptyState, Panel } from '#design/panels'
import { RecordRows } from '#design/records'
import type { StaffRole } from '#domain/identity'
import { type ListedPayout, PAYOUT_STATUSES, type Payout } from '#domain/payouts'
import type { ListedSeller } from '#domain/sellers'
import { payoutLabel } from '#http/payout-label'
import { AdminPage } from './layout.tsx'
import { ON_A_PAGE } from './paging.ts'

const STATUSES: Record<Payout['status'], string> = {
  open: 'Requested',
  pending: 'Pending',
  paid: 'Paid',
  failed: 'Failed or returned',
}

/** The payouts of all payees, and the sellers whose payouts are paused. */
export function PayoutsPage(facts: {
  role: StaffRole
  status: Payout['status'] | undefined
  payouts: ListedPayout[]
  /** Sellers whose payouts are paused. */
  paused: ListedSeller[]
  newest: string | undefined
  older: string | undefined
}): JSX.Element {
  const { payouts, paused, status } = facts
  return (
    <AdminPage
      {...facts}
      current="payouts"
      title="Payouts"
      intro="Payouts to sellers and affiliates, latest first."
    >
      {paused.length > 0 && <Paused paused={paused} />}
      <Panel title="Filter">
        <form method="get" action="/admin/payouts/" class="flex flex-wrap items-end gap-4">
          <div class="min-w-0 grow basis-52">
            <SelectField
              label="Status"
              name="status"
              value={status ?? ''}
              options={[
                { value: '', label: 'All' },
                ...PAYOUT_STATUSES.map((value) => ({ value, label: STATUSES[value] })),
              ]}
              in_search
            />
          </div>
          <Button kind="primary">Show</Button>
        </form>
      </Panel>
      {payouts.length === 0 ? (
        <EmptyState title="No payouts">
          {status ? 'Choose another status.' : 'Weekly and requested payouts appear here.'}
        </EmptyState>
      ) : (
        <Panel>
          <RecordRows records={payouts.map(payoutRecord)} />
        </Panel>
      )}
      <Pager newest={facts.newest} older={facts.older} />
    </AdminPage>
  )
}

function Paused({ paused }: { paused: ListedSeller[] }): JSX.Element {
  return (
    <Panel id="paused" title="Paused">
      <RecordRows
        records={paused.slice(0, ON_A_PAGE).map(({ id, legal_name, email, payouts_paused_at }) => ({
          key: id,
          title: legal_name,
          details: [
            email ?? 'No owner',
            ...(payouts_paused_at
              ? [
                  <>
                    Since <Day date={payouts_paused_at} />
                  </>,
                ]
              : []),
          ],
          link: { label: 'View', href: `/admin/sellers/${id}/` },
        }))}
      />
      {paused.length > ON_A_PAGE && (
        <TextLink href="/admin/sellers/?state=paused">All sellers with paused payouts</TextLink>
      )}
    </Panel>
  )
}

/** A payout in a list: its amount first. */
export function payoutRecord(payout: ListedPayout) {
  const { id, number, owner, name, amount, status, cause, failure, created_at } = payout
  const { label, tone } =
    status === 'open' ? ({ label: STATUSES.open, tone: 'warn' } as const) : payoutLabel(payout)
  return {
    key: id,
    title: `${formatMoney(amount)}, payout ${number}`,
    aside: <Badge tone={tone}>{label}</Badge>,
    details: [
      name,
      <Day date={created_at} />,
      cause === 'weekly' ? 'Weekly' : 'Requested',
      ...putOff(payout),
      ...(failure ? [failure] : []),
    ],
    link: owner.startsWith('sel_')
      ? { label: 'Seller', href: `/admin/sellers/${owner}/` }
      : undefined,
  }
}

/** Why an open payout was postponed, and when it is retried. */
function putOff({ status, retry_at, refusal }: ListedPayout) {
  if (status !== 'open' || !retry_at) return []
  return [
    refusal ?? 'Waiting for funds at the processor',
    <>
      Retried on <Moment at={retry_at} />
    </>,
  ]
}
