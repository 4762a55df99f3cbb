import type { Finding } from './checks.ts'
import { type Addresses, addressFaults } from './integration.ts'
import { isRegistrable, readReturnUrl, registeredHost } from './return-url.ts'

/** What the URLs of an app are checked against. */
export interface AddressFacts extends Addresses {
  /** The app's website. */
  url: string
  /** Whether buyers sign in through the service, which needs redirect URIs. */
  signs_in: boolean
  /** Whether this service has real buyers, so that a URL on localhost is a leftover. */
  production: boolean
}

/** Checks an app's saved URLs without sending any request. */
export function addressFindings(facts: AddressFacts): Finding[] {
  return [redirectUris(facts), returnUrls(facts), signOut(facts)]
}

function redirectUris(facts: AddressFacts): Finding {
  const check = 'redirect_uris'
  const { redirect_uris, signs_in } = facts
  const [first] = redirect_uris
  if (first === undefined) {
    if (!signs_in) return skipped(check, 'License keys need no redirect URI.')
    return error(check, 'No redirect URI is saved.', 'Add the URL that sign-in redirects to.')
  }
  const wrong = faultsOf(facts, check)
  if (wrong) return wrong
  const wildcard = redirect_uris.find(hasWildcard)
  if (wildcard) return notWildcard(check, wildcard)
  const local = facts.production ? redirect_uris.find(isLocal) : undefined
  if (local) return leftOver(check, local)
  const other = first.endsWith('/') ? first.slice(0, -1) : `${first}/`
  const text = `They are compared exactly: ${first} is registered, ${other} is not.`
  return redirect_uris.includes(other)
    ? passed(check, 'Each is an HTTPS URL on your domain. They are compared exactly.')
    : passed(check, text)
}

function returnUrls(facts: AddressFacts): Finding {
  const check = 'return_urls'
  const { url, oauth_login_url } = facts
  if (!isRegistrable(url)) {
    return error(check, `${url} cannot be an app’s website.`, 'Change the website in Settings.')
  }
  const host = registeredHost(url)
  if (!readReturnUrl(oauth_login_url, url)) {
    const text = `The Login URL ${oauth_login_url} is not on ${host}.`
    return error(check, text, `Move the Login URL to ${host}, or correct the website.`)
  }
  if (facts.production && isLocal(oauth_login_url)) return leftOver(check, oauth_login_url)
  const own = isLocal(url) ? new URL(url).origin : `https://${host}`
  const text = `A Buy link’s next may lead to ${own}/thanks, but not to https://not-${host}/.`
  return passed(check, text)
}

function signOut(facts: AddressFacts): Finding {
  const check = 'sign_out'
  const [first] = facts.post_logout_redirect_uris
  if (first === undefined) {
    if (!facts.signs_in) return skipped(check, 'License keys need no post-logout redirect URI.')
    const text = 'No post-logout redirect URI is saved.'
    const remedy = 'Add the page that buyers return to. Until then, they land on our home page.'
    return { check, outcome: 'warning', text, remedy }
  }
  const wrong = faultsOf(facts, 'post_logout_redirect_uris', check)
  if (wrong) return wrong
  const wildcard = facts.post_logout_redirect_uris.find(hasWildcard)
  if (wildcard) return notWildcard(check, wildcard)
  const local = facts.production ? facts.post_logout_redirect_uris.find(isLocal) : undefined
  return local ? leftOver(check, local) : passed(check, `Buyers who sign out return to ${first}.`)
}

function faultsOf(
  facts: AddressFacts,
  list: 'redirect_uris' | 'post_logout_redirect_uris',
  check: Finding['check'] = 'redirect_uris',
): Finding | undefined {
  const faults = addressFaults(facts, facts).filter(({ path }) => path.startsWith(list))
  if (faults.length === 0) return undefined
  return error(check, faults.map(({ message }) => message).join(' '), 'Change it under URLs.')
}

function leftOver(check: Finding['check'], url: string): Finding {
  const text = `${url} is on localhost, which works only on your own machine.`
  return { check, outcome: 'warning', text, remedy: 'Remove it once development is over.' }
}

/** A `*` is valid in a path, where it means itself (spec: Sign-in rules, 3). */
function hasWildcard(url: string): boolean {
  return url.includes('*')
}

function notWildcard(check: Finding['check'], url: string): Finding {
  const text = `The * in ${url} is not a wildcard: URLs are compared exactly.`
  return { check, outcome: 'warning', text, remedy: 'Enter each URL in full.' }
}

function isLocal(url: string): boolean {
  return URL.parse(url)?.protocol === 'http:'
}

function passed(check: Finding['check'], text: string): Finding {
  return { check, outcome: 'passed', text, remedy: '' }
}

function skipped(check: Finding['check'], text: string): Finding {
  return { check, outcome: 'skipped', text, remedy: '' }
}

function error(check: Finding['check'], text: string, remedy: string): Finding {
  return { check, outcome: 'error', text, remedy }
}

/** The registered URL that differs from another only in what is easily mistaken. */
export function nearMiss(uri: string, registered: string[]): string | undefined {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/^https?:\/\/(?:www\.)?/, '')
      .replace(/[/?#]+$/, '')
  return registered.find((each) => each !== uri && plain(each) === plain(uri))
}
