import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Badge } from '#design/feedback'
import { Day, Money } from '#design/money'
import { Panel } from '#design/panels'
import { RecordTable } from '#design/records'
import type { ListedSeller, SellerFigures, SellerState } from '#domain/sellers'
import { type AdminListFacts, AdminListPage } from './list-page.tsx'

type SellerRow = ListedSeller & { figures: SellerFigures }

const STATES: Record<SellerState, string> = {
  active: 'Active',
  suspended: 'Suspended',
  paused: 'Payouts paused',
}

/** The sellers, with a search and their figures. */
export function SellersPage(facts: AdminListFacts<SellerState, SellerRow>): JSX.Element {
  return (
    <AdminListPage
      {...facts}
      list="sellers"
      title="Sellers"
      intro="Sellers and what they are owed, newest first."
      hint="Part of the legal name, a member’s full email, or the full ID"
      nothing="Search by another name, email or ID."
      states={STATES}
    >
      <Panel>
        <RecordTable
          caption="Sellers"
          columns={[
            { label: 'Balance', numeric: true },
            { label: 'Seller' },
            { label: 'Status' },
            { label: 'Apps', numeric: true },
            { label: 'Payments', numeric: true },
            { label: 'Open disputes', numeric: true },
            { label: 'Since' },
          ]}
          rows={facts.items.map(rowOf)}
        />
      </Panel>
    </AdminListPage>
  )
}

function rowOf(seller: SellerRow) {
  const { id, legal_name, email, figures, created_at } = seller
  return {
    key: id,
    cells: [
      <Money amount={figures.balance} />,
      <span class="inline-grid max-w-64 whitespace-normal">
        <TextLink href={`/admin/sellers/${id}/`}>{legal_name}</TextLink>
        <span class="text-sm break-all text-muted">{email ?? 'No owner'}</span>
      </span>,
      <SellerBadges seller={seller} />,
      figures.apps.toLocaleString('en-US'),
      figures.sales.toLocaleString('en-US'),
      figures.disputes.toLocaleString('en-US'),
      <Day date={created_at} />,
    ],
  }
}

/** Whether a seller is suspended, or its payouts are paused. */
export function SellerBadges(facts: {
  seller: Pick<ListedSeller, 'suspended_at' | 'payouts_paused_at'>
}): JSX.Element {
  const { suspended_at, payouts_paused_at } = facts.seller
  return (
    <span class="inline-flex flex-wrap gap-2">
      {suspended_at ? <Badge tone="bad">Suspended</Badge> : <Badge tone="good">Active</Badge>}
      {payouts_paused_at && <Badge tone="warn">Payouts paused</Badge>}
    </span>
  )
}
