/** What an app may ask for: a private id of the person, and whether the person may use it. */
export type Scope = (typeof DEFAULT_SCOPES)[number]

/** Every scope, and what an app gets that names none (spec: Sign-in rules, 1). */
export const DEFAULT_SCOPES = ['openid', 'entitlements'] as const

// What libraries for signing in ask for unless they are told otherwise.
const COMMON = ['profile', 'email']

/**
 * What an app asks for by this `scope` parameter. One that is missing asks for the default, and so
 * does what a library asks for by itself: `openid` with `profile` or `email`. Unknown scopes are
 * ignored.
 */
export function askedByApp(scope: string | null): string[] {
  const named = (scope ?? '').split(' ').filter((each) => each !== '')
  if (named.length === 0) return [...DEFAULT_SCOPES]
  const isCommon = named.some((each) => COMMON.includes(each))
  const isLibrarys = named.every((each) => each === 'openid' || COMMON.includes(each))
  if (isCommon && isLibrarys && named.includes('openid')) return [...DEFAULT_SCOPES]
  return named
}
