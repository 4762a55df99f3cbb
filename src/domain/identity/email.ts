const LONGEST = 254
// One local part, one at sign, a domain with a dot; the mailbox itself proves the rest.
const SHAPE = /^[^\s@"(),:;<>[\\\]]{1,64}@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)+$/i

/** Reads an address somebody typed: `email` as they wrote it, `email_normalised` to find it by. */
export function readEmail(text: string): { email: string; email_normalised: string } | undefined {
  const email = text.trim()
  if (email.length > LONGEST || !SHAPE.test(email)) return undefined
  return { email, email_normalised: email.normalize('NFKC').toLowerCase() }
}
