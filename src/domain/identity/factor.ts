/** What an account proves itself with beside its password or mailbox. */
export interface Factors {
  has_authenticator: boolean
  passkeys: number
  /** Recovery codes that are still good. */
  recovery_codes: number
}

/** Whether every way into an account asks for more than a password or a mailbox. */
export function owesFactor({ has_authenticator, passkeys }: Factors): boolean {
  return has_authenticator || passkeys > 0
}
