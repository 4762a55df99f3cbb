import { createClient, createSignIn, isPurserError } from '@purser/client'
import { createCookie, createMemorySessionStorage } from 'react-router'

const { PORT = '3000', SESSION_SECRET } = process.env
const { PURSER_URL, PURSER_CLIENT_ID, PURSER_CLIENT_SECRET } = process.env
const app = {
  base_url: PURSER_URL,
  client_id: PURSER_CLIENT_ID,
  client_secret: PURSER_CLIENT_SECRET,
}

export const site = process.env.SITE_URL ?? `http://localhost:${PORT}`
export const purser = createClient(app)
export const sign_in = createSignIn(app)

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

/**
 * A loader or an action whose errors are answered with 502 and logged, such as a wrong client
 * secret: the visitor can do nothing about them.
 */
export const handled = (answer) => async (args) => {
  try {
    return await answer(args)
  } catch (error) {
    // A redirect, or another answer.
    if (!(error instanceof Error)) throw error
    console.error(error)
    throw new Response('Something went wrong. Try again.', { status: 502 })
  }
}

const options = {
  httpOnly: true,
  path: '/',
  sameSite: 'lax',
  secure: site.startsWith('https:'),
  secrets: [SESSION_SECRET],
}

/** What a started sign-in needs when the browser returns. */
export const login_cookie = createCookie('login', options)

/** The tokens of signed-in users, in memory. Replace it with a storage of your database. */
export const sessions = createMemorySessionStorage({ cookie: createCookie('session', options) })

export async function sessionOf(request) {
  return await sessions.getSession(request.headers.get('cookie'))
}

/** The plan of the session's user; undefined without a user, or after a sign-out at Purser. */
export async function planOf(session) {
  const tokens = session.get('tokens')
  if (!tokens) return undefined
  try {
    const fresh = await sign_in.freshTokens(tokens)
    if (fresh !== tokens) {
      // A refresh token works once: the new one is stored before anything else can fail.
      session.set('tokens', fresh)
      await sessions.commitSession(session)
    }
    return await purser.entitlement(fresh.access_token)
  } catch (error) {
    // The user signed out at Purser.
    if (isPurserError(error, 'invalid_grant', 'invalid_token')) return undefined
    throw error
  }
}
