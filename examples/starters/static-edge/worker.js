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

/** From the checkout: stores the license key in a cookie. */
async function finish(request, url) {
  // A link that another person made has another purchase: do not adopt its license.
  const purchase = cookieOf(request, 'purchase')
  if (!purchase || url.searchParams.get('purchase') !== purchase) {
    return new Response('Open this page in the browser that you bought in.', { status: 400 })
  }
  const order = await purser.order(url.searchParams.get('svc_order') ?? '')
  if (order.status === 'processing') {
    const headers = { refresh: String(order.retry_after) }
    return new Response('Your payment is processing.', { headers })
  }
  const secure = url.protocol === 'https:' ? '; Secure' : ''
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
  if (url.pathname === '/return') return await finish(request, url)
  if (url.pathname === '/api/license') return await license(request)
  return new Response('Not found', { status: 404 })
}

export default {
  async fetch(request, env) {
    connect(env)
    try {
      return await answer(request)
    } catch (error) {
      if (isPurserError(error, 'unknown_order')) return new Response(error.message, { status: 400 })
      if (isPurserError(error, 'unknown_key')) {
        return Response.json({ entitled: false, status: 'unknown' })
      }
      throw error
    }
  },
}
