/** What pages of other origins may read of sign-in (CORS). */
import { refuseGrant } from './answers.ts'

/** Lets the page that sent a request read its response. */
export function openToPage(request: Request, { headers }: Response): void {
  headers.set('access-control-allow-origin', request.headers.get('origin') ?? '*')
  headers.set('vary', 'Origin')
}

/** What a page asks before it sends one of these methods. */
export function preflightOf(request: Request, methods: readonly string[]): Response {
  const headers = new Headers({
    'access-control-allow-methods': methods.join(','),
    'access-control-max-age': '3600',
  })
  const asked = request.headers.get('access-control-request-headers')
  if (asked) headers.set('access-control-allow-headers', asked)
  const response = new Response(null, { status: 204, headers })
  openToPage(request, response)
  return response
}

/** Throws the refusal of a page that sends the secret or a token of an app. */
export function refusePage(request: Request, client_id: string): void {
  const origin = request.headers.get('origin')
  if (origin === null) return
  throw refuseGrant('invalid_request', `origin ${origin} not allowed for client: ${client_id}`)
}
