/**
 * The baseline: node:http without a framework. It sends the same statements as the service and
 * returns the same body, without limits, IDs, logs or a comparison of secrets.
 */
import { createServer, type IncomingMessage } from 'node:http'
import * as licensing from '#domain/licensing'
import { openPostgres } from '#platform/db-postgres'
import { openLog } from '#platform/log'
import { keyRing } from '#platform/secrets'

const db = await openPostgres(process.env.DATABASE_URL!, openLog('warn'))
const keys = keyRing([Buffer.from(process.env.SECRET_KEY!, 'hex')])
const client_id = process.env.CLIENT_ID!
const prices = process.env.PRICES!
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

const server = createServer((request, response) => {
  answer(request).then(
    (body) => response.writeHead(200, JSON_TYPE).end(body),
    (error) => response.writeHead(500).end(String(error)),
  )
})

async function answer(request: IncomingMessage): Promise<string> {
  const url = request.url!
  if (request.method === 'POST') {
    const { key } = JSON.parse(await bodyOf(request))
    const { found } = await licensing.findByKey(db, keys, { client_id, license_key: key })
    return JSON.stringify(licensing.stateOf(found!))
  }
  if (url.startsWith('/licensing/')) {
    const token = request.headers.authorization!.slice('Bearer '.length)
    const found = await licensing.findByToken(db, new Date(), token)
    return JSON.stringify(licensing.entitlementOf(found!))
  }
  if (!url.startsWith('/api/v1/orders/')) return prices
  const reference = url.slice('/api/v1/orders/'.length)
  const order_id = licensing.readReference(keys, new Date(), { client_id, reference })
  const { found } = await licensing.findByOrder(db, { client_id, order_id })
  const license_key = licensing.showKey(keys, found!)
  return JSON.stringify({ ...licensing.stateOf(found!), license_key })
}

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => resolve(body))
    request.on('error', reject)
  })
}

server.listen(Number(process.env.PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
