import type { MemberRole, SellerPermission } from '#domain/sellers'
import type { AppId, MemberInvitationId, SellerId, UserId } from '#platform/ids'

/** A person whom sellers invite. */
export interface Colleague {
  user_id: UserId
  email: string
  email_normalized: string
}

/** A secret by which a person is known, and when they got it. */
export interface KnownSecret {
  token: string
  at: Date
}

/** The role of an account in a seller; `none` of an account that is not its member. */
export type TeamRole = MemberRole | 'none'

/** What a person asked for that changes a team. */
export interface TeamStep {
  /** How the audit log names it. */
  action: string
  by: UserId
  seller_id: SellerId
  /** The account, the email or the invitation that it is about. */
  about: string
  at: Date
  /** When it can no longer have an effect; undefined until then. */
  until?: Date
  outcome: string
  /** Undefined if its answer was lost, or does not say so. */
  is_made?: boolean
}

/** An invitation, with its ID once it was answered. */
export interface RecordedInvitation {
  id?: MemberInvitationId
  seller_id: SellerId
  /** Who is invited. */
  user_id: UserId
  role: MemberRole
  sent: TeamStep
  answers: TeamStep[]
}

/** A request for which a member needs a permission. */
export interface RecordedAccess {
  user_id: UserId
  seller_id: SellerId
  permission: SellerPermission
  /** A form of the seller, a form or a page of its app, or a tool of the agent endpoint. */
  way: 'form' | 'app_form' | 'app_page' | 'tool'
  app_id: AppId | undefined
  /** Whether it would change something, which no member of a suspended seller may. */
  is_change: boolean
  at: Date
  until?: Date
  outcome: 'allowed' | 'refused' | 'unknown'
}
