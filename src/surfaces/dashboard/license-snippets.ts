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

/** A module over the client library. */
export function clientLicense(facts: SnippetFacts): string {
  const { price_id } = facts
  const link = price_id
    ? `/** The URL of your Buy button. */
export const buy_url = buyLink(purser.base_url, ${quoted(price_id)})

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

/** An Express server that exchanges order references and checks licenses. */
export function expressLicense(facts: SnippetFacts, pathname: string): string {
  return `import { cachedValidator, createClient } from '@purser/client'
import express from 'express'

const purser = ${client(facts)}
const licenses = cachedValidator(purser, { max_age_seconds: 300 })

export const app = express()

// Buyers return here. Store the key in your own session or account if you have one.
app.get(${quoted(pathname)}, async (request, response) => {
  const order = await purser.order(String(request.query.svc_order ?? ''))
  if (order.status === 'processing') {
    response.status(202).set('refresh', String(order.retry_after)).send('Processing your payment…')
    return
  }
  const options = { httpOnly: true, secure: true, sameSite: 'lax' } as const
  response.cookie('license_key', order.license_key, options).redirect('/app')
})

// Everything under /app needs a license.
app.use('/app', async (request, response, next) => {
  const [, key] = /(?:^|; )license_key=(key_\\w+)/.exec(request.headers.cookie ?? '') ?? []
  const license = key ? await licenses.validate(key) : undefined
  if (license?.entitled) return next()
  response.status(402).send('Buy a plan to use this app.')
})`
}

/** A route handler at the Login URL. */
export function nextLicense(facts: SnippetFacts): string {
  return `import { createClient } from '@purser/client'

const purser = ${client(facts)}

/** Buyers return here. Store the key in your own session or account if you have one. */
export async function GET(request: Request): Promise<Response> {
  const svc_order = new URL(request.url).searchParams.get('svc_order') ?? ''
  const order = await purser.order(svc_order)
  if (order.status === 'processing') {
    const headers = { refresh: String(order.retry_after) }
    return new Response('Processing your payment…', { status: 202, headers })
  }
  const cookie = \`license_key=\${order.license_key}; Path=/; HttpOnly; Secure; SameSite=Lax\`
  return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': cookie } })
}`
}
