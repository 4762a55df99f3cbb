import { domainToASCII } from 'node:url'
import { z } from 'zod'

/** The domain of the addresses of deleted accounts; no mailbox can exist there (RFC 2606). */
export const DELETED_DOMAIN = 'deleted.invalid'

const LONGEST = 254
const MAX_LOCAL_LENGTH = 64
// What browsers accept in an email field, with a domain of two labels or more.
const ADDRESS = z.email({ pattern: z.regexes.html5Email })
const HAS_TOP_LEVEL = /\.(?!\d+$)[a-z0-9-]{2,}$/
// Control characters, and characters that are invisible or reverse the text.
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/**
 * Parses an email as a person typed it: `email` keeps their spelling, `email_normalized` is the
 * lookup key. An international domain is normalized to its Punycode form.
 */
export function readEmail(text: string): { email: string; email_normalized: string } | undefined {
  const email = text.trim()
  const at = email.lastIndexOf('@')
  if (at < 1 || email.length > LONGEST || at > MAX_LOCAL_LENGTH || UNSEEN.test(email))
    return undefined
  const local = email.slice(0, at)
  const domain = domainToASCII(email.slice(at + 1))
  const isDotted = local.startsWith('.') || local.endsWith('.') || local.includes('..')
  if (isDotted || !HAS_TOP_LEVEL.test(domain) || domain === DELETED_DOMAIN) return undefined
  // Checked as typed: a full-width or Kelvin character names another mailbox than the ASCII one
  // that it normalizes to.
  const address = `${local}@${domain}`
  if (!ADDRESS.safeParse(address).success) return undefined
  return { email, email_normalized: address.toLowerCase() }
}

/** The characters of an email that a search by its beginning needs. */
export const SHORTEST_EMAIL_START = 3

/**
 * The beginning of an email as a person typed it, in the spelling of `email_normalized`; undefined
 * if it is too short, or nothing that an email begins with.
 */
export function readEmailStart(text: string): string | undefined {
  const email = readEmail(text)
  if (email) return email.email_normalized
  const start = text.trim().normalize('NFKC').toLowerCase()
  const isStart = start.length >= SHORTEST_EMAIL_START && start.length <= LONGEST
  return isStart && !UNSEEN.test(start) ? start : undefined
}
