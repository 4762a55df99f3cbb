import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Alert, Badge } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { Day, formatMoney, Money } from '#design/money'
import { EmptyState, Heading, Panel, RecordRows } from '#design/panels'
import type { FoundLicenses } from '#domain/billing'
import type { StaffRole, User } from '#domain/identity'
import type { StaffSuspension } from '#domain/licensing'
import type { DisputeLine, PendingAttempt, RefundLine } from '#domain/payments'
import type { Debt } from '#domain/payouts'
import type { ActionNote } from '#http/action-note'
import type { Alarm } from '#platform/alarms'
import type { UserId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { Alarms } from './alarms-panel.tsx'
import { StuckAttempts } from './attempts-panel.tsx'
import { LicenseSearch } from './license-search-panel.tsx'
import { AdminMenu } from './menu.tsx'
import { Entries, Entry, type Filled, StaffAction } from './staff-action.tsx'

interface CasesFacts {
  /** Lists and actions that it has no permission for are not shown. */
  role: StaffRole
  csrf_token: string
  query: string
  /** Undefined without a search. */
  found: FoundLicenses | undefined
  alarms: Alarm[]
  /** Payment attempts open for more than an hour. */
  stuck: PendingAttempt[]
  disputes: DisputeLine[]
  /** Automatic refunds that the processor refused. */
  refused_refunds: RefundLine[]
  owed: { user_id: UserId; email: string; amount: Cents }[]
  debts: Debt[]
  suspended: StaffSuspension[]
  locked: (User & { locked_at: Date })[]
  note: ActionNote | undefined
  filled: Filled | undefined
}

/** Everything that needs a decision by staff, and a search by ID or email. */
export function CasesPage(facts: CasesFacts): JSX.Element {
  const isClear = [
    facts.alarms,
    facts.stuck,
    facts.disputes,
    facts.refused_refunds,
    facts.owed,
    facts.debts,
    facts.suspended,
    facts.locked,
  ].every((list) => list.length === 0)
  return (
    <SiteLayout title="Cases · Admin · Purser">
      <div class="grid grid-cols-1 gap-6">
        <Heading title="Cases">Items that need a decision. Every action is logged.</Heading>
        <AdminMenu current="cases" role={facts.role} />
      </div>
      {facts.note && <Alert tone={facts.note.tone}>{facts.note.text}</Alert>}
      <LicenseSearch {...facts} />
      {facts.alarms.length > 0 && <Alarms {...facts} />}
      {facts.stuck.length > 0 && <StuckAttempts {...facts} />}
      {facts.disputes.length > 0 && <Disputes {...facts} />}
      {facts.refused_refunds.length > 0 && <RefusedRefunds {...facts} />}
      {facts.owed.length > 0 && <Owed {...facts} />}
      {facts.debts.length > 0 && <Debts {...facts} />}
      {facts.suspended.length > 0 && <SuspendedLicenses {...facts} />}
      {facts.locked.length > 0 && <Locked {...facts} />}
      {isClear && (
        <EmptyState title="No open items">
          Alarms, disputes, failed refunds, paused licenses and locked accounts appear here.
        </EmptyState>
      )}
    </SiteLayout>
  )
}

function Disputes({ disputes }: CasesFacts): JSX.Element {
  return (
    <Panel id="disputes" title="Disputes">
      <RecordRows
        records={disputes.map((dispute) => ({
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
          action: <TextLink href={`/admin/disputes/${dispute.id}/`}>View</TextLink>,
        }))}
      />
    </Panel>
  )
}

function RefusedRefunds({ refused_refunds }: CasesFacts): JSX.Element {
  return (
    <Panel id="failed-refunds" title="Failed refunds">
      <RecordRows
        records={refused_refunds.map((refund) => ({
          key: refund.id,
          title: `${formatMoney(refund.amount)}, ${refund.app_name}`,
          details: [refund.email, refund.reason, refund.refusal ?? ''],
          action: <TextLink href={`/admin/sales/${refund.invoice_id}/`}>View</TextLink>,
        }))}
      />
    </Panel>
  )
}

function Owed({ owed, csrf_token, filled }: CasesFacts): JSX.Element {
  return (
    <Entries id="owed" title="Returned refunds, payable to buyers">
      {owed.map(({ user_id, email, amount }) => (
        <Entry key={user_id} title={<Money amount={amount} />} details={email}>
          <StaffAction
            csrf_token={csrf_token}
            path="paid-otherwise"
            fields={{ user_id, seen: String(amount) }}
            id={`paid-${user_id}`}
            label="Mark as repaid"
            filled={filled}
          />
        </Entry>
      ))}
    </Entries>
  )
}

function Debts({ debts, csrf_token, filled }: CasesFacts): JSX.Element {
  return (
    <Entries id="debts" title="Owed to Purser">
      {debts.map(({ owner, account, amount, reserved, name }) => (
        <Entry
          key={`${account}-${owner}`}
          title={<Money amount={amount} />}
          details={
            reserved > 0 ? `${name}. Open disputes may return ${formatMoney(reserved)}.` : name
          }
        >
          <StaffAction
            csrf_token={csrf_token}
            path="write-off"
            fields={{ owner, account, seen: String(amount) }}
            id={`debt-${owner}`}
            label="Write off"
            filled={filled}
          />
        </Entry>
      ))}
    </Entries>
  )
}

function SuspendedLicenses({ suspended, csrf_token, filled }: CasesFacts): JSX.Element {
  return (
    <Entries id="suspended" title="Licenses paused by staff">
      {suspended.map(({ license_id, app_name, email, since }) => (
        <Entry
          key={license_id}
          title={app_name}
          details={
            <>
              {email}, since <Day date={since} />
            </>
          }
        >
          <StaffAction
            csrf_token={csrf_token}
            path="reinstate"
            fields={{ license_id }}
            id={`reinstate-${license_id}`}
            label="Resume"
            filled={filled}
          />
        </Entry>
      ))}
    </Entries>
  )
}

function Locked({ locked, csrf_token, filled }: CasesFacts): JSX.Element {
  return (
    <Entries id="locked" title="Locked accounts">
      {locked.map(({ id, email, locked_at }) => (
        <Entry
          key={id}
          title={email}
          details={
            <>
              Locked on <Day date={locked_at} />
            </>
          }
        >
          <StaffAction
            csrf_token={csrf_token}
            path="unlock"
            fields={{ user_id: id }}
            id={`unlock-${id}`}
            label="Unlock"
            filled={filled}
          />
        </Entry>
      ))}
    </Entries>
  )
}
