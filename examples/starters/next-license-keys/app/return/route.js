import { isPurserError } from '@purser/client'
import { NextResponse } from 'next/server'
import { cookieOptions, LICENSE_COOKIE, PURCHASE_COOKIE, purser, site } from '../../lib/purser.js'

/** Stores the license key of the purchase that this browser began. */
export async function GET(request) {
  const purchase = request.nextUrl.searchParams.get('purchase')
  // A link that another person made has another purchase: do not adopt its license.
  if (!purchase || purchase !== request.cookies.get(PURCHASE_COOKIE)?.value) {
    return page('Open this page in the browser that you bought in', { status: 400 })
  }
  try {
    const order = await purser.order(request.nextUrl.searchParams.get('svc_order') ?? '')
    if (order.status === 'processing') {
      return page('Your payment is processing', { headers: { refresh: String(order.retry_after) } })
    }
    const response = NextResponse.redirect(`${site}/app`, 303)
    response.cookies.set(LICENSE_COOKIE, order.license_key, cookieOptions)
    return response
  } catch (error) {
    if (isPurserError(error, 'unknown_order')) {
      return page('This order is not known', { status: 400 })
    }
    throw error
  }
}

function page(title, { status = 200, headers = {} }) {
  const html = `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>`
  return new Response(html, { status, headers: { 'content-type': 'text/html', ...headers } })
}
