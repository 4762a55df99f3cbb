import fresh from 'fresh'
import { sha256 } from '#platform/secrets'
import type { ServedRequest } from '#platform/served-request'

/** A short digest of some content, for a URL or an entity tag. */
function tagOf(content: string | Buffer): string {
  return sha256(content).toString('base64url').slice(0, 22)
}

/** The entity tag of some content. */
export function etagOf(content: string): string {
  return `"${tagOf(content)}"`
}

/** The entity tag of content that is also sent compressed, in other bytes (RFC 9110, 8.8.3). */
export function weakEtagOf(content: string): string {
  return `W/${etagOf(content)}`
}

/** Whether the caller already has this version, according to `If-None-Match` (RFC 9110, 13.1.2). */
export function isCurrent({ headers }: ServedRequest, etag: string): boolean {
  return fresh(headers, { etag })
}
