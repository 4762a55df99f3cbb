import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as apps from '#domain/apps'
import * as sellers from '#domain/sellers'
import { signUp } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { eventually } from '../support/eventually.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

// Uploads are in memory until they are answered (threat 47)

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

const OPENING = Buffer.from(
  '--x\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\n',
)

const CLOSING = '\r\n--x--\r\n'
const MEGABYTE = 1024 * 1024
const CONTENT = Buffer.alloc(51 * MEGABYTE, 'x')

/** Begins to send a file to an app, fast enough for a minute, and keeps its end back. */
function beginUpload(
  agent: Agent,
  slug: string,
  { megabytes = 2, remoteAddress = '127.0.0.1' } = {},
) {
  const body = new PassThrough()
  body.write(OPENING)
  body.write(CONTENT.subarray(OPENING.length + CLOSING.length, megabytes * MEGABYTE))
  const answer = service.app.inject({
    method: 'POST',
    url: `/dashboard/apps/${slug}/import/`,
    remoteAddress,
    headers: {
      cookie: agent.cookie,
      accept: 'text/html',
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': String(megabytes * MEGABYTE),
    },
    payload: body,
  })
  return { answer, reading: once(body, 'drain'), end: () => body.end(CLOSING) }
}

type Upload = ReturnType<typeof beginUpload>

/** The response to an upload that is refused before its end; undefined if it is being read. */
async function refusalOf({ answer, reading }: Upload) {
  return await Promise.race([answer, reading.then(() => undefined)])
}

async function newSeller(slug: string) {
  const { email, agent } = await signUp(service)
  const { client_id } = await addSellerWithApp(service, { email, slug })
  const { world, clock } = service
  const { seller_id } = await apps.get(world.db, client_id)
  const version = world.seller_terms_version
  await sellers.acceptTerms(world.db, clock.now(), { seller_id, version })
  return agent
}

test('an account sends two files at once, and its next one when one of them is answered', async () => {
  const agent = await signedIn(service, service.demo.seller)
  const [first, second] = [beginUpload(agent, 'tidepool'), beginUpload(agent, 'tidepool')]
  assert.equal(await refusalOf(second), undefined)
  const third = await refusalOf(beginUpload(agent, 'tidepool'))
  assert.deepEqual([third?.statusCode, third?.headers['retry-after']], [429, '5'])
  assert.match(third!.body, /Try again in 5 seconds\./)
  first.end()
  assert.equal((await first.answer).statusCode, 403)
  const fourth = beginUpload(agent, 'tidepool')
  assert.equal(await refusalOf(fourth), undefined)
  for (const each of [second, fourth]) {
    each.end()
    await each.answer
  }
})

test('uploads leave space for others, however many accounts of a network send, and slowly', async () => {
  const names = ['harbor', 'lantern', 'marina', 'quay']
  const agents: Agent[] = []
  for (const name of names) agents.push(await newSeller(name))
  const begun: Upload[] = []
  const send = async (sender: number, megabytes: number, remoteAddress: string) => {
    const upload = beginUpload(agents[sender]!, names[sender]!, { megabytes, remoteAddress })
    const refused = await refusalOf(upload)
    if (refused) return [refused.statusCode, refused.headers['retry-after']]
    begun.push(upload)
    return 'read'
  }
  assert.equal(await send(0, 50, '2001:db8:1:1::1'), 'read')
  assert.equal(await send(1, 50, '2001:db8:1:2::1'), 'read')
  assert.deepEqual(await send(2, 1, '2001:db8:1:3::1'), [429, '5'])
  assert.equal(await send(2, 50, '2001:db8:2:1::1'), 'read')
  // An account takes no more than a network, however many it sends from.
  assert.deepEqual(await send(2, 1, '2001:db8:3:1::1'), [429, '5'])
  assert.deepEqual(await send(3, 51, '2001:db8:3:1::1'), [503, '5'])
  assert.equal(await send(3, 20, '2001:db8:3:1::1'), 'read')
  for (const each of begun) {
    each.end()
    assert.equal((await each.answer).statusCode, 403)
  }
  await eventually('free space', async () => (await send(3, 51, '2001:db8:3:1::1')) === 'read')
  begun.at(-1)!.end()
  await begun.at(-1)!.answer
})

/** Sends a file to an app at a pace, its last bytes after some seconds; returns the response. */
async function sendSlowly(
  agent: Agent,
  slug: string,
  { bytes, pace, seconds }: { bytes: number; pace: number; seconds: number },
): Promise<{ status: number | undefined; connection: string | undefined; body: string }> {
  const sent = request(new URL(`/dashboard/apps/${slug}/import/`, service.world.config.base_url), {
    method: 'POST',
    headers: {
      cookie: agent.cookie,
      accept: 'text/html',
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': String(bytes),
    },
  })
  sent.on('error', () => {})
  sent.write(OPENING)
  let left = bytes - OPENING.length
  const write = (length: number) => {
    left -= length
    sent.write(Buffer.alloc(length, 'x'))
  }
  const drip = setInterval(() => write(pace / 2), 500)
  const rest = sleep(seconds * 1000, undefined, { ref: false }).then(() => {
    clearInterval(drip)
    if (sent.destroyed) return
    write(left - CLOSING.length)
    sent.end(CLOSING)
  })
  const closed = once(sent, 'close').then(() => clearInterval(drip))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode: status, headers } = answer
  const body = await text(answer)
  await Promise.race([closed, rest])
  return { status, connection: headers.connection, body }
}

test('a file that arrives too slowly for its size is refused, and leaves its space', async () => {
  const [sandbar, shoal] = [await newSeller('sandbar'), await newSeller('shoal')]
  await service.listen()
  const slow = [
    { bytes: 1_000_000, pace: 2000, seconds: 15 },
    { bytes: 50_000_000, pace: 500_000, seconds: 15 },
  ]
  const refused = slow.map(async (sent) => {
    const { status, connection, body } = await sendSlowly(sandbar, 'sandbar', sent)
    assert.deepEqual([status, connection], [408, 'close'])
    assert.match(body, /The file arrived too slowly\. Send it again/)
  })
  // A line of 1 Mbit/s
  const read = sendSlowly(shoal, 'shoal', { bytes: 2_000_000, pace: 125_000, seconds: 8 })
  await Promise.all(refused)
  assert.equal((await read).status, 403)
  const next = beginUpload(sandbar, 'sandbar')
  assert.equal(await refusalOf(next), undefined)
  next.end()
  assert.equal((await next.answer).statusCode, 403)
})

test('the length of a body is limited, however its content type is written', async () => {
  const agent = await signedIn(service, service.demo.seller)
  for (const type of ['multipart/form-data', 'Multipart/Form-Data', 'MULTIPART/FORM-DATA']) {
    const { statusCode } = await service.app.inject({
      method: 'POST',
      url: '/dashboard/apps/tidepool/import/',
      headers: {
        cookie: agent.cookie,
        accept: 'text/html',
        'content-type': `${type}; boundary=x`,
        'content-length': String(1024 ** 3),
      },
      payload: new PassThrough().end(OPENING),
    })
    assert.equal(statusCode, 413, type)
  }
})
