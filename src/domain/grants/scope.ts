/** What an app may request: a private id of the person, and whether the person may use it. */
export type Scope = (typeof DEFAULT_SCOPES)[number]

/** Every scope, and the default of an app that names none (spec: Sign-in rules, 1). */
export const DEFAULT_SCOPES = ['openid', 'entitlements'] as const

// The scopes that sign-in libraries request by default.
const COMMON = ['profile', 'email']

/**
 * The scopes that an app requests by this `scope` parameter. A missing one means the default, as
 * does a common library default: `openid` with `profile` or `email`. Unknown scopes are ignored.
 */
export function scopesForApp(scope: string | null): string[] {
  const named = (scope ?? '').split(' ').filter((each) => each !== '')
  if (named.length === 0) return [...DEFAULT_SCOPES]
  const isCommon = named.some((each) => COMMON.includes(each))
  const isLibrarys = named.every((each) => each === 'openid' || COMMON.includes(each))
  if (isCommon && isLibrarys && named.includes('openid')) return [...DEFAULT_SCOPES]
  return named
}
