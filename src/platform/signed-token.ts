import type { z } from 'zod'
import { addSeconds } from '#platform/calendar'
import type { Clock } from '#platform/clock'
import type { KeyRing } from '#platform/secrets'

/** A kind of token: what it is for, for how many seconds it is valid, and what it carries. */
export interface TokenKind<Facts> {
  /** No two kinds share it: a token of one is not accepted as another. */
  purpose: string
  seconds: number
  facts: z.ZodType<Facts>
}

interface Signer {
  keys: KeyRing
  clock: Clock
}

/**
 * Signs facts that leave the service and return: in a link, a form, a cookie. Anyone can read
 * them; only the service can make them. Valid from `at` (now, unless given) and only for the same
 * `about`.
 */
export function signToken<Facts>(
  { keys, clock }: Signer,
  { purpose, seconds }: TokenKind<Facts>,
  facts: Facts,
  { about = '', at = clock.now() }: { about?: string; at?: Date } = {},
): string {
  const expires = Math.floor(addSeconds(at, seconds).getTime() / 1000)
  const body = Buffer.from(JSON.stringify([facts, expires])).toString('base64url')
  return `${body}.${keys.hmac(purpose, signedText(about, body)).toString('base64url')}`
}

/** The facts of a token; undefined if it is absent, altered, expired or about something else. */
export function readToken<Facts>(
  { keys, clock }: Signer,
  { purpose, facts }: TokenKind<Facts>,
  token: string | undefined,
  { about = '' }: { about?: string } = {},
): Facts | undefined {
  const [, body = '', signature = ''] = /^([\w-]+)\.([\w-]+)$/.exec(token ?? '') ?? []
  const given = Buffer.from(signature, 'base64url')
  // The same bytes have several spellings in base64; only the one that was issued is valid.
  if (given.toString('base64url') !== signature) return undefined
  if (!keys.verify(purpose, signedText(about, body), given)) return undefined
  const [signed, expires]: [unknown, number] = JSON.parse(
    Buffer.from(body, 'base64url').toString('utf8'),
  )
  if (expires * 1000 <= clock.now().getTime()) return undefined
  // A token of an earlier release may carry other facts.
  return facts.safeParse(signed).data
}

// The body has no period, so the last one separates the two.
function signedText(about: string, body: string): string {
  return `${about}.${body}`
}
