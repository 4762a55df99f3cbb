/** The token endpoint of the double. */
import { credentialsOf, refuseCaller, refuseGrant } from './answers.ts'
import { ACCESS_SECONDS, type Grant, type Grants } from './grants.ts'
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
  const { app, name, grants } = facts
  const credentials = credentialsOf(request)
  if (credentials?.id !== app.client_id || credentials.secret !== app.client_secret) {
    return refuseCaller(
      `Basic realm="${name}"`,
      401,
      'invalid_client',
      'client authentication failed',
    )
  }
  const form = new URLSearchParams(await request.text())
  const refusal = refusalOf(form)
  if (refusal) return refusal
  const redeemed =
    form.get('grant_type') === 'authorization_code'
      ? await grants.redeem(form)
      : { grant: grants.rotate(form.get('refresh_token') ?? ''), nonce: null }
  if (!redeemed?.grant) return refuseGrant('invalid_grant', 'grant request is invalid')
  return await tokensOf(redeemed.grant, redeemed.nonce, facts)
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
