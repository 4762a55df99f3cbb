/**
 * Identity: accounts and how their owners sign in.
 *
 * Knows accounts, passwords, second factors, sessions, sign-ups, changes of email, the links that
 * verify a mailbox, and the members of staff with their roles. Owns `users`, `sessions`,
 * `pending_sign_ins`, `account_links`, `authenticator_apps`, `passkeys`, `passkey_challenges`,
 * `recovery_codes`, `sign_ups`, `email_changes` and `staff_invitations`. Guarantees: secrets are
 * stored as digests or sealed; a link, a code and a challenge are used once; a sign-in that lacks a
 * second factor is not a session; and an account created at a checkout stays limited to its
 * purchase until its mailbox is verified. Spec: Hosted checkout and management links, Sign-in
 * rules.
 */
export * from './authenticator-apps.ts'
export * from './authenticator-code.ts'
export * from './deletions.ts'
export { DELETED_DOMAIN, readEmail, readEmailStart, SHORTEST_EMAIL_START } from './email.ts'
export * from './email-changes.ts'
export * from './factor.ts'
export * from './factors.ts'
export * from './imported.ts'
export * from './links.ts'
export * from './mirrored.ts'
export * from './passkey.ts'
export * from './passkeys.ts'
export { hashPassword, hasPassword, PASSWORD_MAX, PASSWORD_MIN, passwordFault } from './password.ts'
export * from './pending-sign-ins.ts'
export * from './recovery-code.ts'
export * from './recovery-codes.ts'
export { deleteExpired, EMAIL_CHANGE_SWEEP } from './retention.ts'
export * from './session.ts'
export * from './sessions.ts'
export * from './sign-ups.ts'
export * from './staff.ts'
export * from './staff-invitations.ts'
export * from './staff-role.ts'
export * from './test-mode-entries.ts'
export * from './users.ts'
