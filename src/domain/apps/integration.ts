import type { FieldFault } from '#platform/problem'
import { EMPTY_TEXT } from '#platform/text'
import { MAX_RETURN_URL_LENGTH, readReturnUrl, registeredHost } from './return-url.ts'

/** The URLs of an app to which the service sends people, byte for byte as the seller wrote them. */
export interface Addresses {
  oauth_login_url: string
  redirect_uris: string[]
  post_logout_redirect_uris: string[]
}

/** The most URLs in each list of redirect URIs. */
export const MAX_REDIRECT_URIS = 50

// URLs are compared byte for byte, so only characters that browsers never rewrite are allowed.
const PLAIN = /^[\x21-\x7e]+$/
// A redirect writes such a character as %25.
const NO_ESCAPE = /%(?![0-9A-Fa-f]{2})/
// A comma is a part of a URL, so a list in one line would be one URL that nothing matches.
const SEVERAL = /[^\s,;][\s,;]+https?:\/\//i

/** Every fault of an app's URLs, by path (spec: Sign-in rules, 3). */
export function addressFaults(app: { url: string }, addresses: Addresses): FieldFault[] {
  const lists = ['redirect_uris', 'post_logout_redirect_uris'] as const
  const login = loginFault(app.url, addresses.oauth_login_url)
  return [
    ...(login === undefined ? [] : [{ path: 'oauth_login_url', message: login }]),
    ...lists.flatMap((name) => listFaults(app.url, name, addresses[name])),
  ]
}

function loginFault(appUrl: string, address: string): string | undefined {
  if (address === '') return 'Enter the URL of the page that starts sign-in.'
  return placeFault(appUrl, address)
}

function listFaults(appUrl: string, name: string, addresses: string[]): FieldFault[] {
  if (addresses.length > MAX_REDIRECT_URIS) {
    return [{ path: name, message: `Enter at most ${MAX_REDIRECT_URIS} URLs.` }]
  }
  return addresses.flatMap((address, index) => {
    const message = placeFault(appUrl, address) ?? fragmentFault(address)
    return message === undefined ? [] : [{ path: `${name}[${index}]`, message }]
  })
}

function placeFault(appUrl: string, address: string): string | undefined {
  if (SEVERAL.test(address)) return `${shown(address)} has several URLs. Enter each one separately.`
  const isPlain = PLAIN.test(address) && !NO_ESCAPE.test(address)
  if (isPlain && readReturnUrl(address, appUrl)) return undefined
  const trimmed = address.trim()
  if (trimmed === '') return EMPTY_TEXT
  if (trimmed !== address) return `${shown(trimmed)} must not begin or end with a space.`
  const host = registeredHost(appUrl)
  return (
    detailFault(appUrl, address) ??
    `${shown(address)} must be an HTTPS URL on ${host}, or a URL on localhost.`
  )
}

/** What is wrong with a URL that is too long, or on the app's own host. */
function detailFault(appUrl: string, address: string): string | undefined {
  if (address.length > MAX_RETURN_URL_LENGTH) {
    return `${shown(address)} has ${address.length} characters. Use at most ${MAX_RETURN_URL_LENGTH}.`
  }
  const url = URL.parse(address)
  if (!url) return undefined
  const { href, username, password, port } = url
  Object.assign(url, { username: '', password: '', port: '' })
  if (!readReturnUrl(url.href, appUrl)) return undefined
  if (username !== '' || password !== '') {
    return `${shown(address)} must not have a user name or password.`
  }
  if (port !== '') return `${shown(address)} must not have a port, except on localhost.`
  if (NO_ESCAPE.test(address)) return `${shown(address)} must write a percent sign as %25.`
  return PLAIN.test(address) ? undefined : `Write ${shown(address)} as ${href}`
}

function fragmentFault(address: string): string | undefined {
  return address.includes('#') ? `${shown(address)} must not have a fragment (#).` : undefined
}

function shown(address: string): string {
  return address.length > 80 ? `${address.slice(0, 79)}…` : address
}
