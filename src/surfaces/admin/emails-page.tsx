import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Badge, type BadgeTone } from '#design/feedback'
import { Field, Form, HiddenFields, SelectField } from '#design/forms'
import { Moment } from '#design/money'
import { Pager } from '#design/navigation'
import { EmptyState, Panel } from '#design/panels'
import { RecordRows, recordDescription } from '#design/records'
import type { StaffRole } from '#domain/identity'
import type { ActionNote } from '#http/action-note'
import { emailLabel } from '#http/email-labels'
import { type EmailState, type LoggedEmail, stateOf } from '#platform/email-log'
import { counted } from '#platform/text'
import { AdminPage } from './layout.tsx'

interface EmailLogFacts {
  csrf_token: string
  role: StaffRole
  recipient: string
  state: 'failed' | undefined
  /** The place of the page in the list, to which its forms return. */
  below: string | undefined
  emails: LoggedEmail[]
  newest: string | undefined
  older: string | undefined
  note: ActionNote | undefined
}

const STATES: Record<EmailState, [label: string, tone: BadgeTone]> = {
  waiting: ['Waiting', 'neutral'],
  retrying: ['Retrying', 'warn'],
  failed: ['Failed', 'bad'],
  sent: ['Sent', 'good'],
  not_needed: ['Not needed', 'neutral'],
}

/** The log of emails, with a search by recipient. */
export function EmailsPage(facts: EmailLogFacts): JSX.Element {
  const { emails } = facts
  return (
    <AdminPage
      {...facts}
      current="emails"
      title="Emails"
      intro="Emails and their recipients. The text of emails is not stored."
    >
      <Panel title="Search">
        <form
          method="get"
          action="/admin/emails/"
          class="grid items-end gap-4 sm:grid-cols-[2fr_1fr_auto]"
        >
          <Field
            label="Recipient"
            name="recipient"
            type="search"
            value={facts.recipient}
            autocomplete="off"
            spellcheck={false}
            in_search
          />
          <SelectField
            label="Status"
            name="state"
            value={facts.state ?? ''}
            options={[
              { value: '', label: 'All' },
              { value: 'failed', label: 'Failed' },
            ]}
            in_search
          />
          <div>
            <Button kind="primary">Search</Button>
          </div>
        </form>
      </Panel>
      {emails.length === 0 ? (
        <EmptyState title="No emails">Search by the recipient’s full email address.</EmptyState>
      ) : (
        <Panel>
          <RecordRows records={emails.map((email) => recordOf(email, facts))} />
        </Panel>
      )}
      <Pager newest={facts.newest} older={facts.older} />
    </AdminPage>
  )
}

function recordOf(email: LoggedEmail, facts: EmailLogFacts) {
  const state = stateOf(email)
  const [label, tone] = STATES[state]
  const { id, kind, recipients, attempts, error, queued_at } = email
  const place = {
    recipient: facts.recipient,
    state: facts.state ?? '',
    below: facts.below ?? '',
  }
  return {
    key: id,
    title: emailLabel(kind),
    aside: <Badge tone={tone}>{label}</Badge>,
    details: [
      <Moment at={queued_at} />,
      <span class="break-all">
        {recipients === null ? 'No recipient' : recipients.join(', ') || 'Deleted account'}
      </span>,
      ...(attempts > 1 ? [counted(attempts, 'attempt')] : []),
      ...(error ? [<span class="wrap-anywhere">{error}</span>] : []),
    ],
    action: state === 'failed' && (
      <Form action="/admin/emails/resend" csrf_token={facts.csrf_token}>
        <HiddenFields values={{ email_id: id, ...place }} />
        <Button pending="Sending…" describedby={recordDescription(id)}>
          Send again
        </Button>
      </Form>
    ),
  }
}
