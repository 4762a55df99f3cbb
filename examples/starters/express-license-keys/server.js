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

app.get('/', async (request, response) => {
  const { app_name, prices } = await purser.prices()
  request.session.purchase ??= randomUUID()
  const next = `${site}/return?purchase=${request.session.purchase}`
  const rows = prices.map(({ public_id, product_name, amount, frequency }) => {
    const href = escapeHtml(buyLink(purser.base_url, public_id, { next }))
    const text = escapeHtml(
      `${product_name}, $${amount} ${frequency ? `per ${frequency}` : 'once'}`,
    )
    return `<li>${text}: <a href="${href}">Buy ${escapeHtml(product_name)}</a></li>`
  })
  response.send(page(app_name, `<ul>${rows.join('')}</ul><a href="/app">Open the app</a>`))
})

app.get('/return', async (request, response) => {
  const { purchase, svc_order = '' } = request.query
  // A link that another person made has another purchase: do not adopt its license.
  if (!purchase || purchase !== request.session.purchase) {
    const title = 'Open this page in the browser that you bought in'
    return response.status(400).send(page(title, ''))
  }
  const order = await purser.order(svc_order)
  if (order.status === 'processing') {
    response.set('Refresh', String(order.retry_after))
    return response.send(page('Your payment is processing', ''))
  }
  request.session.license_key = order.license_key
  response.redirect('/app')
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
    return response.status(400).send(page('This order is not known', ''))
  }
  next(error)
})

app.listen(Number(PORT), () => console.log(`Open ${site}`))
