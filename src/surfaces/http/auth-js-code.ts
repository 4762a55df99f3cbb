/** The scope of a sign-in that also reads the entitlement. */
export const SIGN_IN_SCOPE = 'openid entitlements'

/** `auth.ts` of a site that signs its users in through Auth.js; both arguments are source text. */
export function authJsCode(issuer: string, client_id: string): string {
  return `import NextAuth from 'next-auth'

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'purser',
      name: 'Purser',
      type: 'oidc',
      issuer: ${issuer},
      clientId: ${client_id},
      clientSecret: process.env.PURSER_CLIENT_SECRET,
      authorization: { params: { scope: '${SIGN_IN_SCOPE}' } },
      checks: ['pkce', 'state', 'nonce'],
    },
  ],
  callbacks: {
    // Keep the access token on the server: it reads the plan.
    jwt: ({ token, account }) =>
      account ? { ...token, sub: account.providerAccountId, access: account.access_token } : token,
  },
})`
}
