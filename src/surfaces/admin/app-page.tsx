import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Alert, NoteAlert } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { DescriptionList, Panel } from '#design/panels'
import {
  type App,
  type ApprovalRequest,
  isSuspendedWithSeller,
  productPath,
  type StaffApp,
} from '#domain/apps'
import { isPermitted, type StaffRole } from '#domain/identity'
import type { ActionNote } from '#http/action-note'
import { RecordHeader } from '#http/admin-menu'
import { AppBadges } from './app-labels.tsx'
import { type CurrentDecision, DecisionText } from './decision-text.tsx'
import { type FilledForm, StaffAction } from './staff-action.tsx'

interface StaffAppFacts {
  csrf_token: string
  role: StaffRole
  app: App & StaffApp
  /** Since when, and why, it is suspended other than with its seller. */
  suspended: CurrentDecision | null
  approval: ApprovalRequest | undefined
  plans: string[]
  filled: FilledForm | undefined
  note: ActionNote | undefined
}

/** The details of an app, and the form to suspend or reinstate it. */
export function AppPage(facts: StaffAppFacts): JSX.Element {
  const { app, note } = facts
  return (
    <SiteLayout title={`${app.name} · Apps · Purser`} has_error={facts.filled?.is_refused}>
      <RecordHeader
        current="apps"
        role={facts.role}
        title={app.name}
        back={{ label: 'Apps', href: '/admin/apps/' }}
      >
        {app.id}
      </RecordHeader>
      <NoteAlert note={note} />
      {isSuspendedWithSeller(app) && (
        <Alert tone="info">Suspended together with its seller. Reinstate the seller first.</Alert>
      )}
      <DescriptionList items={itemsOf(facts)} />
      {isPermitted(facts.role, 'suspensions') && <Suspension {...facts} />}
    </SiteLayout>
  )
}

function itemsOf({ app, suspended, approval, plans }: StaffAppFacts) {
  const product_url = productPath(app)
  return [
    { term: 'Status', detail: <AppBadges app={app} /> },
    {
      term: 'Seller',
      detail: <TextLink href={`/admin/sellers/${app.seller_id}/`}>{app.legal_name}</TextLink>,
    },
    { term: 'Website', detail: app.url },
    {
      term: 'Product page',
      detail: product_url ? <TextLink href={product_url}>{app.slug}</TextLink> : app.slug,
    },
    { term: 'Plans', detail: plans.length > 0 ? plans.join(', ') : 'None yet' },
    { term: 'Created', detail: <Day date={app.created_at} /> },
    ...(approval ? [{ term: 'Request for approval', detail: <Approval {...approval} /> }] : []),
    ...(suspended ? [{ term: 'Suspended', detail: <DecisionText {...suspended} /> }] : []),
    ...(app.archived_at ? [{ term: 'Archived', detail: <Day date={app.archived_at} /> }] : []),
  ]
}

function Approval({ requested_at, decided_at, is_approved, reason }: ApprovalRequest): JSX.Element {
  if (!decided_at) {
    return (
      <TextLink href="/admin/approvals/">
        Open since <Day date={requested_at} />
      </TextLink>
    )
  }
  return (
    <>
      {is_approved ? 'Approved' : 'Refused'} on <Day date={decided_at} />
      {reason && `: ${reason}`}
    </>
  )
}

function Suspension({ app, csrf_token, filled }: StaffAppFacts): JSX.Element {
  const [action, label] = app.suspended_at ? ['reinstate', 'Reinstate'] : ['suspend', 'Suspend']
  return (
    <Panel title="Suspension">
      <p class="mb-4 text-sm text-muted">
        A suspended app is not for sale and not listed. Its customers keep their licenses, and their
        subscriptions renew. The seller is emailed the reason.
      </p>
      <StaffAction
        csrf_token={csrf_token}
        path={`apps/${app.id}/${action}`}
        fields={{ app_id: app.id }}
        id={`${action}-reason`}
        label={label ?? ''}
        filled={filled}
      />
    </Panel>
  )
}
