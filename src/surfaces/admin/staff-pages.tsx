import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Badge, NoteAlert } from '#design/feedback'
import { Field, Form, SelectField } from '#design/forms'
import { InvitePanel } from '#design/invite'
import { SiteLayout } from '#design/layout'
import { Moment } from '#design/money'
import { Pager } from '#design/navigation'
import { DescriptionList, EmptyState, Panel } from '#design/panels'
import { RecordRows, recordDescription } from '#design/records'
import {
  type ListedInvitation,
  STAFF_ROLES,
  type StaffMember,
  type StaffRole,
} from '#domain/identity'
import type { ActionNote } from '#http/action-note'
import { RecordHeader } from '#http/admin-menu'
import type { ListPage } from '#http/pagination'
import { MAX_REASON_LENGTH } from '#http/reason'
import { STAFF_ROLE_LABELS } from '#http/staff-labels'
import { AdminPage } from './layout.tsx'

/** The form of an invitation as it was filled in. */
export interface StaffForm {
  email: string
  role: string
}

interface StaffLayoutFacts {
  csrf_token: string
  role: StaffRole
  note: ActionNote | undefined
}

const ROLE_OPTIONS = STAFF_ROLES.map((role) => ({ value: role, label: STAFF_ROLE_LABELS[role] }))

/** The members of staff and the pending invitations, with a form to invite. */
export function StaffPage(
  facts: StaffLayoutFacts & {
    members: ListPage<StaffMember>
    invitations: ListPage<ListedInvitation>
    form: StaffForm
    fault: string | undefined
  },
): JSX.Element {
  const { members } = facts
  return (
    <AdminPage
      {...facts}
      current="staff"
      title="Staff"
      intro="Who has access to the admin area, and their roles."
      has_error={facts.fault !== undefined}
    >
      <Panel id="members" title="Members">
        <RecordRows
          records={members.rows.map((member) => ({
            key: member.id,
            title: member.email,
            aside: <MemberBadges member={member} />,
            details: [<SignedIn at={member.signed_in_at} />],
            link: { label: 'Manage', href: `/admin/staff/${member.id}/` },
          }))}
        />
        <Pager {...members} label="Pages of members" from_first />
      </Panel>
      <Invitations {...facts} />
      <Invite {...facts} />
    </AdminPage>
  )
}

function MemberBadges({ member }: { member: StaffMember }): JSX.Element {
  return (
    <span class="flex flex-wrap gap-2">
      <Badge>{STAFF_ROLE_LABELS[member.staff_role]}</Badge>
      {!member.has_factor && <Badge tone="warn">No second factor</Badge>}
      {member.locked_at && <Badge tone="bad">Locked</Badge>}
    </span>
  )
}

function SignedIn({ at }: { at: Date | null }): JSX.Element {
  if (!at) return <>Has not signed in</>
  return (
    <>
      Last sign-in <Moment at={at} />
    </>
  )
}

function Invitations(facts: {
  invitations: ListPage<ListedInvitation>
  csrf_token: string
}): JSX.Element {
  const { invitations, csrf_token } = facts
  return (
    <Panel id="invitations" title="Invitations">
      {invitations.rows.length === 0 ? (
        <EmptyState title="No open invitations" />
      ) : (
        <RecordRows
          records={invitations.rows.map(({ id, email, role, inviter, expires_at }) => ({
            key: id,
            title: email,
            aside: <Badge>{STAFF_ROLE_LABELS[role]}</Badge>,
            details: [
              inviter ? `Invited by ${inviter}` : 'Invited by command',
              <>
                Expires <Moment at={expires_at} />
              </>,
            ],
            action: (
              <Form action="/admin/staff/withdraw" csrf_token={csrf_token}>
                <input type="hidden" name="invitation_id" value={id} />
                <Button pending="One moment…" describedby={recordDescription(id)}>
                  Withdraw
                </Button>
              </Form>
            ),
          }))}
        />
      )}
      <Pager {...invitations} label="Pages of invitations" from_first />
    </Panel>
  )
}

function Invite(facts: {
  form: StaffForm
  fault: string | undefined
  csrf_token: string
}): JSX.Element {
  return (
    <InvitePanel
      {...facts}
      title="Invite to staff"
      action="/admin/staff/invite"
      roles={ROLE_OPTIONS}
      usual_role="support"
    >
      Support handles licenses, accounts, emails, and refunds within 60 days. Finance handles
      refunds, disputes, payments and sales tax. Admins do everything, including staff and the audit
      log.
    </InvitePanel>
  )
}

/** One of the two forms about a member, as filled in, and what is wrong with its reason. */
export interface MemberForm {
  action: string | undefined
  role: string | undefined
  reason: string
  fault: string | undefined
}

/** A member of staff, with forms to change their role and to remove them. */
export function MemberPage(
  facts: StaffLayoutFacts & {
    member: StaffMember
    is_self: boolean
    filled: MemberForm
  },
): JSX.Element {
  const { member, note, csrf_token, filled } = facts
  const here = `/admin/staff/${member.id}/`
  const reasonOf = (action: 'role' | 'remove') => ({
    label: 'Reason',
    name: 'reason',
    id: `reason-${action}`,
    value: filled.action === action ? filled.reason : undefined,
    autocomplete: 'off' as const,
    maxlength: MAX_REASON_LENGTH,
    error: filled.action === action ? filled.fault : undefined,
  })
  return (
    <SiteLayout title={`${member.email} · Staff · Purser`} has_error={filled.fault !== undefined}>
      <RecordHeader
        current="staff"
        role={facts.role}
        title={member.email}
        back={{ label: 'Staff', href: '/admin/staff/' }}
      >
        {facts.is_self ? 'This is you.' : 'A member of staff.'}
      </RecordHeader>
      <NoteAlert note={note} />
      <DescriptionList
        items={[
          { term: 'Role', detail: STAFF_ROLE_LABELS[member.staff_role] },
          { term: 'Second factor', detail: member.has_factor ? 'On' : 'None yet' },
          {
            term: 'Last sign-in',
            detail: member.signed_in_at ? <Moment at={member.signed_in_at} /> : 'None',
          },
        ]}
      />
      <Panel title="Change role">
        <Form action={`${here}role`} csrf_token={csrf_token}>
          <SelectField
            label="Role"
            name="role"
            value={filled.role || member.staff_role}
            options={ROLE_OPTIONS}
          />
          <Field {...reasonOf('role')} />
          <Actions>
            <Button pending="One moment…">Change role</Button>
          </Actions>
        </Form>
      </Panel>
      <Panel title="Remove from staff">
        <p class="text-sm">
          Ends every session of this account and the access of its agents. The account itself and
          its purchases remain.
        </p>
        <Form action={`${here}remove`} csrf_token={csrf_token}>
          <Field {...reasonOf('remove')} />
          <Actions>
            <Button kind="danger" pending="One moment…">
              Remove from staff
            </Button>
          </Actions>
        </Form>
      </Panel>
    </SiteLayout>
  )
}
