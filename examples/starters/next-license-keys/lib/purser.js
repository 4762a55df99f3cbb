import { cachedValidator, createClient } from '@purser/client'

const { PORT = '3000', LICENSE_SECONDS = '300' } = process.env

/** The URL that browsers use. */
export const site = process.env.SITE_URL ?? `http://localhost:${PORT}`

export const purser = createClient({
  base_url: process.env.PURSER_URL,
  client_id: process.env.PURSER_CLIENT_ID,
  client_secret: process.env.PURSER_CLIENT_SECRET,
})
export const licenses = cachedValidator(purser, { max_age_seconds: Number(LICENSE_SECONDS) })

/** The names of the cookies. */
export const LICENSE_COOKIE = 'license_key'
export const PURCHASE_COOKIE = 'purchase'

/** No script of the page can read them. */
export const cookieOptions = {
  httpOnly: true,
  sameSite: 'lax',
  secure: site.startsWith('https:'),
  path: '/',
  maxAge: 30 * 24 * 3600,
}

/** The license key of a request, for the guards. */
export const keyOf = (request) => request.cookies.get(LICENSE_COOKIE)?.value
