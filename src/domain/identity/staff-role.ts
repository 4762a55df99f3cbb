/** The roles of staff. An admin may do what the others may. */
export const STAFF_ROLES = ['support', 'finance', 'admin'] as const

export type StaffRole = (typeof STAFF_ROLES)[number]

/**
 * The permissions of staff, and the roles that have them besides admin (decision 86). Each route of
 * the admin area names one.
 */
const PERMITTED = {
  /** The home of the admin area: what needs attention. */
  home: ['support', 'finance'],
  /** Sellers and apps: lists, figures and details. */
  sellers: ['support', 'finance'],
  /** Viewing a seller's pages. */
  viewing: ['support'],
  /** The list of cases, the search, and alarms. */
  cases: ['support', 'finance'],
  /** An invoice with its refunds, disputes and ledger entries. */
  sales: ['support', 'finance'],
  /** Refunds; support within the days that a seller has. */
  refunds: ['support', 'finance'],
  /** Suspending and reinstating a license. */
  licenses: ['support'],
  /** Unlocking an account, and signing it out. */
  accounts: ['support'],
  emails: ['support'],
  /** Evidence in disputes. */
  disputes: ['finance'],
  /** Payment attempts without an answer, and amounts owed by or to the service. */
  payments: ['finance'],
  /** Payouts, and pausing those of a seller. */
  payouts: ['finance'],
  taxes: ['finance'],
  /** The check of the ledger, and events of the processor that were missed. */
  checks: ['finance'],
  /** Requests for approval. */
  approvals: [],
  /** Suspending sellers and apps. */
  suspensions: [],
  /** The members of staff and their roles. */
  staff: [],
  audit: [],
  jobs: [],
} as const satisfies Record<string, readonly StaffRole[]>

/** What a member of staff may be permitted to do. */
export type StaffPermission = keyof typeof PERMITTED

/** The roles with a permission. */
export function rolesWith(permission: StaffPermission): StaffRole[] {
  return [...PERMITTED[permission], 'admin']
}

/** Whether a role has a permission. */
export function isPermitted(role: StaffRole, permission: StaffPermission): boolean {
  return rolesWith(permission).includes(role)
}

/** Whether a role may sign an account out of everything; signing out staff takes an admin. */
export function maySignOut(role: StaffRole, account: { staff_role: StaffRole | null }): boolean {
  return isPermitted(role, account.staff_role === null ? 'accounts' : 'staff')
}

/** A text from outside as a role; undefined if it is none. */
export function readStaffRole(text: string | undefined): StaffRole | undefined {
  return STAFF_ROLES.find((role) => role === text)
}
