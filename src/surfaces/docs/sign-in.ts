import { authJsCode, SIGN_IN_SCOPE } from '#http/auth-js-code'

/** One way to connect a server to hosted sign-in, with its code. */
export interface Recipe {
  id: string
  name: string
  before: string
  label: string
  code: string
}

/** Integrations by library, from the least code to the most control. */
export function recipesOf(base_url: string): Recipe[] {
  const issuer = `${base_url}/o`
  return [
    {
      id: 'auth-js',
      name: 'Auth.js',
      before:
        'A provider of type oidc. Add https://your-app.example/auth/callback/purser to the redirect URLs.',
      label: 'auth.ts',
      code: authJsCode(`'${issuer}'`, 'process.env.PURSER_CLIENT_ID'),
    },
    {
      id: 'openid-client',
      name: 'openid-client, on any Node.js server',
      before:
        'Start a sign-in, store the three values in the browser session, and finish at the redirect.',
      label: 'sign-in.ts',
      code: `import * as oidc from 'openid-client'

const issuer = new URL('${issuer}')
const redirect_uri = 'https://your-app.example/callback'
const { PURSER_CLIENT_ID, PURSER_CLIENT_SECRET } = process.env
const purser = await oidc.discovery(issuer, PURSER_CLIENT_ID, PURSER_CLIENT_SECRET)

export async function begin() {
  const code_verifier = oidc.randomPKCECodeVerifier()
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()]
  const address = oidc.buildAuthorizationUrl(purser, {
    redirect_uri,
    scope: '${SIGN_IN_SCOPE}',
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
  })
  return { address, attempt: { state, nonce, code_verifier } }
}

export async function finish(arrived: URL, { state, nonce, code_verifier }) {
  const tokens = await oidc.authorizationCodeGrant(purser, arrived, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: code_verifier,
  })
  // Store your records under sub. It is the same at each sign-in and differs between apps.
  return { sub: tokens.claims().sub, tokens }
}`,
    },
  ]
}

/** Code that reads the entitlement of a signed-in person. */
export function planCode(base_url: string): string {
  return `const answer = await fetch('${base_url}/licensing/entitlement/', {
  headers: { authorization: \`Bearer \${access_token}\` },
})
if (answer.status === 401) {
  // The token expired or was revoked: refresh it, or ask the buyer to sign in again.
}
const { entitled, product_public_id, status, period_end } = await answer.json()`
}

/** Lifetimes and rate limits. */
export const LIMITS = [
  ['Authorization code', '60 seconds, single use'],
  ['Access token and ID token', '1 hour'],
  ['Refresh token', '30 days without use, 180 days in total. Each use returns a new one.'],
  ['Reading the plan', '60 requests a minute for each access token'],
] as const

/** Error responses of sign-in and entitlement, and what to do about them. */
export const ANSWERS: { answer: string; when: string; remedy: string }[] = [
  {
    answer: 'A page that says the address is not registered',
    when: 'redirect_uri is not in the list on your Integration page. It must match exactly.',
    remedy: 'Add the URL there. The port and trailing slash must match.',
  },
  {
    answer: 'access_denied',
    when: 'The buyer pressed Cancel.',
    remedy: 'Show your sign-in page again.',
  },
  {
    answer: 'invalid_grant',
    when: 'The code or refresh token has expired, was used before, or was revoked.',
    remedy: 'Start a new sign-in.',
  },
  {
    answer: '401 invalid_token',
    when: 'The access token has expired, or the buyer signed out.',
    remedy: 'Refresh it once. If that is refused too, start a new sign-in.',
  },
  {
    answer: '403 insufficient_scope',
    when: 'The sign-in did not request entitlements.',
    remedy: `Request the scope “${SIGN_IN_SCOPE}”.`,
  },
  {
    answer: '403 service_not_enabled',
    when: 'Hosted sign-in is off for your app.',
    remedy: 'Turn it on under Integration. Sign-in works without it. Reading the plan does not.',
  },
]
