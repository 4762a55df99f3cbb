/** One sign-in in progress: what the browser keeps, and what the response has to match. */
import { isResponseCode, type SignInCode, SignInError } from './errors.ts'
import type { Metadata } from './issuer.ts'
import { base64url, jsonOf } from './signed.ts'
import { string } from './transport.ts'

/** What a sign-in has to match when it ends; the browser keeps it. */
export type Login = {
  state: string
  nonce: string
  verifier: string
  redirect_uri: string
  return_to: string
  expires_at: number
}

/** The code of an authorization response that belongs to this sign-in. */
export function codeOf(
  query: URLSearchParams,
  login: Login,
  { issuer, names_itself }: Metadata,
): string {
  if (!isEqual(query.get('state') ?? '', login.state)) {
    throw failure('state_mismatch', 'This browser did not begin this sign-in.')
  }
  const iss = query.get('iss')
  if (iss === null ? names_itself : iss !== issuer) {
    throw failure('issuer_mismatch', 'The response is from another issuer.')
  }
  if (login.expires_at < Date.now()) {
    throw failure('login_expired', 'This sign-in began more than an hour ago.')
  }
  const error = query.get('error')
  // Visitors can edit the address, and the types promise what only a response has.
  if (error && !isResponseCode(error)) {
    const message = query.get('error_description') ?? `Sign-in ended: ${error}.`
    throw new SignInError(message, { code: error })
  }
  const code = query.get('code')
  if (error || !code) throw failure('invalid_response', 'The response has no code.')
  return code
}

/** An error of the sign-in that no response of the service names. */
export function failure(code: SignInCode, message: string): SignInError {
  return new SignInError(message, { code })
}

/** 256 random bits. */
export function random(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

/** Compares in a time that does not depend on where the texts differ. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < other.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}

/**
 * True for a path of the same site; `//` and `/\` begin the address of another one, also with tabs
 * and line breaks in between, which browsers drop.
 */
export function isPath(text: string): boolean {
  return /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(text) && URL.canParse(text, 'http://localhost')
}

export function encodeLogin(login: Login): string {
  return base64url(new TextEncoder().encode(JSON.stringify(login)))
}

export function decodeLogin(text: string | undefined): Login | null {
  try {
    const login: unknown = jsonOf(text ?? '')
    return isLogin(login) ? login : null
  } catch {
    return null
  }
}

function isLogin(value: unknown): value is Login {
  const { state, nonce, verifier, redirect_uri, return_to, expires_at } = Object(value)
  const texts = [state, nonce, verifier, redirect_uri, return_to]
  return (
    texts.every((each) => string(each) !== null) &&
    isPath(return_to) &&
    URL.canParse(redirect_uri) &&
    typeof expires_at === 'number'
  )
}
