import { SIGN_IN_SCOPE } from '#http/auth-js-code'
import { quoted, type SnippetFacts } from './snippet-facts.ts'

/** An Express server that signs buyers in; `issuer` is source text. */
export function expressSignIn(facts: SnippetFacts & { issuer: string; redirect: string }): string {
  const { base_url, client_id, issuer, redirect } = facts
  const { pathname: login } = new URL(facts.oauth_login_url)
  // The library refuses http, which the service speaks in development only.
  const insecure = base_url.startsWith('http:')
    ? ', undefined, {\n    execute: [oidc.allowInsecureRequests],\n  }'
    : ''
  return `import { createClient } from '@purser/client'
import express, { type NextFunction, type Request, type Response } from 'express'
import * as oidc from 'openid-client'

const client_id = ${quoted(client_id)}
const redirect_uri = ${quoted(redirect)}
const issuer = new URL(${issuer})
const purser = createClient({ base_url: ${quoted(base_url)}, client_id })
const secret = process.env.PURSER_CLIENT_SECRET

let discovered: Promise<oidc.Configuration> | undefined

// Read at the first sign-in: the site also starts while Purser is down.
function discover() {
  discovered ??= oidc.discovery(issuer, client_id, secret${insecure})
  // The next sign-in tries again.
  discovered.catch(() => {
    discovered = undefined
  })
  return discovered
}

// A link, because in a browser that blocks cookies, redirects would never end.
const again = ${quoted(`<a href="${login}">Sign in again</a>`)}
const cookie = { httpOnly: true, secure: true, sameSite: 'lax', maxAge: 600_000 } as const

export const app = express()

// The Login URL: starts a sign-in, which this browser alone can finish.
app.get(${quoted(login)}, async (_request, response) => {
  const [state, nonce, verifier] = [
    oidc.randomState(),
    oidc.randomNonce(),
    oidc.randomPKCECodeVerifier(),
  ]
  response.cookie('sign_in', \`\${state}.\${nonce}.\${verifier}\`, cookie)
  const parameters = {
    redirect_uri,
    scope: '${SIGN_IN_SCOPE}',
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  response.redirect(oidc.buildAuthorizationUrl(await discover(), parameters).href)
})

// The redirect URI: finishes it, and reads the plan.
app.get(new URL(redirect_uri).pathname, async (request, response) => {
  const [, started = ''] = /(?:^|; )sign_in=([\\w.-]+)/.exec(request.headers.cookie ?? '') ?? []
  const [expectedState = '', expectedNonce = '', pkceCodeVerifier = ''] = started.split('.')
  response.clearCookie('sign_in', cookie)
  // The buyer canceled.
  if (request.query.error === 'access_denied') return response.redirect('/')
  // Another browser began this sign-in, or this page was reloaded.
  if (!started || request.query.state !== expectedState) return response.status(400).send(again)
  const arrived = new URL(request.originalUrl, redirect_uri)
  const checks = { expectedState, expectedNonce, pkceCodeVerifier }
  try {
    const tokens = await oidc.authorizationCodeGrant(await discover(), arrived, checks)
    const plan = await purser.entitlement(tokens.access_token)
    // Keep your records under sub, and the tokens on your server.
    response.json({ sub: tokens.claims()?.sub, plan })
  } catch (error) {
    // The code was older than a minute.
    const isLate = error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant'
    if (!isLate) throw error
    response.status(400).send(again)
  }
})

app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
  // Such as a wrong client secret, which the visitor can do nothing about.
  console.error(error)
  response.status(502).send(\`The sign-in failed. \${again}\`)
})`
}

/** A route handler that reads the plan with the access token that Auth.js keeps. */
export function nextPlan({ base_url, client_id }: SnippetFacts): string {
  return `import { createClient, isPurserError } from '@purser/client'
import { getToken } from 'next-auth/jwt'

const purser = createClient({ base_url: ${quoted(base_url)}, client_id: ${quoted(client_id)} })

/** The plan of the signed-in buyer; 401 without a buyer, and after an hour: sign in again. */
export async function GET(request: Request): Promise<Response> {
  // Auth.js names its cookie with a prefix over https.
  const secureCookie = request.headers.get('cookie')?.includes('__Secure-authjs.') ?? false
  const secret = process.env.AUTH_SECRET
  const token = await getToken({ req: request, secret, secureCookie })
  const signedOut = Response.json({ entitled: false }, { status: 401 })
  if (typeof token?.access !== 'string') return signedOut
  try {
    const { entitled, product_public_id } = await purser.entitlement(token.access)
    return Response.json({ entitled, product_public_id })
  } catch (error) {
    if (isPurserError(error, 'invalid_token')) return signedOut
    throw error
  }
}`
}

/** Reads the plan, for a shell. */
export function curlPlan({ base_url }: SnippetFacts): string {
  return `# The access token of a signed-in buyer: what they may use.
curl -sS -H "authorization: Bearer $ACCESS_TOKEN" \\
  ${base_url}/licensing/entitlement/`
}

/** A module that reads the plan. */
export function clientPlan({ base_url, client_id }: SnippetFacts): string {
  return `import { createClient, type Entitlement, PurserError } from '@purser/client'

const purser = createClient({
  base_url: ${quoted(base_url)},
  client_id: ${quoted(client_id)},
})

/** The plan of a signed-in buyer; null if the token expired: refresh it, or sign in again. */
export async function planOf(access_token: string): Promise<Entitlement | null> {
  try {
    return await purser.entitlement(access_token)
  } catch (error) {
    if (error instanceof PurserError && error.code === 'invalid_token') return null
    throw error
  }
}`
}
