import { redirect } from 'react-router'
import { handled, sessionOf, sessions, sign_in, site } from '../purser.server.js'

export const action = handled(async ({ request }) => {
  const session = await sessionOf(request)
  const tokens = session.get('tokens')
  const headers = { 'set-cookie': await sessions.destroySession(session) }
  if (!tokens) return redirect('/', { headers })
  const url = await sign_in.logoutLink(tokens, { post_logout_redirect_uri: `${site}/` })
  return redirect(url, { headers })
})
