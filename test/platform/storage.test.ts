import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ConfigError, readConfig } from '#platform/config'
import type { Database } from '#platform/db'
import { migrate } from '#platform/migrate'
import { systemRandom } from '#platform/random'
import { type FileStorage, openStorage } from '#platform/storage'
import { readBucket } from '#platform/storage-url'
import { withTimeout } from '#platform/with-timeout'
import { openTestDatabase } from '../support/database.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const NOW = new Date('2026-03-02T12:00:00Z')
const SECRET = 'a secret/with+signs'
const PICTURE = { content: Buffer.from([0, 1, 2, 255]), type: 'image/webp' }

/** The page of a proxy may be larger than what a connection keeps unread. */
const REFUSAL = 'x'.repeat(1_000_000)

const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()

/** What AWS Signature Version 4 requires of a request, computed from its documentation. */
function expectedSignature(request: IncomingMessage, body: Buffer): string {
  const { headers, method, url } = request
  const [, signed = ''] = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? []
  for (const name of ['host', 'x-amz-content-sha256', 'x-amz-date']) {
    assert.ok(signed.split(';').includes(name), `${name} is signed`)
  }
  assert.equal(headers['x-amz-content-sha256'], sha256(body))
  const lines = signed.split(';').map((name) => `${name}:${headers[name]}\n`)
  const canonical = [method, url, '', lines.join(''), signed, sha256(body)].join('\n')
  const date = String(headers['x-amz-date'])
  const scope = [date.slice(0, 8), 'eu-north-9', 's3', 'aws4_request']
  const key = scope.reduce<Buffer | string>((before, part) => hmac(before, part), `AWS4${SECRET}`)
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(canonical)].join('\n')
  return hmac(key, text).toString('hex')
}

/** A server with one bucket that checks every request's signature. */
function bucketServer() {
  const files = new Map<string, { content: Buffer; type: string | undefined }>()
  const refusals: string[] = []
  const connections: Socket[] = []
  let fails = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { method, url = '', headers } = request
    const expected = `Signature=${expectedSignature(request, body)}`
    const credential = /Credential=KEY_ID\/\d{8}\/eu-north-9\/s3\/aws4_request,/
    const given = String(headers.authorization)
    if (!given.endsWith(expected) || !credential.test(given)) {
      refusals.push(`${method} ${url}`)
      response.writeHead(403).end(REFUSAL)
    } else if (fails-- > 0) response.writeHead(503).end(REFUSAL)
    else if (method === 'PUT') {
      files.set(url, { content: body, type: headers['content-type'] })
      response.end()
    } else if (method === 'DELETE') {
      response.writeHead(files.delete(url) ? 204 : 404).end()
    } else {
      const file = files.get(url)
      response.writeHead(file ? 200 : 404).end(file?.content ?? REFUSAL)
    }
  })
  server.on('connection', (socket) => connections.push(socket))
  return {
    files,
    refusals,
    connections,
    server,
    /** Responds 503 to the next requests. */
    fail(times: number) {
      fails = times
    },
  }
}

const { server, files, refusals, connections, fail } = bucketServer()
let db: Database
let origin: string

