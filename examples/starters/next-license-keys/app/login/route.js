import { isPurserError } from '@purser/client'
import { NextResponse } from 'next/server'
import { cookieOptions, LICENSE_COOKIE, PURCHASE_COOKIE, purser, site } from '../../lib/purser.js'

/** The Login URL: buyers return here, also those who bought on the marketplace. */
export async function GET(request) {
  const query = request.nextUrl.searchParams
  const svc_order = query.get('svc_order')
  if (!svc_order) return page('Welcome', '<a href="/app">Open the app</a>')
  const purchase = request.cookies.get(PURCHASE_COOKIE)?.value ?? crypto.randomUUID()
  if (query.get('purchase') !== purchase) {
    // Another person may have made this link: ask before you adopt its license.
    const own = new URLSearchParams({ svc_order, purchase })
    const link = `<a href="?${own}">Use this purchase</a>`
    const answer = page('Use this purchase in this browser?', link)
    answer.cookies.set(PURCHASE_COOKIE, purchase, cookieOptions)
    return answer
  }
  try {
    const order = await purser.order(svc_order)
    if (order.status === 'processing') {
      const headers = { refresh: String(order.retry_after) }
      return page('Your payment is processing', '', { headers })
    }
    const response = NextResponse.redirect(`${site}/app`, 303)
    response.cookies.set(LICENSE_COOKIE, order.license_key, cookieOptions)
    return response
  } catch (error) {
    if (!isPurserError(error, 'unknown_order')) {
      // Such as a wrong client secret, which the visitor can do nothing about.
      console.error(error)
      return page('Something went wrong. Try again.', '', { status: 502 })
    }
    const body = '<p>Its payment failed, or the link is older than 24 hours.</p>'
    const plans = '<a href="/">See the plans</a>'
    return page('This order is not known', body + plans, { status: 404 })
  }
}

function page(title, body, { status = 200, headers = {} } = {}) {
  const html = `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}`
  return new NextResponse(html, { status, headers: { 'content-type': 'text/html', ...headers } })
}
