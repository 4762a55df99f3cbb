/** The user endpoint of the double. */
import { json, refuseCaller, refuseGrant } from './answers.ts'
import { formOf, notForm } from './faults.ts'
import type { Grants } from './grants.ts'
import { refusePage } from './pages.ts'

/** The `sub` of the person of an access token; `name` is that of the issuer. */
export async function answerUser(
  request: Request,
  { app, name, grants }: { app: { client_id: string }; name: string; grants: Grants },
): Promise<Response> {
  const challenge = `Bearer realm="${name}"`
  const form = await formOf(request)
  const header = request.headers.get('authorization')
  const fault = form ? faultOf(request, form, header) : notForm('/me')
  if (fault) return refuseCaller(challenge, 400, 'invalid_request', fault)
  const token = header?.split(' ')[1] ?? form?.get('access_token')
  if (!token) {
    const headers = { 'www-authenticate': challenge }
    return refuseGrant('invalid_token', 'no access token provided', { status: 401, headers })
  }
  const grant = grants.of(token)
  if (!grant) return refuseCaller(challenge, 401, 'invalid_token', 'invalid token provided')
  refusePage(request, app.client_id)
  if (!grant.scope.split(' ').includes('openid')) {
    const text = 'access token missing openid scope'
    return refuseCaller(challenge, 403, 'insufficient_scope', text, ', scope="openid"')
  }
  return json({ sub: grant.person.sub })
}

/** What is wrong with how a request sends its token (RFC 6750, section 2). */
function faultOf(request: Request, form: URLSearchParams, header: string | null) {
  const query = new URL(request.url).searchParams
  const parameters = request.method === 'POST' ? form : query
  if (parameters.getAll('access_token').length > 1) {
    return "'access_token' parameter must not be provided twice"
  }
  const inQuery = query.get('access_token')
  const sent = [form.get('access_token'), header, inQuery].filter(Boolean)
  if (sent.length > 1) return 'access token must only be provided using one mechanism'
  if (inQuery) return 'access tokens must not be provided via query parameter'
  if (!header) return undefined
  const [scheme = '', ...values] = header.split(' ')
  if (values.length !== 1) return 'invalid authorization header value format'
  if (!/^bearer$/i.test(scheme)) return 'authorization header scheme must be `Bearer`'
  return undefined
}
