import type { JSX } from 'preact'
import { Badge } from '#design/feedback'
import { Day, formatMoney, Money } from '#design/money'
import { EmptyState } from '#design/panels'
import { RecordRows } from '#design/records'
import type { StaffRole } from '#domain/identity'
import type { ActionNote } from '#http/action-note'
import { cents } from '#platform/money'
import { Alarms } from './alarms-panel.tsx'
import { StuckAttempts } from './attempts-panel.tsx'
import type { CaseLists } from './case-lists.ts'
import type { FoundByStaff } from './case-search.ts'
import { CaseSearch } from './case-search-panel.tsx'
import { emptyListText } from './empty-list-text.ts'
import { excessPath } from './excess-page.tsx'
import { AdminPage } from './layout.tsx'
import { CasePanel, Entries, Entry, type FilledForm } from './staff-action.tsx'
import { Unexplained } from './suspense-panel.tsx'

interface CasesFacts {
  /** Lists and actions that it has no permission for are not shown. */
  role: StaffRole
  csrf_token: string
  query: string
  /** Undefined without a search. */
  found: FoundByStaff | undefined
  lists: CaseLists
  note: ActionNote | undefined
  filled: FilledForm | undefined
}

const ITEMS = [
  ['alarms', 'cases'],
  ['disputes', 'disputes'],
  ['failed refunds', 'refunds'],
  ['paused licenses', 'licenses'],
  ['locked accounts', 'accounts'],
] as const

/** Everything that needs a decision by staff, and a search by ID or email. */
export function CasesPage(facts: CasesFacts): JSX.Element {
  const { lists } = facts
  const isClear = Object.values(lists).every(({ items }) => items.length === 0)
  return (
    <AdminPage
      {...facts}
      current="cases"
      title="Cases"
      has_error={facts.filled?.is_refused}
      intro="Items that need a decision. Every action is logged."
    >
      <CaseSearch {...facts} />
      {lists.alarms.items.length > 0 && <Alarms {...facts} list={lists.alarms} />}
      {lists.stuck.items.length > 0 && <StuckAttempts {...facts} list={lists.stuck} />}
      {lists.disputes.items.length > 0 && <Disputes {...facts} list={lists.disputes} />}
      {lists.refused_refunds.items.length > 0 && (
        <RefusedRefunds {...facts} list={lists.refused_refunds} />
      )}
      {lists.owed.items.length > 0 && <Owed {...facts} list={lists.owed} />}
      {lists.excess.items.length > 0 && <Excess list={lists.excess} />}
      {lists.debts.items.length > 0 && <Debts {...facts} list={lists.debts} />}
      {lists.suspense.items.length > 0 && <Unexplained {...facts} list={lists.suspense} />}
      {lists.suspended.items.length > 0 && <SuspendedLicenses {...facts} list={lists.suspended} />}
      {lists.locked.items.length > 0 && <Locked {...facts} list={lists.locked} />}
      {isClear && <EmptyState title="No open items">{emptyListText(facts.role, ITEMS)}</EmptyState>}
    </AdminPage>
  )
}

type PanelFacts<Name extends keyof CaseLists> = CasesFacts & { list: CaseLists[Name] }

function Disputes({ list }: PanelFacts<'disputes'>): JSX.Element {
  return (
    <CasePanel id="disputes" title="Disputes" list={list}>
      <RecordRows
        records={list.items.map((dispute) => ({
          key: dispute.id,
          title: `${formatMoney(dispute.amount)}, ${dispute.app_name}`,
          aside:
            dispute.status === 'inquiry' ? (
              <Badge tone="info">Inquiry</Badge>
            ) : (
              <Badge tone={dispute.submitted_at ? 'neutral' : 'warn'}>
                {dispute.submitted_at ? 'Evidence submitted' : 'Needs response'}
              </Badge>
            ),
          details: [
            dispute.email,
            <>
              Evidence due <Day date={dispute.due_at} />
            </>,
          ],
          link: { label: 'View', href: `/admin/disputes/${dispute.id}/` },
        }))}
      />
    </CasePanel>
  )
}

