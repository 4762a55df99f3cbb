import { getDomain } from 'tldts'

/** The most characters of a URL that a person may be sent to. */
export const MAX_RETURN_URL_LENGTH = 2048
// Browsers drop or fold these before parsing; a URL that contains one is not what it seems.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
const UNSAFE_CHARACTERS = /[\u0000-\u0020\u007f-\u009f\\\u2028\u2029]/
// The parser accepts more, such as `;` and `,`, which would split our own headers.
const HOST = /^(?:[\w-]+\.)*[\w-]+$/

/**
 * The URL that a buyer may be sent to, or undefined (spec: Hosted checkout and management links):
 * https on the app's registered host or under it, or any port of the loopback for development.
 */
export function readReturnUrl(text: string, appUrl: string): URL | undefined {
  if (text.length > MAX_RETURN_URL_LENGTH || UNSAFE_CHARACTERS.test(text)) return undefined
  // Without the two slashes a browser repairs the URL into something else.
  if (!/^https?:\/\/[^/]/i.test(text)) return undefined
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    return undefined
  }
  if (isLoopback(url.hostname)) return url
  if (url.protocol !== 'https:' || url.port !== '' || !HOST.test(url.hostname)) return undefined
  return isUnder(url.hostname, registeredHost(appUrl)) ? url : undefined
}

/** The host of an app's website, without a leading `www.` if a registrable domain remains. */
export function registeredHost(appUrl: string): string {
  const { hostname } = new URL(appUrl)
  const bare = hostname.replace(/^www\./, '')
  return domainOf(bare) === null ? hostname : bare
}

/** Whether a seller may register a website: https on its own domain, or the loopback. */
export function isRegistrable(appUrl: string): boolean {
  const url = URL.parse(appUrl)
  if (url?.username !== '' || url.password !== '') return false
  if (isLoopback(url.hostname)) return true
  return url.protocol === 'https:' && url.port === '' && domainOf(url.hostname) !== null
}

/** The registrable domain of a host; null for a public suffix such as `co.uk`. */
function domainOf(host: string): string | null {
  return getDomain(host, { allowPrivateDomains: true })
}

function isUnder(host: string, registered: string): boolean {
  return host === registered || host.endsWith(`.${registered}`)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/**
 * The same URL with one query parameter set: a parameter of that name is replaced, every other one
 * and the fragment stay byte for byte.
 */
export function withParameter(address: string, name: string, value: string): string {
  const url = new URL(address)
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && ![...new URLSearchParams(pair).keys()].includes(name))
  url.search = [...kept, `${encodeURIComponent(name)}=${encodeURIComponent(value)}`].join('&')
  return url.href
}
