import type { StaffRole } from '#domain/identity'

/** The roles of staff in words. */
export const STAFF_ROLE_LABELS: Record<StaffRole, string> = {
  support: 'Support',
  finance: 'Finance',
  admin: 'Admin',
}
