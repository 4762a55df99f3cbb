/**
 * The baseline: node:http without a framework. It reads the same tables with one statement per
 * request and returns the same body, without limits, IDs, logs or a comparison of secrets.
 */
import { createServer, type IncomingMessage } from 'node:http'
import * as licensing from '#domain/licensing'
import { openPostgres } from '#platform/db-postgres'
import { openLog } from '#platform/log'
import { keyRing, sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'

const db = await openPostgres(process.env.DATABASE_URL!, openLog('warn'))
const keys = keyRing([Buffer.from(process.env.SECRET_KEY!, 'hex')])
const client_id = process.env.CLIENT_ID!
const prices = process.env.PRICES!
type Holding = NonNullable<licensing.TokenEntitlement['license']>
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
    const [hash] = licensing.keyHashes(keys, key)
    const [found] = await db.hot<licensing.LicenseFacts>(sql`
      select l.id as license_id, l.product_id, l.status, l.period_end, l.canceled_at
      from clients c join licenses l on l.app_id = c.app_id
        and l.key_hash = ${hash}
      where c.client_id = ${client_id}`)
    return JSON.stringify(licensing.stateOf(found!))
  }
  if (url.startsWith('/licensing/')) {
    const token = request.headers.authorization!.slice('Bearer '.length)
    const [found] = await db.hot<Holding>(sql`
      select l.status, l.period_end, l.product_id, p.name as product_name
      from oidc_records t join users u on u.id = t.user_id and u.locked_at is null
        join clients c on c.client_id = t.client_id
        join licenses l on l.app_id = c.app_id and l.user_id = t.user_id
          and l.status <> 'canceled'
        join products p on p.id = l.product_id
      where t.id = ${sha256(token)} and t.kind = 'AccessToken' and t.audience is null
        and t.expires_at > ${new Date()}`)
    return JSON.stringify(licensing.entitlementOf({ license: found, free: undefined }))
  }
  if (!url.startsWith('/api/v1/orders/')) return prices
  const reference = url.slice('/api/v1/orders/'.length)
  const order_id = licensing.readReference(keys, new Date(), { client_id, reference })
  const [found] = await db.hot<licensing.OrderFacts>(sql`
    select l.id as license_id, l.product_id, l.status, l.period_end, l.canceled_at, l.key_sealed
    from clients c join orders o on o.app_id = c.app_id
      join licenses l on l.id = o.license_id and l.app_id = c.app_id
    where c.client_id = ${client_id} and o.id = ${order_id}`)
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
