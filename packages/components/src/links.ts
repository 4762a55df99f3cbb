/** Buy links, built without a request (spec: Hosted checkout links). */

/** The service that elements use if they name none: where this script came from. */
let default_service = ''

/** Sets `default_service`. */
export function setService(url: string): void {
  default_service = originOf(url)
}

/** The origin of an element's service; empty if it has none. */
export function serviceOf(element: Element): string {
  const url = element.getAttribute('service')
  return url ? originOf(url) : default_service
}

/** A service has no path. The address of one of its pages was copied, or ends with a slash. */
function originOf(url: string): string {
  return /^https?:\/\/[^/?#]+/.exec(url)?.[0] ?? ''
}

/** The attributes of an element that become parameters of its buy links. */
export const LINK_ATTRIBUTES = ['next', 'ref', 'affiliate', 'email', 'discount'] as const

/** A buy link with the parameters of its element. `next` is relative to the page, like a link. */
export function linkOf(element: Element, buy_url: string): string {
  const link = new URL(buy_url)
  for (const name of LINK_ATTRIBUTES) {
    let value = element.getAttribute(name)
    // An anchor never throws, and keeps what is no URL.
    if (value && name === 'next')
      value = Object.assign(document.createElement('a'), { href: value }).href
    // React uses `ref` itself, so `affiliate` is the same.
    if (value) link.searchParams.set(name === 'affiliate' ? 'ref' : name, value)
  }
  return link.href
}
