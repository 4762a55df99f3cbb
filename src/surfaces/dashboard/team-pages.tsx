import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Badge, NoteAlert } from '#design/feedback'
import { Form, SelectField } from '#design/forms'
import { InvitePanel } from '#design/invite'
import { SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { PageHeader } from '#design/page-header'
import { DescriptionList, EmptyState, Heading, Panel } from '#design/panels'
import { RecordRows, recordDescription } from '#design/records'
import type { InvitedRole, Member, MemberInvitation, MemberRole } from '#domain/sellers'
import type { ActionNote } from '#http/action-note'
import { SellerMenuPage, type SellerReader } from './seller-menu.tsx'

const LABELS: Record<MemberRole, string> = {
  owner: 'Owner',
  admin: 'Admin',
  developer: 'Developer',
  finance: 'Finance',
  support: 'Support',
}

const ROLE_OPTIONS: { value: InvitedRole; label: string }[] = [
  { value: 'admin', label: LABELS.admin },
  { value: 'developer', label: LABELS.developer },
  { value: 'finance', label: LABELS.finance },
  { value: 'support', label: LABELS.support },
]

interface TeamFacts {
  csrf_token: string
  legal_name: string
  note: ActionNote | undefined
}

/** The members of a seller and its open invitations, with a form to invite. */
export function TeamPage(
  facts: TeamFacts &
    SellerReader & {
      members: Member[]
      invitations: MemberInvitation[]
      /** Whether the reader may change the team. */
      can_edit: boolean
      form: { email: string; role: string }
      fault: string | undefined
    },
): JSX.Element {
  const { note, members, can_edit } = facts
  return (
    <SellerMenuPage
      {...facts}
      current="team"
      title="Team"
      intro={`The members of ${facts.legal_name} and their roles.`}
      has_error={facts.fault !== undefined}
    >
      <NoteAlert note={note} />
      <Panel title="Members">
        <RecordRows
          records={members.map(({ user_id, email, role, created_at }) => ({
            key: user_id,
            title: email,
            aside: <Badge>{LABELS[role]}</Badge>,
            details: [
              <>
                Since <Day date={created_at} />
              </>,
            ],
            link: { label: 'Manage', href: `/dashboard/team/${user_id}/` },
          }))}
        />
      </Panel>
      {can_edit && <Invitations {...facts} />}
      {can_edit && <Invite {...facts} />}
    </SellerMenuPage>
  )
}

function Invitations(facts: {
  invitations: MemberInvitation[]
  csrf_token: string
}): JSX.Element | null {
  if (facts.invitations.length === 0) return null
  return (
    <Panel title="Invitations">
      <RecordRows
        records={facts.invitations.map(({ id, email, role, inviter, expires_at }) => ({
          key: id,
          title: email,
          aside: <Badge>{LABELS[role]}</Badge>,
          details: [
            `Invited by ${inviter}`,
            <>
              Expires <Day date={expires_at} />
            </>,
          ],
          action: (
            <Form action="/dashboard/team/withdraw" csrf_token={facts.csrf_token}>
              <input type="hidden" name="invitation_id" value={id} />
              <Button pending="One moment…" describedby={recordDescription(id)}>
                Withdraw
              </Button>
            </Form>
          ),
        }))}
      />
    </Panel>
  )
}

function Invite(facts: {
  csrf_token: string
  form: { email: string; role: string }
  fault: string | undefined
}): JSX.Element {
  return (
    <InvitePanel
      {...facts}
      title="Invite a member"
      action="/dashboard/team/invite"
      roles={ROLE_OPTIONS}
      usual_role="developer"
    >
      Everyone can see apps and sales. Admins can do everything that the owner can, except transfer
      apps or ownership and export all data. Developers can edit apps, plans and integrations.
      Finance can issue refunds, respond to disputes and manage payouts. Support can issue refunds
      and respond to disputes.
    </InvitePanel>
  )
}

/** A member of the team, with what the reader may change. */
export function TeamMemberPage(
  facts: TeamFacts & {
    member: Member
    /** The role in the form, as it was chosen before its sender authenticated again. */
    chosen_role: MemberRole
    is_self: boolean
    can_edit: boolean
    /** Whether the reader is the owner, who may pass ownership on. */
    is_owner: boolean
  },
): JSX.Element {
  const { member, note, is_self, can_edit, is_owner } = facts
  const isOwners = member.role === 'owner'
  return (
    <SiteLayout title={`${member.email} · Team · Purser`}>
      <PageHeader title={member.email} back={{ label: 'Team', href: '/dashboard/team/' }}>
        {is_self ? 'This is you.' : 'A member of the team.'}
      </PageHeader>
      <NoteAlert note={note} />
      <DescriptionList
        items={[
          { term: 'Seller', detail: facts.legal_name },
          { term: 'Role', detail: LABELS[member.role] },
          { term: 'Since', detail: <Day date={member.created_at} /> },
        ]}
      />
      {isOwners && (
        <EmptyState title="The owner’s role does not change here">
          To transfer ownership, the owner opens the page of another member.
        </EmptyState>
      )}
      {!isOwners && can_edit && <ChangeRole {...facts} />}
      {!isOwners && is_owner && <Transfer {...facts} />}
      {!isOwners && (can_edit || is_self) && <Remove {...facts} />}
    </SiteLayout>
  )
}

function ChangeRole(facts: { member: Member; chosen_role: MemberRole; csrf_token: string }) {
  const { member, csrf_token } = facts
  return (
    <Panel title="Role">
      <Form action={`/dashboard/team/${member.user_id}/role`} csrf_token={csrf_token}>
        <SelectField label="Role" name="role" value={facts.chosen_role} options={ROLE_OPTIONS} />
        <Actions>
          <Button kind="primary" pending="Saving…">
            Save
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function Transfer(facts: { member: Member; csrf_token: string; legal_name: string }) {
  const { member, csrf_token, legal_name } = facts
  return (
    <Panel title="Ownership">
      <p class="text-sm text-muted">
        {member.email} becomes the owner of {legal_name}, and you become an admin.
      </p>
      <Form action={`/dashboard/team/${member.user_id}/transfer`} csrf_token={csrf_token}>
        <Actions>
          <Button pending="One moment…">Transfer ownership</Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function Remove({
  member,
  csrf_token,
  is_self,
}: {
  member: Member
  csrf_token: string
  is_self: boolean
}) {
  return (
    <Panel title={is_self ? 'Leave' : 'Remove'}>
      <p class="text-sm text-muted">
        {is_self ? 'You lose' : `${member.email} loses`} access to all apps of this seller, and
        agents that act for the account do too. Previews end.
      </p>
      <Form action={`/dashboard/team/${member.user_id}/remove`} csrf_token={csrf_token}>
        <Actions>
          <Button kind="danger" pending="One moment…">
            {is_self ? 'Leave the team' : 'Remove from the team'}
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

/** The invitations to the email of the signed-in account. */
export function InvitationsPage(facts: {
  csrf_token: string
  email: string
  invitations: MemberInvitation[]
}): JSX.Element {
  const { invitations, csrf_token, email } = facts
  return (
    <SiteLayout title="Invitations · Purser">
      <Heading title="Invitations">Sellers that invited {email} to their team.</Heading>
      {invitations.length === 0 ? (
        <EmptyState title="No invitations">
          An invitation is for one email address. If you have another account, sign in to it.
        </EmptyState>
      ) : (
        <Panel>
          <RecordRows
            records={invitations.map(({ id, legal_name, role, inviter }) => ({
              key: id,
              title: legal_name,
              aside: <Badge>{LABELS[role]}</Badge>,
              details: [`Invited by ${inviter}`],
              action: (
                <Form action="/dashboard/invitations/accept" csrf_token={csrf_token}>
                  <input type="hidden" name="invitation_id" value={id} />
                  <Button kind="primary" pending="One moment…" describedby={recordDescription(id)}>
                    Join
                  </Button>
                </Form>
              ),
            }))}
          />
        </Panel>
      )}
    </SiteLayout>
  )
}