function RefusedRefunds({ list }: PanelFacts<'refused_refunds'>): JSX.Element {
  return (
    <CasePanel id="failed-refunds" title="Failed refunds" list={list}>
      <RecordRows
        records={list.items.map((refund) => ({
          key: refund.id,
          title: `${formatMoney(refund.amount)}, ${refund.app_name}`,
          details: [refund.email, refund.reason, refund.refusal ?? ''],
          link: { label: 'View', href: `/admin/sales/${refund.invoice_id}/` },
        }))}
      />
    </CasePanel>
  )
}

function Owed({ list, csrf_token, filled }: PanelFacts<'owed'>): JSX.Element {
  return (
    <Entries id="owed" title="Returned refunds, payable to buyers" list={list}>
      {list.items.map(({ user_id, email, amount }) => (
        <Entry
          key={user_id}
          title={<Money amount={amount} />}
          details={email}
          csrf_token={csrf_token}
          path="paid-otherwise"
          fields={{ user_id, seen: String(amount), ...list.place }}
          id={`paid-${user_id}`}
          label="Mark as repaid"
          filled={filled}
        />
      ))}
    </Entries>
  )
}

function Excess({ list }: Pick<PanelFacts<'excess'>, 'list'>): JSX.Element {
  return (
    <CasePanel id="excess" title="Received in excess, payable by buyers" list={list}>
      <RecordRows
        records={list.items.map(({ user_id, email, amount, disputed }) => ({
          key: user_id,
          title: formatMoney(amount),
          details: [
            email,
            disputed > 0 &&
              `Open disputes may return ${formatMoney(cents(Math.min(amount, disputed)))}.`,
          ].filter(Boolean),
          link: { label: 'View', href: excessPath(user_id) },
        }))}
      />
    </CasePanel>
  )
}

function Debts({ list, csrf_token, filled }: PanelFacts<'debts'>): JSX.Element {
  return (
    <Entries id="debts" title="Owed to Purser" list={list}>
      {list.items.map(({ owner, account, amount, reserved, name }) => (
        <Entry
          key={`${account}-${owner}`}
          title={<Money amount={amount} />}
          details={
            reserved > 0
              ? `${name}. Open disputes may return ${formatMoney(reserved)} and their fees.`
              : name
          }
          csrf_token={csrf_token}
          path="write-off"
          fields={{ owner, account, seen: String(amount), ...list.place }}
          id={`debt-${account}-${owner}`}
          label="Write off"
          filled={filled}
        />
      ))}
    </Entries>
  )
}

function SuspendedLicenses({ list, csrf_token, filled }: PanelFacts<'suspended'>): JSX.Element {
  return (
    <Entries id="suspended" title="Licenses paused by staff" list={list}>
      {list.items.map(({ license_id, app_name, email, since }) => (
        <Entry
          key={license_id}
          title={app_name}
          details={
            <>
              {email}, since <Day date={since} />
            </>
          }
          csrf_token={csrf_token}
          path="reinstate"
          fields={{ license_id, ...list.place }}
          id={`reinstate-${license_id}`}
          label="Resume"
          filled={filled}
        />
      ))}
    </Entries>
  )
}

function Locked({ list, csrf_token, filled }: PanelFacts<'locked'>): JSX.Element {
  return (
    <Entries id="locked" title="Locked accounts" list={list}>
      {list.items.map(({ id, email, locked_at }) => (
        <Entry
          key={id}
          title={email}
          details={
            <>
              Locked on <Day date={locked_at} />
            </>
          }
          csrf_token={csrf_token}
          path="unlock"
          fields={{ user_id: id, ...list.place }}
          id={`unlock-${id}`}
          label="Unlock"
          filled={filled}
        />
      ))}
    </Entries>
  )
}
