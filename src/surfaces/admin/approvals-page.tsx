import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Field, Form } from '#design/forms'
import { Day } from '#design/money'
import { DescriptionList, EmptyState, Panel } from '#design/panels'
import type { OpenApproval } from '#domain/apps'
import type { StaffRole } from '#domain/identity'
import { stateName } from '#domain/sellers'
import type { ActionNote } from '#http/action-note'
import type { ApprovalId } from '#platform/ids'
import { AdminPage } from './layout.tsx'
import { ON_A_PAGE } from './paging.ts'

/** A plan and its prices in words, such as "$12.00 per month, $120.00 per year". */
export interface PlanInWords {
  name: string
  prices: string
}

/** A request in the list, with the plans of its app. */
export interface ApprovalEntry extends OpenApproval {
  plans: PlanInWords[]
}

/** The longest reason of a decision, in characters. */
export const MAX_DECISION_LENGTH = 500

/** A decision whose reason is missing or wrong, as it was entered. */
export interface RefusedDecision {
  id: ApprovalId
  reason: string
  fault: string
}

/** The apps waiting for approval, each with the form to decide. */
export function ApprovalsPage(facts: {
  role: StaffRole
  csrf_token: string
  entries: ApprovalEntry[]
  note: ActionNote | undefined
  refused: RefusedDecision | undefined
}): JSX.Element {
  return (
    <AdminPage
      {...facts}
      current="approvals"
      title="Approvals"
      intro="Apps whose sellers requested external sales. An approved app is for sale once it is published."
    >
      {facts.entries.length === 0 ? (
        <EmptyState title="No requests">
          New requests appear here. The seller is emailed when you decide.
        </EmptyState>
      ) : (
        facts.entries
          .slice(0, ON_A_PAGE)
          .map((entry) => <Request key={entry.id} facts={facts} entry={entry} />)
      )}
      {facts.entries.length > ON_A_PAGE && (
        <p class="text-sm text-muted">
          The oldest {ON_A_PAGE} requests are shown. The next ones appear once these are decided.
        </p>
      )}
    </AdminPage>
  )
}

function Request({
  facts,
  entry,
}: {
  facts: { csrf_token: string; refused: RefusedDecision | undefined }
  entry: ApprovalEntry
}): JSX.Element {
  const { csrf_token } = facts
  const refused = facts.refused?.id === entry.id ? facts.refused : undefined
  const items = [
    { term: 'Seller', detail: `${entry.legal_name}, ${entry.city}, ${stateName(entry.state)}` },
    { term: 'Requested by', detail: entry.email },
    { term: 'Requested on', detail: <Day date={entry.requested_at} /> },
    { term: 'Website', detail: <TextLink href={entry.url}>{entry.url}</TextLink> },
    { term: 'Plans', detail: <Plans plans={entry.plans} /> },
    ...(entry.refused_at ? [{ term: 'Refused before', detail: <Refusal {...entry} /> }] : []),
  ]
  return (
    <Panel title={entry.app_name}>
      <DescriptionList items={items} />
      <Form action={`/admin/approvals/${entry.id}`} csrf_token={csrf_token}>
        <Field
          label="Reason"
          name="reason"
          id={`reason-${entry.id}`}
          hint="Required to refuse. The seller receives it by email."
          value={refused?.reason}
          error={refused?.fault}
          optional
          autocomplete="off"
          maxlength={MAX_DECISION_LENGTH}
        />
        <Actions>
          <Button name="decision" value="approve" pending="One moment…">
            Approve
          </Button>
          <Button name="decision" value="refuse" pending="One moment…">
            Refuse
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

/** A name is isolated: one that is written from right to left would move the price beside it. */
function Plans({ plans }: Pick<ApprovalEntry, 'plans'>): JSX.Element {
  return (
    <>
      {plans.map(({ name, prices }, index) => (
        <span key={index}>
          {index > 0 && '; '}
          <bdi>{name}</bdi>, {prices}
        </span>
      ))}
    </>
  )
}

/** So that the next review can tell whether the seller changed what was asked for. */
function Refusal({ refused_at, refusal }: OpenApproval): JSX.Element {
  return (
    <>
      <Day date={refused_at!} />
      <br />
      {refusal}
    </>
  )
}
