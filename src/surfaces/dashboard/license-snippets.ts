import { quoted, type SnippetFacts } from './snippet-facts.ts'

function client({ base_url, client_id }: SnippetFacts): string {
  return `createClient({
  base_url: ${quoted(base_url)},
  client_id: ${quoted(client_id)},
  client_secret: process.env.PURSER_CLIENT_SECRET,
})`
}

/** Both license key calls, for a shell. */
export function curlLicense({ base_url, client_id }: SnippetFacts): string {
  return `# The svc_order of a returning buyer: the license and its key.
curl -sS "${base_url}/api/v1/orders/$SVC_ORDER" \\
  -u "${client_id}:$PURSER_CLIENT_SECRET"

# A license key: whether it may use the app now.
curl -sS ${base_url}/api/v1/licenses/validate \\
  -u "${client_id}:$PURSER_CLIENT_SECRET" \\
  -H 'content-type: application/json' \\
  -d "{\\"key\\":\\"$LICENSE_KEY\\"}"`
}

/** The start of a return URL, up to the value that belongs to the buyer's browser. */
function returnUrl({ oauth_login_url }: SnippetFacts): string {
  const url = new URL(oauth_login_url)
  url.hash = ''
  url.searchParams.append('purchase', '')
  return quoted(url.href)
}

/** A module over the client library. */
export function clientLicense(facts: SnippetFacts): string {
  const { price_id } = facts
  const link = price_id
    ? `/**
 * The URL of your Buy button. \`purchase\` is a random value in a cookie of this browser: when the
 * buyer returns, compare the two, and only then call \`keyOfOrder\`.
 */
export function buyUrl(purchase: string): string {
  const next = ${returnUrl(facts)} + purchase
  return buyLink(purser.base_url, ${quoted(price_id)}, { next })
}

`
    : ''
  return `import { ${price_id ? 'buyLink, ' : ''}cachedValidator, createClient } from '@purser/client'

export const purser = ${client(facts)}

const licenses = cachedValidator(purser, { max_age_seconds: 300 })

${link}/** The license key of a returning buyer; null while the payment is processing. */
export async function keyOfOrder(svc_order: string): Promise<string | null> {
  const order = await purser.order(svc_order)
  return order.status === 'processing' ? null : order.license_key
}

/** Whether a license key may use the app now. */
export async function isEntitled(license_key: string): Promise<boolean> {
  return (await licenses.validate(license_key)).entitled
}`
}

/** The page of an order that Purser does not know. */
const UNKNOWN_ORDER = quoted(
  'This order is not known. Its payment failed, or the link is older than 24 hours. <a href="/">Try again</a>',
)

/** An Express server that sends buyers to the checkout, takes them back and checks licenses. */
export function expressLicense(facts: SnippetFacts, pathname: string): string {
  return `import { buyLink, cachedValidator, createClient, isPurserError } from '@purser/client'
import { requireLicense } from '@purser/client/express'
import express, { type NextFunction, type Request, type Response } from 'express'

const purser = ${client(facts)}
const licenses = cachedValidator(purser, { max_age_seconds: 300 })
const options = { httpOnly: true, secure: true, sameSite: 'lax' } as const

function cookieOf({ headers }: Request, name: string): string | undefined {
  return new RegExp(\`(?:^|; )\${name}=([\\\\w-]+)\`).exec(headers.cookie ?? '')?.[1]
}

/** A random value of this browser, which its purchases bring back. */
function purchaseOf(request: Request, response: Response): string {
  const purchase = cookieOf(request, 'purchase') ?? crypto.randomUUID()
  response.cookie('purchase', purchase, options)
  return purchase
}

export const app = express()

// Link your Buy buttons here: /buy/${facts.price_id ?? 'prc_…'}
app.get('/buy/prc_:id', (request, response) => {
  const next = ${returnUrl(facts)} + purchaseOf(request, response)
  response.redirect(buyLink(purser.base_url, \`prc_\${request.params.id}\`, { next }))
})

// Your Login URL: buyers return here. If you have accounts, store the key in the buyer's.
app.get(${quoted(pathname)}, async (request, response) => {
  const { purchase, svc_order } = request.query
  if (typeof svc_order !== 'string') {
    response.send('<a href="/app">Open the app</a>')
    return
  }
  const own = purchaseOf(request, response)
  if (purchase !== own) {
    // Another person may have made this link: ask before you adopt its license.
    const link = \`?\${new URLSearchParams({ svc_order, purchase: own })}\`
    response.send(\`<a href="\${link}">Use this purchase in this browser</a>\`)
    return
  }
  const order = await purser.order(svc_order)
  if (order.status === 'processing') {
    response.status(202).set('refresh', String(order.retry_after)).send('Processing your payment…')
    return
  }
  response.cookie('license_key', order.license_key, options).redirect('/app')
})

// Everything under /app needs a license.
app.use(
  '/app',
  requireLicense(licenses, {
    read: (request: Request) => cookieOf(request, 'license_key'),
    refuse: ({ status, message }, _request, response: Response) =>
      response.status(status).send(message),
  }),
)

app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
  if (isPurserError(error, 'unknown_order')) {
    response.status(404).send(
      ${UNKNOWN_ORDER},
    )
    return
  }
  if (!isPurserError(error)) return next(error)
  // Such as a wrong client secret, which the visitor can do nothing about.
  console.error(error)
  response.status(502).send('Something went wrong. Try again.')
})`
}

