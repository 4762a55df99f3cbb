// Calls the endpoints of the API reference from their forms.

/** The request that a form describes; its fields are named by where they go. */
export function requestOf(
  facts: { method: string; path: string; auth: string },
  fields: Iterable<[name: string, value: string]>,
): { url: string; init: RequestInit } {
  const headers: Record<string, string> = {}
  const credentials: Record<string, string> = {}
  const query = new URLSearchParams()
  let url = facts.path
  let body: string | undefined
  for (const [name, value] of fields) {
    const [place, key = ''] = name.split('.', 2)
    if (place === 'path') url = url.replace(`{${key}}`, encodeURIComponent(value))
    else if (place === 'query' && value !== '') query.set(key, value)
    else if (place === 'header' && value !== '') headers[key] = value
    else if (place === 'credential') credentials[key] = value
    else if (place === 'body' && value.trim() !== '') body = value
  }
  if (facts.auth === 'basic') {
    headers.Authorization = `Basic ${btoa(`${credentials.client_id}:${credentials.client_secret}`)}`
  }
  if (facts.auth === 'bearer') headers.Authorization = `Bearer ${credentials.access_token}`
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const init: RequestInit = {
    method: facts.method,
    headers,
    credentials: 'omit',
    cache: 'no-store',
  }
  if (query.size > 0) url += `?${query}`
  return { url, init: body === undefined ? init : { ...init, body } }
}

/** JSON with line breaks; other text as it is. */
function legible(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

async function send(form: HTMLFormElement): Promise<[status: string, body: string]> {
  const { method = 'GET', path = '', auth = 'none' } = form.dataset
  const fields = [...new FormData(form)].map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  try {
    const { url, init } = requestOf({ method, path, auth }, fields)
    const start = performance.now()
    const response = await fetch(url, init)
    const text = legible(await response.text())
    return [`${response.status}, ${Math.round(performance.now() - start)} ms`, text]
  } catch (error) {
    return ['Not sent', error instanceof Error ? error.message : String(error)]
  }
}

function start(form: HTMLFormElement): void {
  const result = form.querySelector<HTMLElement>('[data-try-result]')
  const status = form.querySelector('[data-try-status]')
  const body = form.querySelector('[data-try-body]')
  const button = form.querySelector('button')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (button) button.disabled = true
    const [line, text] = await send(form)
    if (status) status.textContent = line
    if (body) body.textContent = text
    if (result) result.hidden = false
    if (button) button.disabled = false
  })
  form.hidden = false
}

/** Credentials that are typed into one form are there in the others. */
function shareCredentials(): void {
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.name.startsWith('credential.')) return
    for (const other of document.querySelectorAll<HTMLInputElement>(
      `[data-try] input[name="${target.name}"]`,
    )) {
      other.value = target.value
    }
  })
}

/** Shows the forms, which are hidden where scripts do not run. */
export function startTryIt(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-try]')) start(form)
  shareCredentials()
}
