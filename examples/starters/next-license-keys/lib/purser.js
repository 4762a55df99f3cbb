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

let listed = { until: 0 }

/** The live prices, read once a minute: Purser limits how often a server may read them. */
export function listPrices() {
  if (Date.now() < listed.until) return listed.prices
  const prices = purser.prices()
  listed = { until: Date.now() + 60_000, prices }
  prices.catch(() => {
    listed = { until: 0 }
  })
  return prices
}

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
