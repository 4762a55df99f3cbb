/** The second factors of an account. */
export interface Factors {
  has_authenticator: boolean
  passkeys: number
  /** Recovery codes that are not used yet. */
  recovery_codes: number
}

/** Whether every sign-in to an account requires a second factor. */
export function owesFactor({ has_authenticator, passkeys }: Factors): boolean {
  return has_authenticator || passkeys > 0
}
