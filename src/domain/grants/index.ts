/**
 * Grants: what people let apps know about them by signing in, and what agents may do for them.
 *
 * Knows the records of the sign-in protocol, consents, the agents that people allowed to manage
 * their apps, and the keys of hosted sign-in. Owns `oidc_records`, `consents`, `agent_grants` and
 * `oidc_keys`. Guarantees: codes and tokens are stored as digests only, a code is valid once, a
 * revoked grant revokes every code and token of it, also of concurrent requests, a login's refresh
 * tokens are one family that reuse revokes, and a private id stays the same when keys are rotated.
 * Spec: OpenID Connect, Sign-in rules.
 */
export { isRecentEnough, maySignInTo } from './admission.ts'
export * from './agent.ts'
export * from './agents.ts'
export { type Bearer, findBearer, findHolder } from './bearers.ts'
export * from './consents.ts'
export * from './keys.ts'
export { LIFETIMES, mayRefresh, type RefreshUse, refreshLifetime } from './lifetimes.ts'
export * from './records.ts'
export { DEFAULT_SCOPES, type Scope, scopesForApp } from './scope.ts'
export { orderKeys, type SigningKey } from './signing.ts'
export { subjectOf } from './subject.ts'
