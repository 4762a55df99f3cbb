import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import { sameDigest } from '#platform/secrets'

type Signer = Pick<World, 'keys' | 'clock'>

/** A text that the service can recognize as its own, for one purpose and so many seconds. */
export function signed(
  { keys, clock }: Signer,
  purpose: string,
  { value, seconds }: { value: string; seconds: number },
): string {
  const expires = Math.floor(addSeconds(clock.now(), seconds).getTime() / 1000)
  const body = Buffer.from(JSON.stringify([value, expires])).toString('base64url')
  return `${body}.${keys.hmac(purpose, body).toString('base64url')}`
}

/** The value that was signed, or undefined where the text is absent, altered or expired. */
export function readSigned(
  { keys, clock }: Signer,
  purpose: string,
  text: string | undefined,
): string | undefined {
  const [body = '', signature = ''] = (text ?? '').split('.')
  const given = Buffer.from(signature, 'base64url')
  if (!keys.hmacs(purpose, body).some((each) => sameDigest(each, given))) return undefined
  const [value, expires] = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
  return expires * 1000 > clock.now().getTime() ? value : undefined
}
