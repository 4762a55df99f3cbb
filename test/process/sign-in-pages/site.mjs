// A site of the functions on a page of a sign-in library: they need routes and a session store.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'

const [, , page] = process.argv
const origin = 'https://your-app.example'
const library = await import(`./${page}.ts`)
const sessions = new Map()

/** The page of openid-client: it keeps an attempt in the session, and the tokens afterwards. */
const openidClient = {
  async login() {
    const { address, attempt } = await library.begin()
    return { session: { attempt }, location: address.href }
  },
  async callback(request, { attempt }) {
    if (!attempt || new URL(request.url).searchParams.has('error')) return { status: 400 }
    try {
      const { sub, tokens } = await library.finish(new URL(request.url), attempt)
      return { session: { sub, ...tokens }, location: '/plan' }
    } catch (error) {
      if (error.error === 'invalid_grant') return { status: 400 }
      throw error
    }
  },
  async plan(session) {
    const { planOf } = await import('./plan.ts')
    let tokens = session
    let plan = await planOf(tokens.access_token)
    if (plan === undefined) {
      tokens = { ...tokens, ...(await library.refresh(tokens.refresh_token)) }
      plan = await planOf(tokens.access_token)
    }
    return { session: tokens, plan }
  },
  logout: async ({ id_token }) => (await library.logout(id_token)).href,
}

/** The page of the Purser client: it keeps what was started in a cookie of its own. */
const purserClient = {
  async login() {
    const answer = await library.login()
    const { location, 'set-cookie': cookie } = Object.fromEntries(answer.headers)
    return { cookie, location }
  },
  async callback(request) {
    const tokens = await library.callback(request)
    return tokens ? { session: { tokens }, location: '/plan' } : { status: 400 }
  },
  async plan({ tokens: stored }) {
    const { tokens, plan } = await library.plan(stored)
    return { session: { tokens }, plan }
  },
  logout: async ({ tokens }) => await library.logout(tokens),
}

const routes = page === 'openid-client' ? openidClient : purserClient

async function answerTo(request, session) {
  const { pathname } = new URL(request.url)
  if (pathname === '/login') return await routes.login()
  if (pathname.endsWith('/callback')) return await routes.callback(request, session)
  if (pathname === '/expire') {
    session.tokens.expires_at = 0
    return {}
  }
  if (!('access_token' in session || 'tokens' in session)) return { status: 401 }
  if (pathname === '/plan') return await routes.plan(session)
  return { location: await routes.logout(session), ended: true }
}

createServer(async (incoming, response) => {
  const { cookie = '' } = incoming.headers
  const [, known] = /session=([\w-]+)/.exec(cookie) ?? []
  const id = known ?? randomUUID()
  const request = new Request(new URL(incoming.url, origin), { headers: { cookie } })
  try {
    const { status, location, plan, ...rest } = await answerTo(request, sessions.get(id) ?? {})
    if (rest.session) sessions.set(id, rest.session)
    if (rest.ended) sessions.delete(id)
    const cookies = [
      `session=${id}; Path=/; Secure; HttpOnly`,
      ...(rest.cookie ? [rest.cookie] : []),
    ]
    response.setHeader('set-cookie', cookies)
    if (location) response.setHeader('location', location)
    const body = status === 400 ? '<a href="/login">Sign in again</a>' : JSON.stringify(plan ?? {})
    response.writeHead(status ?? (location ? 303 : 200)).end(body)
  } catch (error) {
    console.error(error)
    response.writeHead(500).end(String(error))
  }
}).listen(Number(process.env.PORT), '127.0.0.1')
