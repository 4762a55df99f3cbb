import { buyLink, cachedValidator, createClient, isPurserError } from '@purser/client'

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

function redirect(location, { origin, protocol }, name, value) {
  const secure = protocol === 'https:' ? '; Secure' : ''
  const cookie = `${name}=${value}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax${secure}`
  const headers = { location: new URL(location, origin).href, 'set-cookie': cookie }
  return new Response(null, { status: 303, headers })
}

/** To the checkout, with a random value that the browser must bring back. */
function buy(url) {
  const purchase = crypto.randomUUID()
  const next = `${url.origin}/return?purchase=${purchase}`
  const link = buyLink(purser.base_url, url.searchParams.get('price') ?? '', { next })
  return redirect(link, url, 'purchase', purchase)
}

/** From the checkout: stores the license key in a cookie. */
async function finish(request, url) {
  // A link that another person made has another purchase: do not adopt its license.
  if (url.searchParams.get('purchase') !== (cookieOf(request, 'purchase') ?? '')) {
    return new Response('Open this page in the browser that you bought in.', { status: 400 })
  }
  const order = await purser.order(url.searchParams.get('svc_order') ?? '')
  if (order.status === 'processing') {
    const headers = { refresh: String(order.retry_after) }
    return new Response('Your payment is processing.', { headers })
  }
  return redirect('/', url, 'license_key', order.license_key)
}

async function license(request) {
  const key = cookieOf(request, 'license_key')
  if (!key) return Response.json({ entitled: false, status: 'none' })
  const { entitled, status, product_public_id } = await licenses.validate(key)
  return Response.json({ entitled, status, product_public_id })
}

async function answer(request) {
  const url = new URL(request.url)
  if (url.pathname === '/buy') return buy(url)
  if (url.pathname === '/return') return await finish(request, url)
  if (url.pathname === '/api/license') return await license(request)
  if (url.pathname === '/api/prices') {
    return Response.json(await purser.prices(), { headers: { 'cache-control': 'max-age=60' } })
  }
  return new Response('Not found', { status: 404 })
}

export default {
  async fetch(request, env) {
    connect(env)
    try {
      return await answer(request)
    } catch (error) {
      if (error instanceof TypeError) return new Response(error.message, { status: 400 })
      if (isPurserError(error, 'unknown_order')) return new Response(error.message, { status: 400 })
      if (isPurserError(error, 'unknown_key')) {
        return Response.json({ entitled: false, status: 'unknown' })
      }
      throw error
    }
  },
}
