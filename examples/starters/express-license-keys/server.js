import { randomUUID } from 'node:crypto'
import { buyLink, cachedValidator, createClient, isPurserError } from '@purser/client'
import { licenseOf, requireLicense } from '@purser/client/express'
import express from 'express'
import session from 'express-session'

const { PORT = '3000', LICENSE_SECONDS = '300', SESSION_SECRET } = process.env
const site = process.env.SITE_URL ?? `http://localhost:${PORT}`
const purser = createClient({
  base_url: process.env.PURSER_URL,
  client_id: process.env.PURSER_CLIENT_ID,
  client_secret: process.env.PURSER_CLIENT_SECRET,
})
const licenses = cachedValidator(purser, { max_age_seconds: Number(LICENSE_SECONDS) })

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text) => String(text).replace(/[&<>"]/g, (character) => ENTITIES[character])
const page = (title, body) =>
  `<!doctype html><html lang="en"><title>${escapeHtml(title)}</title><h1>${escapeHtml(title)}</h1>${body}`

const app = express()
app.set('trust proxy', 1)
const cookie = { sameSite: 'lax', secure: 'auto' }
app.use(session({ secret: SESSION_SECRET, resave: false, saveUninitialized: false, cookie }))

let listed = { until: 0 }

/** The live prices, read once a minute: Purser limits how often a server may read them. */
function listPrices() {
  if (Date.now() < listed.until) return listed.prices
  const prices = purser.prices()
  listed = { until: Date.now() + 60_000, prices }
  prices.catch(() => {
    listed = { until: 0 }
  })
  return prices
}

app.get('/', async (request, response) => {
  const { app_name, prices } = await listPrices()
  request.session.purchase ??= randomUUID()
  const next = `${site}/login?purchase=${request.session.purchase}`
  const rows = prices.map(({ public_id, product_name, amount, frequency }) => {
    const href = escapeHtml(buyLink(purser.base_url, public_id, { next }))
    const text = escapeHtml(
      `${product_name}, $${amount} ${frequency ? `per ${frequency}` : 'once'}`,
    )
    return `<li>${text}: <a href="${href}">Buy ${escapeHtml(product_name)}</a></li>`
  })
  response.send(page(app_name, `<ul>${rows.join('')}</ul><a href="/app">Open the app</a>`))
})

// The Login URL: buyers return here, also those who bought on the marketplace.
app.get('/login', async (request, response, next) => {
  const { purchase, svc_order } = request.query
  if (!svc_order) return response.send(page('Welcome', '<a href="/app">Open the app</a>'))
  request.session.purchase ??= randomUUID()
  // A reloaded page brings the order that this session has adopted.
  if (purchase !== request.session.purchase && svc_order !== request.session.svc_order) {
    // Another person may have made this link: ask before you adopt its license.
    const own = new URLSearchParams({ svc_order, purchase: request.session.purchase })
    const link = `<a href="?${escapeHtml(own)}">Use this purchase</a>`
    return response.send(page('Use this purchase in this browser?', link))
  }
  const order = await purser.order(svc_order)
  if (order.status === 'processing') {
    response.set('Refresh', String(order.retry_after))
    return response.send(page('Your payment is processing', ''))
  }
  // A new session: another person may have planted the one that the browser brought.
  request.session.regenerate((error) => {
    if (error) return next(error)
    Object.assign(request.session, { svc_order, license_key: order.license_key })
    response.redirect('/app')
  })
})

const guard = requireLicense(licenses, {
  read: (request) => request.session.license_key,
  refuse: ({ status, message, headers }, _request, response) => {
    const plans = '<a href="/">See the plans</a>'
    response
      .status(status)
      .set(headers)
      .send(page('The app is locked', `<p>${escapeHtml(message)}</p>${plans}`))
  },
})

app.get('/app', guard, (request, response) => {
  const { product_public_id, status } = licenseOf(request)
  const plan = escapeHtml(`Plan: ${product_public_id} (${status})`)
  response.send(page('The app is open', `<p>${plan}</p>`))
})

app.use((error, _request, response, next) => {
  if (isPurserError(error, 'unknown_order')) {
    const body = '<p>Its payment failed, or the link is older than 24 hours.</p>'
    const plans = '<a href="/">See the plans</a>'
    return response.status(404).send(page('This order is not known', body + plans))
  }
  if (!isPurserError(error)) return next(error)
  // Such as a wrong client secret, which the visitor can do nothing about.
  console.error(error)
  response.status(502).send(page('Something went wrong. Try again.', ''))
})

app.listen(Number(PORT), () => console.log(`Open ${site}`))
