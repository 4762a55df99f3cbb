import { isPurserError } from '@purser/client'
import { redirect } from 'react-router'
import { handled, login_cookie, sessions, sign_in, site } from '../purser.server.js'

export const loader = handled(async ({ request }) => {
  const { pathname, search } = new URL(request.url)
  const login = await login_cookie.parse(request.headers.get('cookie'))
  const headers = new Headers({ 'set-cookie': await login_cookie.serialize('', { maxAge: 0 }) })
  try {
    // Behind a proxy the request has another origin than the redirect URI.
    const { tokens } = await sign_in.callback(`${site}${pathname}${search}`, login ?? undefined)
    // A new session: its ID is not one that the browser brought.
    const session = await sessions.getSession()
    session.set('tokens', tokens)
    headers.append('set-cookie', await sessions.commitSession(session))
    return redirect('/', { headers })
  } catch (error) {
    // Not to `/login`: in a browser that blocks cookies, redirects would never end.
    const refusals = ['access_denied', 'invalid_grant', 'login_expired', 'state_mismatch']
    if (isPurserError(error, ...refusals)) return redirect('/', { headers })
    throw error
  }
})
