/** What an app may request: a private id of the person, and whether the person may use it. */
export type Scope = (typeof DEFAULT_SCOPES)[number]

/** Every scope, and the default of an app that names none (spec: Sign-in rules, 1). */
export const DEFAULT_SCOPES = ['openid', 'entitlements'] as const

// What sign-in libraries request by default, and all that they combine with it.
const COMMON = ['profile', 'email']
const LIBRARY_SCOPES = ['openid', 'offline_access', ...COMMON]

/** The characters of a scope (RFC 6749, 3.3). */
const WELL_FORMED = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * The scopes that an app requests by this `scope` parameter. A missing one means the default, as
 * does a common library default: `openid` with `profile` or `email`, and perhaps
 * `offline_access`. Unknown scopes are ignored: a request of nothing else is one of the default. A
 * malformed one stays, to be refused.
 */
export function scopesForApp(scope: string | null): string[] {
  const named = (scope ?? '').split(' ').filter((each) => each !== '')
  const isUnknown = (each: string) => !DEFAULT_SCOPES.some((scope) => scope === each)
  if (named.every((each) => isUnknown(each) && WELL_FORMED.test(each))) return [...DEFAULT_SCOPES]
  const isCommon = named.some((each) => COMMON.includes(each))
  const isLibraryDefault = named.every((each) => LIBRARY_SCOPES.includes(each))
  if (isCommon && isLibraryDefault && named.includes('openid')) return [...DEFAULT_SCOPES]
  return named
}
