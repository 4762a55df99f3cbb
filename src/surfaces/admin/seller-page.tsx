import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Badge, NoteAlert } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { Day, formatMoney, Moment, Money } from '#design/money'
import { Pager } from '#design/navigation'
import { DescriptionList, Panel, Totals } from '#design/panels'
import { RecordRows } from '#design/records'
import type { StaffApp } from '#domain/apps'
import { isPermitted, type StaffRole } from '#domain/identity'
import type { ListedPayout, PayeeBalance } from '#domain/payouts'
import type {
  AcceptedTerms,
  ListedSeller,
  Member,
  SellerDetails,
  SellerFigures,
} from '#domain/sellers'
import type { ActionNote } from '#http/action-note'
import { RecordHeader } from '#http/admin-menu'
import { type AuditRow, actionTitle, CHANNEL_LABELS } from '#http/audit-rows'
import type { ListPage } from '#http/pagination'
import { type Cents, cents } from '#platform/money'
import { capitalized } from '#platform/text'
import { AppBadges } from './app-labels.tsx'
import { type CurrentDecision, DecisionText } from './decision-text.tsx'
import { ON_A_PAGE } from './paging.ts'
import { payoutRecord } from './payouts-page.tsx'
import { SellerActions } from './seller-actions.tsx'
import { SellerBadges } from './sellers-page.tsx'
import type { FilledForm } from './staff-action.tsx'

export interface SellerPageFacts {
  csrf_token: string
  role: StaffRole
  seller: ListedSeller & SellerDetails
  /** Since when, and why, it is suspended and its payouts are paused; null: they are not. */
  suspended: CurrentDecision | null
  paused: CurrentDecision | null
  figures: SellerFigures
  terms: AcceptedTerms | undefined
  members: Member[]
  apps: StaffApp[]
  balance: PayeeBalance
  bank: string | undefined
  payouts: ListPage<ListedPayout>
  /** Entries of the seller's part of the audit log. */
  activity: ListPage<AuditRow>
  filled: FilledForm | undefined
  note: ActionNote | undefined
}

/** A seller: figures, members, apps, money, activity, and what staff can decide. */
export function SellerPage(facts: SellerPageFacts): JSX.Element {
  const { seller, note, figures, balance, role } = facts
  return (
    <SiteLayout
      title={`${seller.legal_name} · Sellers · Purser`}
      has_error={facts.filled?.is_refused}
    >
      <RecordHeader
        current="sellers"
        role={role}
        title={seller.legal_name}
        back={{ label: 'Sellers', href: '/admin/sellers/' }}
      >
        {seller.id}
      </RecordHeader>
      <NoteAlert note={note} />
      <Totals
        items={[
          { term: 'Available', detail: <Money amount={balance.total} /> },
          { term: 'Pending', detail: <Money amount={balance.pending_total} /> },
          { term: 'Payments', detail: figures.sales.toLocaleString('en-US') },
          { term: 'Open disputes', detail: figures.disputes.toLocaleString('en-US') },
        ]}
      />
      <DescriptionList items={itemsOf(facts)} />
      <Members members={facts.members} />
      <Apps apps={facts.apps} />
      <Payouts {...facts} />
      <Activity {...facts} />
      <SellerActions {...facts} />
    </SiteLayout>
  )
}

function itemsOf({ seller, suspended, paused, terms, bank }: SellerPageFacts) {
  const { address, city, state, zip } = seller
  return [
    { term: 'Status', detail: <SellerBadges seller={seller} /> },
    ...(suspended ? [{ term: 'Suspended', detail: <DecisionText {...suspended} /> }] : []),
    ...(paused ? [{ term: 'Payouts paused', detail: <DecisionText {...paused} /> }] : []),
    { term: 'Address', detail: `${address}, ${city}, ${state} ${zip}` },
    { term: 'Seller since', detail: <Day date={seller.created_at} /> },
    {
      term: 'Seller terms',
      detail: terms ? (
        <>
          Version {terms.version}, accepted on <Day date={terms.at} />
        </>
      ) : (
        'Not accepted'
      ),
    },
    { term: 'Bank account', detail: bank ?? 'None yet' },
  ]
}

