/** The roles of a seller's members; each seller has one owner. */
export const MEMBER_ROLES = ['owner', 'admin', 'developer', 'finance', 'support'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

/** A role that a member is invited to: every one but the owner's. */
export type InvitedRole = Exclude<MemberRole, 'owner'>

/** Parses a role that a member can be invited to; undefined for any other text. */
export function readInvitedRole(text: string | undefined): InvitedRole | undefined {
  return MEMBER_ROLES.find((role): role is InvitedRole => role === text && role !== 'owner')
}

/** What a seller's member may do. */
export type SellerPermission =
  /** View apps, settings, sales, customers and licenses. */
  | 'view'
  /** Create and edit apps, plans, listings and integrations, and advance test clocks. */
  | 'edit_apps'
  /** Refund, answer disputes, and act on customers and licenses. */
  | 'support'
  /** Import customers from other services. */
  | 'move_data'
  /** Export everything that the seller has. */
  | 'export_all'
  /** View balances and statements, request payouts, and change the bank account. */
  | 'payouts'
  /** Invite and remove members, and change their roles. */
  | 'team'
  /** Change the seller's legal name and address, and accept the seller terms. */
  | 'account'
  /** Transfer apps to other sellers, and accept apps of theirs. */
  | 'transfer_apps'

const ALLOWED: Record<SellerPermission, readonly MemberRole[]> = {
  view: MEMBER_ROLES,
  edit_apps: ['owner', 'admin', 'developer'],
  support: ['owner', 'admin', 'finance', 'support'],
  move_data: ['owner', 'admin'],
  export_all: ['owner'],
  payouts: ['owner', 'admin', 'finance'],
  team: ['owner', 'admin'],
  account: ['owner', 'admin'],
  transfer_apps: ['owner'],
}

/** Whether a role includes a permission. */
export function isAllowed(role: MemberRole, permission: SellerPermission): boolean {
  return ALLOWED[permission].includes(role)
}

/** The roles that include a permission. */
export function rolesWith(permission: SellerPermission): readonly MemberRole[] {
  return ALLOWED[permission]
}
