import { redirect } from 'react-router'
import { handled, login_cookie, sign_in, site } from '../purser.server.js'

export const loader = handled(async () => {
  const redirect_uri = `${site}/callback`
  const { url, login, max_age_seconds } = await sign_in.authorizationLink({ redirect_uri })
  const cookie = await login_cookie.serialize(login, { maxAge: max_age_seconds })
  return redirect(url, { headers: { 'set-cookie': cookie } })
})