const NEXT_COOKIE = `/(?:^|; )purchase=([\\w-]+)/.exec(request.headers.get('cookie') ?? '') ?? []`

/** A route handler that sends buyers to the checkout. */
export function nextBuy(facts: SnippetFacts): string {
  const { base_url, price_id } = facts
  return `import { buyLink } from '@purser/client'

type Params = { params: Promise<{ price: string }> }

/** Link your Buy buttons here: /buy/${price_id ?? 'prc_…'} */
export async function GET(request: Request, { params }: Params): Promise<Response> {
  const { price } = await params
  if (!price.startsWith('prc_')) return new Response('Not found', { status: 404 })
  // A random value of this browser, which its purchases bring back.
  const [, purchase = crypto.randomUUID()] =
    ${NEXT_COOKIE}
  const next = ${returnUrl(facts)} + purchase
  const location = buyLink(${quoted(base_url)}, price, { next })
  const cookie = \`purchase=\${purchase}; Path=/; HttpOnly; Secure; SameSite=Lax\`
  return new Response(null, { status: 303, headers: { location, 'set-cookie': cookie } })
}`
}

/** A route handler at the Login URL. */
export function nextLicense(facts: SnippetFacts): string {
  return `import { createClient, isPurserError } from '@purser/client'

const purser = ${client(facts)}

/** Buyers return here. If you have accounts, store the key in the buyer's. */
export async function GET(request: Request): Promise<Response> {
  const query = new URL(request.url).searchParams
  const svc_order = query.get('svc_order')
  if (!svc_order) return page('<a href="/">Open the app</a>')
  const [, own = crypto.randomUUID()] =
    ${NEXT_COOKIE}
  if (query.get('purchase') !== own) {
    // Another person may have made this link: ask before you adopt its license.
    const link = \`?\${new URLSearchParams({ svc_order, purchase: own })}\`
    const headers = { 'set-cookie': cookie('purchase', own) }
    return page(\`<a href="\${link}">Use this purchase in this browser</a>\`, 200, headers)
  }
  try {
    const order = await purser.order(svc_order)
    if (order.status === 'processing') {
      return page('Processing your payment…', 202, { refresh: String(order.retry_after) })
    }
    const headers = { location: '/', 'set-cookie': cookie('license_key', order.license_key) }
    return new Response(null, { status: 303, headers })
  } catch (error) {
    if (!isPurserError(error, 'unknown_order')) {
      // Such as a wrong client secret, which the visitor can do nothing about.
      console.error(error)
      return page('Something went wrong. Try again.', 502)
    }
    return page(
      ${UNKNOWN_ORDER},
      404,
    )
  }
}

function cookie(name: string, value: string): string {
  return \`\${name}=\${value}; Path=/; HttpOnly; Secure; SameSite=Lax\`
}

function page(html: string, status = 200, headers: Record<string, string> = {}): Response {
  const type = 'text/html; charset=utf-8'
  return new Response(html, { status, headers: { 'content-type': type, ...headers } })
}`
}
