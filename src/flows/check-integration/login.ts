import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { type OutboundAnswer, OutboundError, type OutboundFault } from '#platform/outbound'

const MAX_REDIRECTS = 3
const MAX_MS = 5_000

/** Where the Login URL led: its last answer, or why there is none. */
export interface LoginVisit {
  /** The requested URLs, the Login URL first. */
  asked: string[]
  answer: OutboundAnswer | undefined
  fault: OutboundError | undefined
  /** The request that starts a sign-in here, if the Login URL redirects to it. */
  sign_in: URL | undefined
}

/** Visits the Login URL, and up to three redirects, each checked like the first. */
export async function visitLogin(
  { visit, config }: Pick<World, 'visit' | 'config'>,
  login_url: string,
): Promise<LoginVisit> {
  const asked: string[] = []
  let next = login_url
  let took_ms = 0
  for (;;) {
    asked.push(next)
    let answer: OutboundAnswer
    try {
      answer = await visit(next)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      return { asked, answer: undefined, fault: error, sign_in: undefined }
    }
    took_ms += answer.took_ms
    const { location } = answer
    const target = location === undefined ? null : URL.parse(location)
    // Our own responses are known, so the service does not request itself.
    if (target?.origin === config.base_url) {
      return { asked, answer, fault: undefined, sign_in: target }
    }
    const isRedirect = answer.status >= 300 && answer.status < 400 && location !== undefined
    if (!isRedirect || asked.length > MAX_REDIRECTS || took_ms > MAX_MS) {
      return { asked, answer, fault: undefined, sign_in: undefined }
    }
    next = location
  }
}

/** What the visit of a Login URL shows about it. */
export function loginFinding({ asked, answer, fault, sign_in }: LoginVisit): apps.Finding {
  const last = asked.at(-1)!
  const via = asked.length > 1 ? ` after a redirect to ${short(last)}` : ''
  if (fault) return error(`${FAULTS[fault.fault]}${via}${detail(fault)}.`, REMEDIES[fault.fault])
  if (sign_in) return passed(`Starts a sign-in here${via}.`)
  const { status, location, took_ms } = answer!
  if (status >= 300 && status < 400) {
    const text = location
      ? `Redirects too often${via}`
      : `Answered ${status} without a Location header`
    return error(`${text}.`, 'Answer with the page itself, or with one redirect to it.')
  }
  if (status >= 400) {
    const remedy = 'Buyers return here after a purchase: answer visitors without a session too.'
    return error(`Answered ${status}${via}.`, remedy)
  }
  const insecure = asked.find((url, index) => index > 0 && url.startsWith('http:'))
  if (insecure && asked[0]!.startsWith('https:')) {
    const remedy = 'Redirect to https addresses only.'
    return error(`Redirects to ${short(insecure)}, which is not encrypted.`, remedy)
  }
  if (via !== '') {
    const remedy = 'Make sure that the redirect keeps the parameter svc_order.'
    return { check: 'login_url', outcome: 'warning', text: `Answered ${status}${via}.`, remedy }
  }
  return passed(`Answered ${status} after ${took_ms} milliseconds.`)
}

const FAULTS: Record<OutboundFault, string> = {
  not_http: 'It is not an http or https address',
  port_refused: 'It uses a port other than 80 and 443',
  address_refused: 'It leads to a private address',
  name_unknown: 'Its host name does not resolve',
  unreachable: 'No connection could be made',
  certificate: 'No valid TLS connection could be made',
  too_slow: 'It did not answer within 5 seconds',
  not_an_answer: 'Its answer is not valid HTTP',
}

const REMEDIES: Record<OutboundFault, string> = {
  not_http: 'Enter the https address of your page.',
  port_refused: 'Serve the page on the default port.',
  address_refused: 'Buyers cannot reach it. Point the name to a public address.',
  name_unknown: 'Check the name and its DNS records.',
  unreachable: 'Start the server, and make sure that Purser can reach its port.',
  certificate: 'Renew the certificate, and send the whole chain for this host name.',
  too_slow: 'Buyers wait just as long. Make the page faster.',
  not_an_answer: 'Check the proxy in front of your server.',
}

function detail({ code }: OutboundError): string {
  return code === '' ? '' : ` (${code})`
}

/**
 * What the request with which an app starts a sign-in asks for, compared with its settings. A Login
 * URL that shows a page first starts none.
 */
export function signInFinding(
  { sign_in, fault }: LoginVisit,
  app: { client_id: string; redirect_uris: string[]; signs_in: boolean; auth_url: string },
): apps.Finding {
  const check = 'sign_in'
  const found = (outcome: apps.Finding['outcome'], text: string, remedy = ''): apps.Finding => ({
    check,
    outcome,
    text,
    remedy,
  })
  if (!sign_in || `${sign_in.origin}${sign_in.pathname}` !== app.auth_url) {
    if (!app.signs_in) return found('skipped', 'The app verifies license keys.')
    if (fault) return found('skipped', 'The Login URL did not answer.')
    return found('skipped', 'The Login URL shows a page before a sign-in starts.')
  }
  const asked = sign_in.searchParams
  const uri = asked.get('redirect_uri') ?? ''
  const scopes = (asked.get('scope') ?? 'openid entitlements').split(' ')
  if (asked.get('client_id') !== app.client_id) {
    return found('error', 'It sends another client ID.', `Send ${app.client_id}.`)
  }
  if (!app.redirect_uris.includes(uri)) {
    const near = apps.nearMiss(uri, app.redirect_uris)
    const text = `It sends the redirect URI ${short(uri)}, which is not registered.`
    return found(
      'error',
      text,
      near ? `The registered URI is ${near}. Make both the same.` : 'Add it.',
    )
  }
  if (!scopes.includes('openid') || !scopes.includes('entitlements')) {
    return found(
      'error',
      `It requests the scope “${short(scopes.join(' '))}”.`,
      'Request “openid entitlements”.',
    )
  }
  if (asked.get('code_challenge_method') !== 'S256') {
    return found('error', 'It sends no PKCE challenge.', 'Turn on PKCE with S256 in your library.')
  }
  return found('passed', `It requests the right scopes, and returns to ${short(uri)}.`)
}

/** A text from another server, short enough to show. */
function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

function passed(text: string): apps.Finding {
  return { check: 'login_url', outcome: 'passed', text, remedy: '' }
}

function error(text: string, remedy: string): apps.Finding {
  return { check: 'login_url', outcome: 'error', text, remedy }
}
