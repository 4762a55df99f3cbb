import { getDomain } from 'tldts'

const LONGEST = 2048
// Browsers drop or fold these before they parse; an address that holds one is not what it seems.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
const TREACHEROUS = /[\u0000-\u0020\u007f-\u009f\\\u2028\u2029]/
// The parser lets more pass, such as `;` and `,`, which would cut our own headers in two.
const HOST = /^(?:[\w-]+\.)*[\w-]+$/

/**
 * The address a buyer may be sent to, or undefined (spec: Hosted checkout and management links):
 * https on the app's registered host or under it, or any port of the loopback for development.
 */
export function readReturnUrl(text: string, appUrl: string): URL | undefined {
  if (text.length > LONGEST || TREACHEROUS.test(text)) return undefined
  // Without the two slashes a browser repairs the address; what is repaired was not meant well.
  if (!/^https?:\/\/[^/]/i.test(text)) return undefined
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    return undefined
  }
  if (isLoopback(url.hostname)) return url
  if (url.protocol !== 'https:' || url.port !== '' || !HOST.test(url.hostname)) return undefined
  return isUnder(url.hostname, registeredHost(appUrl)) ? url : undefined
}

/** The host of an app's website; without a leading `www.`, where a domain is left without it. */
export function registeredHost(appUrl: string): string {
  const { hostname } = new URL(appUrl)
  const bare = hostname.replace(/^www\./, '')
  return domainOf(bare) === null ? hostname : bare
}

/** Tells whether a seller may register a website: https on a domain of its own, or the loopback. */
export function isRegistrable(appUrl: string): boolean {
  const url = URL.parse(appUrl)
  if (url?.username !== '' || url.password !== '') return false
  if (isLoopback(url.hostname)) return true
  return url.protocol === 'https:' && url.port === '' && domainOf(url.hostname) !== null
}

/** The domain that somebody could have registered; a public suffix such as `co.uk` is none. */
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
 * The same address with one query parameter set: an own one of that name is replaced, every other
 * parameter and the fragment stay byte for byte.
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
