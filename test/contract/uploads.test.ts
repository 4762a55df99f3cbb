import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
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

/** Begins to send a file to an app, fast enough for a minute, and keeps the rest of it back. */
function beginUpload(agent: Agent, slug: string, remoteAddress = '127.0.0.1') {
  const body = new PassThrough()
  body.write(OPENING)
  body.write(Buffer.alloc(1_000_000, 'x'))
  const answer = service.app.inject({
    method: 'POST',
    url: `/dashboard/apps/${slug}/import/`,
    remoteAddress,
    headers: {
      cookie: agent.cookie,
      accept: 'text/html',
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': '1000000',
    },
    payload: body,
  })
  return { answer, end: () => body.end('\r\n--x--\r\n') }
}

type Upload = ReturnType<typeof beginUpload>

/** The response to an upload that is refused before its end; undefined if it is being read. */
async function refusalOf({ answer }: Upload) {
  return await Promise.race([answer, setTimeout(500)])
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

test('all accounts send four files at once, however slowly, and the next one is asked to wait', async () => {
  const names = ['harbor', 'lantern', 'marina', 'quay']
  const agents: Agent[] = []
  for (const name of names) agents.push(await newSeller(name))
  const [harbor, lantern, marina, quay] = agents as [Agent, Agent, Agent, Agent]
  const begun: Upload[] = []
  for (const [agent, slug, address] of [
    [harbor, 'harbor', '192.0.2.1'],
    [harbor, 'harbor', '192.0.2.1'],
    [lantern, 'lantern', '192.0.2.2'],
  ] as const) {
    begun.push(beginUpload(agent, slug, address))
    assert.equal(await refusalOf(begun.at(-1)!), undefined)
  }
  // Two accounts never take every place.
  const greedy = await refusalOf(beginUpload(lantern, 'lantern', '192.0.2.2'))
  assert.deepEqual([greedy?.statusCode, greedy?.headers['retry-after']], [429, '5'])
  begun.push(beginUpload(marina, 'marina', '192.0.2.3'))
  assert.equal(await refusalOf(begun.at(-1)!), undefined)
  const refused = await refusalOf(beginUpload(quay, 'quay', '192.0.2.4'))
  assert.deepEqual([refused?.statusCode, refused?.headers['retry-after']], [503, '5'])
  for (const each of begun) {
    each.end()
    await each.answer
  }
  const next = await eventually('a free place', async () => {
    const upload = beginUpload(quay, 'quay', '192.0.2.4')
    upload.end()
    const { statusCode } = await upload.answer
    return statusCode !== 503 && statusCode
  })
  assert.equal(next, 403)
})

test('a network takes half of the places, whichever accounts and addresses it has', async () => {
  const agents = [await newSeller('pier'), await newSeller('wharf'), await newSeller('jetty')]
  const [pier, wharf, jetty] = agents as [Agent, Agent, Agent]
  const begun = [
    beginUpload(pier, 'pier', '2001:db8:1:1::1'),
    beginUpload(wharf, 'wharf', '2001:db8:1:2::1'),
  ]
  for (const each of begun) assert.equal(await refusalOf(each), undefined)
  const refused = await refusalOf(beginUpload(jetty, 'jetty', '2001:db8:1:3::1'))
  assert.equal(refused?.statusCode, 429)
  begun.push(beginUpload(jetty, 'jetty', '2001:db8:2:1::1'))
  assert.equal(await refusalOf(begun.at(-1)!), undefined)
  for (const each of begun) {
    each.end()
    await each.answer
  }
})

test('a file that arrives too slowly is refused, and leaves its place', async () => {
  const agent = await newSeller('sandbar')
  await service.listen()
  const url = new URL('/dashboard/apps/sandbar/import/', service.world.config.base_url)
  const send = () => {
    const sent = request(url, {
      method: 'POST',
      headers: {
        cookie: agent.cookie,
        accept: 'text/html',
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': '1000000',
      },
    })
    sent.write(OPENING)
    const drip = setInterval(() => sent.write('x'.repeat(1000)), 500)
    const closed = once(sent, 'close').then(() => clearInterval(drip))
    const answered = once(sent, 'response').then(async ([answer]: IncomingMessage[]) => {
      assert.deepEqual([answer!.statusCode, answer!.headers.connection], [408, 'close'])
      assert.match(await text(answer!), /The file arrived too slowly\. Send it again/)
    })
    sent.on('error', () => {})
    return Promise.all([answered, closed])
  }
  await Promise.all([send(), send()])
  const next = beginUpload(agent, 'sandbar')
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
