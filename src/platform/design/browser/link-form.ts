// Builds the links of the documentation from their forms: a link calls nothing until it is opened.
import { requestOf } from './try-it.ts'

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes)).replace(
    /[+/=]/g,
    (each) => ({ '+': '-', '/': '_' })[each] ?? '',
  )

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

/** What each authorization request has of its own (RFC 7636: S256). */
export async function proofKey(verifier: string): Promise<[name: string, value: string][]> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return [
    ['query.code_challenge', base64url(new Uint8Array(digest))],
    ['query.code_challenge_method', 'S256'],
  ]
}

/** Shows the forms, which are hidden where scripts do not run, with the link of what they say. */
export function startLinkForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-link]')) start(form)
}

async function start(form: HTMLFormElement): Promise<void> {
  const result = form.querySelector<HTMLAnchorElement>('a[data-link-result]')
  const { link: path = '', pkce } = form.dataset
  const own: [string, string][] =
    pkce === undefined
      ? []
      : [...(await proofKey(random())), ['query.state', random()], ['query.nonce', random()]]
  const show = () => {
    const fields = [...new FormData(form)].map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    const { url } = requestOf({ method: 'GET', path, auth: 'none' }, [...fields, ...own])
    if (!result) return
    result.href = url
    result.textContent = result.href
  }
  form.addEventListener('input', show)
  // A link is opened, so that the page it leads to may return to another site.
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    result?.click()
  })
  show()
  form.hidden = false
}
