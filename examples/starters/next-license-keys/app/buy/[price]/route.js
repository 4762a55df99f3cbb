import { buyLink } from '@purser/client'
import { NextResponse } from 'next/server'
import { cookieOptions, PURCHASE_COOKIE, purser, site } from '../../../lib/purser.js'

/** Notes in a cookie which purchase this browser begins, and goes to the checkout. */
export async function GET(_request, { params }) {
  const { price } = await params
  const purchase = crypto.randomUUID()
  const next = `${site}/return?purchase=${purchase}`
  const response = NextResponse.redirect(buyLink(purser.base_url, price, { next }))
  response.cookies.set(PURCHASE_COOKIE, purchase, cookieOptions)
  return response
}
