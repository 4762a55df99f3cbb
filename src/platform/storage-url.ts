/** A bucket of S3-compatible storage, and who may use it. */
export interface Bucket {
  /** The URL of the bucket, without a trailing slash. */
  url: string
  access_key_id: string
  secret_access_key: string
  region: string
}

const USUAL_REGION = 'us-east-1'

/**
 * Reads a bucket from `https://KEY_ID:SECRET@host/bucket?region=…`; undefined for any other text.
 * Plain http is accepted on this machine only, as the pictures would be readable on the way.
 */
export function readBucket(text: string): Bucket | undefined {
  const url = URL.parse(text)
  if (!url || !(url.protocol === 'https:' || isLocal(url))) return undefined
  const bucket = /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(url.pathname)?.[1]
  const access_key_id = decoded(url.username)
  const secret_access_key = decoded(url.password)
  if (!bucket || !access_key_id || !secret_access_key) return undefined
  const region = url.searchParams.get('region') ?? USUAL_REGION
  return { url: `${url.origin}/${bucket}`, access_key_id, secret_access_key, region }
}

function isLocal({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

/** A part of a URL without its escapes; empty for one that cannot be decoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
