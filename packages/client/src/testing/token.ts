/** The token endpoint of the double. */
import { credentialsOf, refuseCaller, refuseGrant } from './answers.ts'
import { formOf, notForm } from './faults.ts'
import { ACCESS_SECONDS, type Grant, type Grants } from './grants.ts'
import { refusePage } from './pages.ts'
import type { Signer } from './signer.ts'

/** What the endpoint knows; `name` is that of the issuer. */
type TokenFacts = {
  app: { client_id: string; client_secret: string }
  name: string
  grants: Grants
  signer: Signer
}

/** The parameters of each grant. */
const REQUIRED = new Map([
  ['authorization_code', ['code', 'redirect_uri']],
  ['refresh_token', ['refresh_token']],
])

/** Exchanges a code or a refresh token for tokens. */
export async function answerToken(request: Request, facts: TokenFacts): Promise<Response> {
  const { grants } = facts
  const form = await formOf(request)
  if (!form) return refuseGrant('invalid_request', notForm('/token'))
  const refusal = clientRefusal(request, form, facts) ?? refusalOf(form)
  if (refusal) return refusal
  const redeemed =
    form.get('grant_type') === 'authorization_code'
      ? await grants.redeem(form)
      : { grant: grants.rotate(form.get('refresh_token') ?? ''), nonce: null }
  if (!redeemed?.grant) return refuseGrant('invalid_grant', 'grant request is invalid')
  return await tokensOf(redeemed.grant, redeemed.nonce, facts)
}

/** The refusal of another client. The secret is in a header or in the form, and not in both. */
function clientRefusal(request: Request, form: URLSearchParams, { app, name }: TokenFacts) {
  const header = credentialsOf(request)
  const [id, secret] = [form.get('client_id'), form.get('client_secret')]
  if (!header && !id) {
    return refuseGrant('invalid_request', 'no client authentication mechanism provided')
  }
  if (header && secret) {
    const fault = 'client authentication must only be provided using one mechanism'
    return refuseGrant('invalid_request', fault)
  }
  if (header && id && header.id !== id) return refuseGrant('invalid_request', 'client_id mismatch')
  const given = header ?? { id, secret }
  if (given.id === app.client_id) refusePage(request, app.client_id)
  if (given.id === app.client_id && given.secret === app.client_secret) return undefined
  const [error, text] = ['invalid_client', 'client authentication failed'] as const
  if (header) return refuseCaller(`Basic realm="${name}"`, 401, error, text)
  return refuseGrant(error, text, { status: 401 })
}

/** The refusal of a form with an unknown grant, or without its parameters. */
function refusalOf(form: URLSearchParams): Response | undefined {
  const grant_type = form.get('grant_type')
  const required = REQUIRED.get(grant_type ?? '')
  if (grant_type && !required) {
    return refuseGrant('unsupported_grant_type', 'unsupported grant_type requested')
  }
  const missing = (required ?? ['grant_type']).filter((parameter) => !form.get(parameter))
  if (missing.length === 0) return undefined
  const named = missing.map((parameter) => `'${parameter}'`).join(' and ')
  const noun = `parameter${missing.length > 1 ? 's' : ''}`
  return refuseGrant('invalid_request', `missing required ${noun} ${named}`)
}

async function tokensOf(
  grant: Grant,
  nonce: string | null,
  { app, name, grants, signer }: TokenFacts,
): Promise<Response> {
  const { person, scope } = grant
  const claims = { iss: name, aud: app.client_id, sub: person.sub, ...(nonce && { nonce }) }
  const id_token = await signer.sign(claims, ACCESS_SECONDS)
  const lasting = { token_type: 'Bearer', expires_in: ACCESS_SECONDS, scope, id_token }
  return Response.json({ ...lasting, ...grants.issue(grant) })
}
