/**
 * Identity: who somebody is.
 *
 * Knows accounts, passwords, sessions and the links that prove a mailbox. Owns `users`, `sessions`
 * and `account_links`. Promises: secrets are kept as digests only, a link is used once, and an
 * account made at a checkout stays limited to its purchase until its mailbox is proven.
 * Spec: Hosted checkout and management links, Sign-in rules.
 */
export { readEmail } from './email.ts'
export * from './links.ts'
export { hashPassword, hasPassword, PASSWORD_MIN, passwordFault } from './password.ts'
export * from './sessions.ts'
export * from './users.ts'