function Members({ members }: { members: Member[] }): JSX.Element {
  return (
    <Panel title="Members">
      <RecordRows
        records={members.map(({ user_id, email, role, created_at }) => ({
          key: user_id,
          title: email,
          aside: <Badge>{capitalized(role)}</Badge>,
          details: [
            <>
              Since <Day date={created_at} />
            </>,
          ],
        }))}
      />
    </Panel>
  )
}

function Apps({ apps }: { apps: StaffApp[] }): JSX.Element {
  return (
    <Panel title="Apps">
      {apps.length === 0 ? (
        <p class="text-sm text-muted">No apps yet.</p>
      ) : (
        <RecordRows
          records={apps.slice(0, ON_A_PAGE).map((app) => ({
            key: app.id,
            title: app.name,
            aside: <AppBadges app={app} />,
            details: [app.slug],
            link: { label: 'View', href: `/admin/apps/${app.id}/` },
          }))}
        />
      )}
      {apps.length > ON_A_PAGE && (
        <p class="text-sm text-muted">
          The latest {ON_A_PAGE} apps are shown. Find an earlier one under{' '}
          <TextLink href="/admin/apps/">Apps</TextLink>.
        </p>
      )}
    </Panel>
  )
}

function Payouts({ payouts, balance }: SellerPageFacts): JSX.Element {
  const [next] = balance.pending
  return (
    <Panel id="payouts" title="Payouts">
      {next && (
        <p class="mb-3 text-sm text-muted">
          <NextEarnings {...next} total={balance.total} />
        </p>
      )}
      {payouts.rows.length === 0 ? (
        <p class="text-sm text-muted">No payouts yet.</p>
      ) : (
        <RecordRows records={payouts.rows.map(ownPayout)} />
      )}
      <Pager {...payouts} label="Pages of payouts" />
    </Panel>
  )
}

/** What the next pending amount does to the balance. */
function NextEarnings(facts: { at: Date; amount: Cents; total: Cents }): JSX.Element {
  const { at, total } = facts
  const amount = formatMoney(facts.amount)
  const day = <Day date={at} />
  if (total >= 0) {
    return (
      <>
        {amount} becomes available on {day}.
      </>
    )
  }
  const after = cents(total + facts.amount)
  if (after < 0) {
    return (
      <>
        {amount} reduces the negative balance to {formatMoney(after)} on {day}.
      </>
    )
  }
  return (
    <>
      {amount} settles the negative balance on {day}
      {after > 0 && `, and ${formatMoney(after)} remains`}.
    </>
  )
}

/** A payout without the name of the seller, whose page this is. */
function ownPayout(payout: ListedPayout) {
  const { details, link: _, ...record } = payoutRecord(payout)
  return { ...record, details: details.slice(1) }
}

function Activity({ activity, seller, role }: SellerPageFacts): JSX.Element {
  const link = isPermitted(role, 'audit') && (
    <TextLink href={`/admin/audit/?seller=${seller.id}`}>Audit log</TextLink>
  )
  return (
    <Panel id="activity" title="Activity" aside={link}>
      {activity.rows.length === 0 ? (
        <p class="text-sm text-muted">No activity yet.</p>
      ) : (
        <RecordRows
          records={activity.rows.map(({ id, action, email, actor, channel, at, subject }) => ({
            key: String(id),
            title: actionTitle(action),
            details: [
              `${email ?? actor}, ${CHANNEL_LABELS[channel]}`,
              ...(subject === seller.id ? [] : [subject]),
              <Moment at={at} />,
            ],
          }))}
        />
      )}
      <Pager {...activity} label="Pages of activity" />
    </Panel>
  )
}
