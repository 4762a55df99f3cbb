import { authJsCode } from '#http/auth-js-code'
import {
  clientLicense,
  curlLicense,
  expressLicense,
  nextBuy,
  nextLicense,
} from './license-snippets.ts'
import { clientPlan, curlPlan, expressSignIn, nextPlan } from './sign-in-snippets.ts'
import { quoted, type SnippetFacts } from './snippet-facts.ts'

/** Code for one way to connect an app, with the app's own values. */
export interface Snippet {
  /** Its name in the address. */
  name: string
  label: string
  before: string
  files: { name: string; code: string }[]
}

/** How an app verifies purchases (spec: What the service does, 1). */
export type AppMode = 'license_keys' | 'hosted_sign_in'

/** The snippets of an app's mode. */
export function snippetsOf(mode: AppMode, facts: SnippetFacts): Snippet[] {
  const own = mode === 'license_keys' ? licenseSnippets(facts) : signInSnippets(facts)
  return [...own, pricingTable(facts)]
}

/** The web component: its link inside is for browsers without scripts. */
function pricingTable({ base_url, client_id, price_id }: SnippetFacts): Snippet {
  const link = price_id ? `\n  <a href="${base_url}/buy/${price_id}/">Buy</a>\n` : ''
  const code = `<script type="module" src="${base_url}/components/v1.js"></script>

<purser-pricing-table client-id="${client_id}">${link}</purser-pricing-table>`
  return {
    name: 'html',
    label: 'HTML',
    before: 'A pricing table with your live prices and buy links, in the styles of your page.',
    files: [{ name: 'index.html', code }],
  }
}

function licenseSnippets(facts: SnippetFacts): Snippet[] {
  const { pathname } = new URL(facts.oauth_login_url)
  const folder = pathname.replace(/^\/|\/$/g, '')
  return [
    {
      name: 'curl',
      label: 'curl',
      before: 'Exchange the order reference of a returning buyer for a key, and validate the key.',
      files: [{ name: 'Terminal', code: curlLicense(facts) }],
    },
    {
      name: 'typescript',
      label: 'TypeScript',
      before: 'Install @purser/client. It runs wherever fetch does.',
      files: [{ name: 'purser.ts', code: clientLicense(facts) }],
    },
    {
      name: 'express',
      label: 'Express',
      before: 'Install @purser/client. Link your Buy buttons to /buy/ and the ID of a price.',
      files: [{ name: 'server.ts', code: expressLicense(facts, pathname) }],
    },
    {
      name: 'next',
      label: 'Next.js',
      before:
        'Install @purser/client. Buyers go to the checkout by one route, and return to the other.',
      files: [
        { name: `app/${folder ? `${folder}/` : ''}route.ts`, code: nextLicense(facts) },
        { name: 'app/buy/[price]/route.ts', code: nextBuy(facts) },
      ],
    },
  ]
}

function signInSnippets(facts: SnippetFacts): Snippet[] {
  const redirect = facts.redirect_uri ?? new URL('/callback', facts.oauth_login_url).href
  const callback = new URL('/api/auth/callback/purser', facts.oauth_login_url).href
  const issuer = quoted(`${facts.base_url}/o`)
  return [
    {
      name: 'curl',
      label: 'curl',
      before: 'Read the plan of a signed-in buyer with their access token.',
      files: [{ name: 'Terminal', code: curlPlan(facts) }],
    },
    {
      name: 'typescript',
      label: 'TypeScript',
      before: 'Install @purser/client. Reading the plan needs no client secret.',
      files: [{ name: 'purser.ts', code: clientPlan(facts) }],
    },
    {
      name: 'express',
      label: 'Express',
      before: `Install openid-client and @purser/client. ${redirect} must be in your redirect URIs.`,
      files: [{ name: 'server.ts', code: expressSignIn({ ...facts, issuer, redirect }) }],
    },
    {
      name: 'auth-js',
      label: 'Auth.js',
      before: `Install next-auth. ${callback} must be in your redirect URIs.`,
      files: [
        { name: 'auth.ts', code: authJsCode(issuer, quoted(facts.client_id)) },
        {
          name: 'app/api/auth/[...nextauth]/route.ts',
          code: "import { handlers } from '@/auth'\n\nexport const { GET, POST } = handlers",
        },
      ],
    },
    {
      name: 'next',
      label: 'Next.js',
      before: 'Sign buyers in with Auth.js, and read the plan with the access token it keeps.',
      files: [{ name: 'app/api/plan/route.ts', code: nextPlan(facts) }],
    },
  ]
}
