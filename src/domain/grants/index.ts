/**
 * Grants: what people let apps know about them by signing in, and agents do in their name.
 *
 * Knows the records of the sign-in protocol, consents, the agents that people allowed to manage
 * their apps, and the keys of hosted sign-in. Owns `oidc_records`, `consents`, `agent_grants` and
 * `oidc_keys`. Promises: what opens something is stored as a digest
 * only, a code is good once, a revoked grant takes every code and token of it along, whatever
 * happens at the same moment, a login's refresh tokens
 * are one family which reuse revokes, and a private id stays the same whichever keys come and go.
 * Spec: OpenID Connect, Sign-in rules.
 */
export { isFreshEnough, mayEnter } from './admission.ts'
export * from './agent.ts'
export * from './agents.ts'
export { type Bearer, findBearer, findHolder } from './bearers.ts'
export * from './consents.ts'
export * from './keys.ts'
export { LIFE, mayRefresh, REFRESH_OVERLAP, type RefreshUse, refreshLife } from './life.ts'
export * from './records.ts'
export { askedByApp, DEFAULT_SCOPES, type Scope } from './scope.ts'
export { arrange, type SigningKey } from './signing.ts'
export { subjectOf } from './subject.ts'
