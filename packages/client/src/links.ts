/** Links to the service, built without a network call (spec: Hosted checkout links). */

/**
 * The hosted checkout of one price. `next` is where the buyer returns: an absolute URL on your
 * registered domain (https, or http on localhost). Without it the buyer returns to the app's login
 * URL. `ref` is an affiliate code, `email` prefills the first step and `discount` is a discount
 * code. Throws TypeError if an argument is invalid.
 */
export function buyLink(
  base_url: string,
  price_id: string,
  options: {
    next?: string | undefined
    ref?: string | undefined
    email?: string | undefined
    discount?: string | undefined
  } = {},
): string {
  if (!price_id?.startsWith('prc_')) {
    throw new TypeError('price_id must be the public_id of a price, which starts with "prc_"')
  }
  return pageLink(base_url, 'buy', price_id, options)
}

/**
 * The page on which a buyer manages a license: plan, auto-renew, card, and key. `next` becomes the
 * "Back to your app" button. Throws TypeError like `buyLink`.
 */
export function manageLink(
  base_url: string,
  client_id: string,
  options: { next?: string | undefined } = {},
): string {
  return pageLink(base_url, 'manage', client_id, options)
}

function pageLink(
  base_url: string,
  page: string,
  id: string,
  query: { [name: string]: string | undefined; next?: string | undefined },
): string {
  const part = pathPart(id)
  if (part === null)
    throw new TypeError('the ID of a link must not be empty and must be an ID from the service')
  if (query.next && !/^https?:\/\//i.test(query.next)) {
    throw new TypeError('next must be an absolute http or https address')
  }
  return withQuery(`${serviceAddress(base_url)}/${page}/${part}/`, query)
}

/** A URL with these parameters, without those that are empty. */
export function withQuery(url: string, query: Record<string, string | undefined>): string {
  const link = new URL(url)
  for (const [name, value] of Object.entries(query)) {
    if (value) link.searchParams.set(name, value)
  }
  return link.href
}

/**
 * The URL of the service without a trailing slash. Throws TypeError for what cannot be one; `name`
 * is what the error calls it.
 */
export function serviceAddress(base_url: string, name = 'base_url'): string {
  const url = URL.canParse(base_url) ? new URL(base_url) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    const is = JSON.stringify(base_url)
    throw new TypeError(`${name} must be an absolute http or https URL; it is ${is}`)
  }
  if (/[^/]/.test(url.pathname) || url.search || url.hash) {
    throw new TypeError(`${name} must have no path: use "${url.origin}", not "${base_url}"`)
  }
  return url.origin
}

/**
 * One path segment, encoded; null for a value that no path of the service can contain (`.`, `..`, a
 * NUL, 8 KB and more), and for one that is not a string: frameworks read a parameter that a URL
 * repeats as a list.
 */
export function pathPart(value: unknown): string | null {
  if (typeof value !== 'string' || !value.isWellFormed()) return null
  const part = encodeURIComponent(value)
  return /^\.{0,2}$|%00|.{8192}/.test(part) ? null : part
}
