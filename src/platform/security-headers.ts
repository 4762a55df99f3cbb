import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet, { type HelmetOptions } from 'helmet'

/** Sources by directive of a content security policy. */
export type PolicyDirectives = Record<string, readonly string[]>

const TWO_YEARS_SECONDS = 63_072_000
/** By default an answer can load nothing, lead nowhere and be framed nowhere. Pages allow more. */
const NOTHING: PolicyDirectives = {
  'default-src': ["'none'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
}
/** Headers that change only how a browser shows a page; other answers do without them. */
const OF_PAGES = {
  crossOriginOpenerPolicy: true,
  originAgentCluster: true,
  xDnsPrefetchControl: true,
  xDownloadOptions: true,
  xFrameOptions: { action: 'deny' },
  xPermittedCrossDomainPolicies: true,
  xXssProtection: true,
} as const satisfies HelmetOptions
/** The headers of every answer: `answerHeaders` switches each of them on. */
const OF_ANSWERS = {
  contentSecurityPolicy: false,
  crossOriginResourcePolicy: false,
  referrerPolicy: false,
  strictTransportSecurity: false,
  xContentTypeOptions: false,
} as const satisfies HelmetOptions

/** The security headers of every answer; `secure` if the service's URL is https. */
export function answerHeaders(secure: boolean): Record<string, string> {
  const none = Object.keys(OF_PAGES).map((name) => [name, false])
  return headersOf({
    ...Object.fromEntries(none),
    contentSecurityPolicy: { useDefaults: false, directives: NOTHING },
    // Not no-referrer: browsers would then send `Origin: null` with a form.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: secure && { maxAge: TWO_YEARS_SECONDS, includeSubDomains: true },
  })
}

/** What a page's answer has besides the headers of every answer. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...headersOf({ ...OF_ANSWERS, ...OF_PAGES }),
  // Helmet does not know this one.
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
}

// Pages of one kind allow the same; where a form leads to another site, each site is one more.
const policies = new Map<string, string>()
const MAX_POLICIES = 1_000

/** The content security policy of an answer that allows more than nothing. */
export function contentPolicy(allowed: PolicyDirectives): string {
  const key = JSON.stringify(allowed)
  let policy = policies.get(key)
  if (policy === undefined) {
    if (policies.size >= MAX_POLICIES) policies.clear()
    policy = writePolicy(allowed)
    policies.set(key, policy)
  }
  return policy
}

function writePolicy(allowed: PolicyDirectives): string {
  const directives = { ...NOTHING, ...allowed }
  const set = headersOf({
    ...OF_ANSWERS,
    contentSecurityPolicy: { useDefaults: false, directives },
  })
  return set['content-security-policy']!
}

/**
 * The headers that helmet sets with these options, by their names in lower case. They are computed
 * once and not for each answer, because helmet would parse its options and set each header.
 */
function headersOf(options: HelmetOptions): Record<string, string> {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  helmet(options)(response.req, response, (error) => {
    if (error) throw error
  })
  const set = Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)])
  const headers: Record<string, string> = Object.fromEntries(set)
  const policy = headers['content-security-policy']
  // Helmet writes no space between directives, and refuses a directive that contains a semicolon.
  if (policy) headers['content-security-policy'] = policy.replaceAll(';', '; ')
  return headers
}
