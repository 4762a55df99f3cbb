/** The user endpoint of the double. */
import { json, refuseCaller, refuseGrant } from './answers.ts'
import type { Grants } from './grants.ts'

/** The `sub` of the person of an access token; `name` is that of the issuer. */
export async function answerUser(
  request: Request,
  { name, grants }: { name: string; grants: Grants },
): Promise<Response> {
  const challenge = `Bearer realm="${name}"`
  const [, bearer] = /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  const form = new URLSearchParams(request.method === 'POST' ? await request.text() : '')
  const token = bearer ?? form.get('access_token')
  if (!token) {
    const headers = { 'www-authenticate': challenge }
    return refuseGrant('invalid_token', 'no access token provided', { status: 401, headers })
  }
  const grant = grants.of(token)
  if (!grant) return refuseCaller(challenge, 401, 'invalid_token', 'invalid token provided')
  if (!grant.scope.split(' ').includes('openid')) {
    const text = 'access token missing openid scope'
    return refuseCaller(challenge, 403, 'insufficient_scope', text, ', scope="openid"')
  }
  return json({ sub: grant.person.sub })
}
