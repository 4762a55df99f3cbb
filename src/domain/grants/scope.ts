/** What an app may ask for: a private id of the person, and whether the person may use it. */
export type Scope = (typeof DEFAULT_SCOPES)[number]

/** Every scope, and what an app gets that names none (spec: Sign-in rules, 1). */
export const DEFAULT_SCOPES = ['openid', 'entitlements'] as const
