import { cachedValidator, createClient, isPurserError } from '@purser/client'

/** The client and its cache live as long as the isolate. */
let purser
let licenses

function connect(env) {
  purser ??= createClient({
    base_url: env.PURSER_URL,
    client_id: env.PURSER_CLIENT_ID,
    client_secret: env.PURSER_CLIENT_SECRET,
  })
  licenses ??= cachedValidator(purser, { max_age_seconds: Number(env.LICENSE_SECONDS ?? 300) })
}

function cookieOf(request, name) {
  const cookies = (request.headers.get('cookie') ?? '').split('; ')
  return cookies.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1)
}

function page(body, { status = 200, headers = {} } = {}) {
  const type = 'text/html; charset=utf-8'
  return new Response(body, { status, headers: { 'content-type': type, ...headers } })
}

/** The Login URL: buyers return here, also those who bought on the marketplace. */
async function finish(request, url) {
  const svc_order = url.searchParams.get('svc_order')
  if (!svc_order) return page('<a href="/">Open the app</a>')
  const secure = url.protocol === 'https:' ? '; Secure' : ''
  const purchase = cookieOf(request, 'purchase') ?? crypto.randomUUID()
  if (url.searchParams.get('purchase') !== purchase) {
    // Another person may have made this link: ask before you adopt its license.
    const link = `?${new URLSearchParams({ svc_order, purchase })}`
    const cookie = `purchase=${purchase}; Path=/; Max-Age=86400; SameSite=Lax${secure}`
    const headers = { 'set-cookie': cookie }
    return page(`<a href="${link}">Use this purchase in this browser</a>`, { headers })
  }
  const order = await purser.order(svc_order)
  if (order.status === 'processing') {
    const headers = { refresh: String(order.retry_after) }
    return page('Your payment is processing.', { headers })
  }
  const cookie = `license_key=${order.license_key}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`
  const headers = { location: `${url.origin}/`, 'set-cookie': cookie + secure }
  return new Response(null, { status: 303, headers })
}

async function license(request) {
  const key = cookieOf(request, 'license_key')
  if (!key) return Response.json({ entitled: false, status: 'none' })
  const { entitled, status, product_public_id } = await licenses.validate(key)
  return Response.json({ entitled, status, product_public_id })
}

async function answer(request) {
  const url = new URL(request.url)
  if (url.pathname === '/login') return await finish(request, url)
  if (url.pathname === '/api/license') return await license(request)
  return new Response('Not found', { status: 404 })
}

export default {
  async fetch(request, env) {
    connect(env)
    try {
      return await answer(request)
    } catch (error) {
      if (isPurserError(error, 'unknown_order')) {
        const reason =
          'This order is not known. Its payment failed, or the link is older than 24 hours.'
        return page(`${reason} <a href="/">See the plans</a>`, { status: 404 })
      }
      if (isPurserError(error, 'unknown_key')) {
        return Response.json({ entitled: false, status: 'unknown' })
      }
      console.error(error)
      return page('Something went wrong. Try again.', { status: 502 })
    }
  },
}
