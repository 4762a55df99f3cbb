import { buyLink } from '@purser/client'
import { NextResponse } from 'next/server'
import { cookieOptions, PURCHASE_COOKIE, purser, site } from '../../../lib/purser.js'

/** Goes to the checkout with a random value of this browser, which it must bring back. */
export async function GET(request, { params }) {
  const { price } = await params
  if (!price.startsWith('prc_')) return new Response('Not found', { status: 404 })
  // Each tab has the same value, so that every purchase can return.
  const purchase = request.cookies.get(PURCHASE_COOKIE)?.value ?? crypto.randomUUID()
  const next = `${site}/login?purchase=${purchase}`
  const response = NextResponse.redirect(buyLink(purser.base_url, price, { next }))
  response.cookies.set(PURCHASE_COOKIE, purchase, cookieOptions)
  return response
}
