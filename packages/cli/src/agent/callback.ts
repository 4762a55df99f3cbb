/** The address on this machine to which the browser returns after a sign-in. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CliError, EXIT } from '../exit.ts'

const HOST = '127.0.0.1'
const PATH = '/callback'
const WAIT_MINUTES = 5

export interface CallbackServer extends AsyncDisposable {
  redirect_uri: string
  /**
   * The address that the browser returned to, here or in a browser elsewhere from which a person
   * pastes it. Throws CliError after five minutes.
   */
  answer(pasted?: Promise<URL>): Promise<URL>
}

const page = (title: string, text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><main><h1>${title}</h1><p>${text}</p></main></html>`

/** The page at the end of a sign-in. It is sent before the answer is checked and exchanged. */
function pageFor(error: string | null): string {
  const next = 'You can close this tab and return to your terminal.'
  if (error === 'access_denied') return page('The sign-in was canceled', next)
  if (error !== null) return page('The sign-in failed', next)
  const text = 'It shows whether you are signed in. You can close this tab.'
  return page('Return to your terminal', text)
}

/** Listens on 127.0.0.1 on a free port. */
export async function openCallback(): Promise<CallbackServer> {
  let resolve: (url: URL) => void
  const answered = new Promise<URL>((done) => {
    resolve = done
  })
  const server = createServer((request, response) => {
    const url = answerOf(request, redirect_uri)
    response.writeHead(url ? 200 : 404, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    })
    if (!url) return response.end()
    response.end(pageFor(url.searchParams.get('error')))
    resolve(url)
  })
  server.listen(0, HOST)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const redirect_uri = `http://${HOST}:${port}${PATH}`
  return {
    redirect_uri,
    answer: (pasted) => within(pasted ? Promise.race([answered, pasted]) : answered),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The address that the browser returned to; undefined for a request that is something else. */
function answerOf({ method, url = '/' }: IncomingMessage, redirect_uri: string): URL | undefined {
  // What connects to the port may send a path that is no address, such as `//`.
  if (method !== 'GET' || !URL.canParse(url, redirect_uri)) return undefined
  const address = new URL(url, redirect_uri)
  return address.pathname === PATH ? address : undefined
}

/**
 * The answer of a sign-in in a pasted address; undefined in another text. Whether it is the answer
 * of this sign-in shows its state.
 */
export function pastedAnswer(text: string): URL | undefined {
  // Browsers may show an address without its scheme.
  const address = text.trim().replace(/^127\.0\.0\.1:/, 'http://$&')
  if (!URL.canParse(address)) return undefined
  const { hostname, pathname, searchParams } = new URL(address)
  const isAnswer = searchParams.has('code') || searchParams.has('error')
  return hostname === HOST && pathname === PATH && isAnswer ? new URL(address) : undefined
}

async function within(answered: Promise<URL>): Promise<URL> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const message = `The browser did not return within ${WAIT_MINUTES} minutes. Try again, with --no-browser if your browser is on another computer.`
    timer = setTimeout(
      () => reject(new CliError('sign_in_timeout', message, EXIT.negative)),
      WAIT_MINUTES * 60_000,
    )
  })
  try {
    return await Promise.race([answered, late])
  } finally {
    clearTimeout(timer)
  }
}
