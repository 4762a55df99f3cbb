import type { BrowserContext, Request, Response } from 'playwright-core'

/**
 * Records everything in a browser that must not happen: an error in the console (including
 * violations of the content security policy), a script that throws, a page that loads anything from
 * elsewhere, a page of the service that may be framed or cached, a weak cookie.
 */
export function recordFaults(context: BrowserContext, base_url: string): string[] {
  const faults: string[] = []
  const documents = new Set<string>()
  context.on('request', (request) => {
    if (request.isNavigationRequest()) documents.add(request.url())
    else if (!isFromHome(request)) faults.push(`${pageOf(request)} loads ${request.url()}`)
  })
  context.on('console', (message) => {
    if (message.type() !== 'error') return
    // The console repeats the status of error pages, which is expected.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded')
    if (isStatus && documents.has(message.location().url)) return
    faults.push(`${message.location().url} says ${message.text()}`)
  })
  context.on('weberror', (error) => faults.push(String(error.error())))
  context.on('response', (response) => {
    if (!response.url().startsWith(`${base_url}/`)) return
    faults.push(...weakCookies(response))
    if (isPage(response)) faults.push(...missingHeaders(response))
  })
  return faults
}

function isFromHome(request: Request): boolean {
  const { protocol, origin } = new URL(request.url())
  return protocol === 'data:' || origin === new URL(pageOf(request)).origin
}

function pageOf(request: Request): string {
  return request.frame().url()
}

/** A redirect may have a body, which no browser shows. */
function isPage(response: Response): boolean {
  if (response.status() >= 300 && response.status() < 400) return false
  return response.headers()['content-type']?.startsWith('text/html') ?? false
}

function missingHeaders(response: Response): string[] {
  const headers = response.headers()
  const policy = headers['content-security-policy'] ?? ''
  // An email in the development mailbox has inline styles, and is framed by the mailbox alone.
  const isEmail = /\/dev\/mailbox\/[^/]+\/html$/.test(response.url())
  const missing = [
    policy.includes("default-src 'none'") && (isEmail || !policy.includes('unsafe')),
    policy.includes(isEmail ? "frame-ancestors 'self'" : "frame-ancestors 'none'"),
    !isEmail || policy.includes('sandbox'),
    /no-store|public, max-age=60/.test(headers['cache-control'] ?? ''),
    headers['x-content-type-options'] === 'nosniff',
  ]
  return missing.every(Boolean) ? [] : [`${response.url()} lacks a header: ${missing}`]
}

function weakCookies(response: Response): string[] {
  const set = response.headers()['set-cookie']?.split('\n') ?? []
  return set.filter((cookie) => !isStrong(cookie)).map((each) => `${response.url()} sets ${each}`)
}

/** Limited to this host or one path, and unavailable to scripts and other sites. */
function isStrong(cookie: string): boolean {
  const [pair = '', ...attributes] = cookie.split('; ')
  const has = (each: string) => attributes.some((other) => other.toLowerCase() === each)
  const isBound = pair.startsWith('__Host-') ? has('path=/') : isOfOnePath(pair, attributes)
  return isBound && ['httponly', 'secure', 'samesite=lax'].every(has)
}

function isOfOnePath(pair: string, attributes: string[]): boolean {
  return pair.startsWith('__Secure-') && attributes.some((each) => /^path=\/o\/\w+\/./i.test(each))
}