before(async () => {
  db = await openTestDatabase()
  await migrate(db, NOW)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(async () => {
  server.close()
  await db.close()
})

function bucketStorage(secret = SECRET): FileStorage {
  const credentials = `KEY_ID:${encodeURIComponent(secret)}`
  const bucket = readBucket(`http://${credentials}@${origin}/pictures?region=eu-north-9`)
  assert.ok(bucket)
  return openStorage(db, bucket)
}

for (const name of ['the database', 'a bucket']) {
  test(`${name} stores, replaces, returns and removes files`, async () => {
    const storage = name === 'a bucket' ? bucketStorage() : openStorage(db, undefined)
    assert.equal(await storage.get('img_1-256.webp'), undefined)
    await storage.put(NOW, 'img_1-256.webp', { ...PICTURE, content: Buffer.from('before') })
    await storage.put(NOW, 'img_1-256.webp', PICTURE)
    await storage.put(NOW, 'img_2-256.webp', PICTURE)
    assert.deepEqual(await storage.get('img_1-256.webp'), PICTURE.content)
    await storage.remove('img_1-256.webp')
    await storage.remove('img_1-256.webp')
    assert.equal(await storage.get('img_1-256.webp'), undefined)
    assert.deepEqual(await storage.get('img_2-256.webp'), PICTURE.content)
  })

  test(`${name} is not called while a transaction is open`, async () => {
    const storage = name === 'a bucket' ? bucketStorage() : openStorage(db, undefined)
    await assert.rejects(
      db.tx(async () => storage.put(NOW, 'img_1-256.webp', PICTURE)),
      /while a transaction is open/,
    )
  })
}

describe('a bucket', () => {
  test('gets the type of a file, and a valid signature with every request', async () => {
    await bucketStorage().put(NOW, 'img_3-256.webp', PICTURE)
    assert.equal(files.get('/pictures/img_3-256.webp')?.type, 'image/webp')
    assert.deepEqual(refusals, [])
  })

  test('that refuses or fails is an error, and a short failure is retried', async () => {
    await assert.rejects(
      bucketStorage('another').put(NOW, 'img_4-256.webp', PICTURE),
      /the storage responded 403 to PUT img_4-256.webp/,
    )
    fail(2)
    await bucketStorage().put(NOW, 'img_4-256.webp', PICTURE)
    fail(9)
    await assert.rejects(bucketStorage().get('img_4-256.webp'), /responded 503/)
    fail(0)
  })

  test('is asked again over the same connection, whatever it answered before', async () => {
    const storage = bucketStorage()
    const refused = bucketStorage('another')
    await storage.put(NOW, 'img_5-256.webp', PICTURE)
    const before = connections.length
    assert.equal(await storage.get('img_6-256.webp'), undefined)
    await assert.rejects(refused.get('img_5-256.webp'), /responded 403/)
    await assert.rejects(refused.remove('img_5-256.webp'), /responded 403/)
    fail(1)
    assert.deepEqual(await storage.get('img_5-256.webp'), PICTURE.content)
    assert.equal(connections.length, before)
  })
})

describe('a bucket that stalls', () => {
  const content = Buffer.alloc(5_000_000)
  for (const [what, stall] of [
    ['before it reads a file', (request) => request.pause()],
    ['before it answers', (request) => request.resume()],
    ['in the middle of an answer', (request, response) => void startAnswer(request, response, 200)],
    ['in the middle of a refusal', (request, response) => void startAnswer(request, response, 503)],
  ] as [what: string, stall: RequestListener][]) {
    test(`${what} is an error after the time limit`, async (t) => {
      // What only a collected object would end stalls for as long as Node lets it.
      const stalling = createServer((request, response) => {
        stall(request, response)
        collect()
      })
      await new Promise<void>((resolve) => stalling.listen(0, '127.0.0.1', resolve))
      t.after(() => stalling.closeAllConnections())
      t.after(() => stalling.close())
      const { port } = stalling.address() as AddressInfo
      const bucket = readBucket(`http://KEY_ID:secret@127.0.0.1:${port}/pictures`)
      const storage = openStorage(db, bucket, { most_ms: 500 })
      for (const call of [
        storage.put(NOW, 'img_7-256.webp', { ...PICTURE, content }),
        storage.get('img_7-256.webp'),
      ]) {
        const outcome = call.then(
          () => 'answered',
          (error: Error) => error.name,
        )
        assert.equal(await withTimeout(outcome, 10_000), 'TimeoutError')
      }
    })
  }
})

function startAnswer(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.resume()
  response.writeHead(status, { 'content-length': 100 }).write('x')
}

test('STORAGE_URL names a bucket with its credentials, by https outside of this machine', () => {
  const url = 'https://KEY_ID:a%2Fb@s3.example.com/my-pictures'
  assert.deepEqual(readBucket(`${url}?region=auto`), {
    url: 'https://s3.example.com/my-pictures',
    access_key_id: 'KEY_ID',
    secret_access_key: 'a/b',
    region: 'auto',
  })
  assert.equal(
    readConfig({ STORAGE_URL: url, SECRET_KEY: KEY }, systemRandom).storage?.region,
    'us-east-1',
  )
  for (const wrong of [
    'http://KEY_ID:secret@s3.example.com/my-pictures',
    'https://s3.example.com/my-pictures',
    'https://KEY_ID:secret@s3.example.com/',
    'https://KEY_ID:secret@s3.example.com/a/b',
    'https://KEY_ID:%@s3.example.com/my-pictures',
    'my-pictures',
  ]) {
    assert.equal(readBucket(wrong), undefined, wrong)
    assert.throws(() => readConfig({ STORAGE_URL: wrong }, systemRandom), ConfigError)
  }
})

const KEY = sha256('a key for tests')
