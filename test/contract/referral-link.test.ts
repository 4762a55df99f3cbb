import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as affiliates from '#domain/affiliates'
import { mintId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Agent } from '../support/agent.ts'
import { buyer, goToConfirm } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let link: string
before(async () => {
  service = await openTestService()
  link = `/buy/${service.demo.app.prices[0]!.public_id}/`
})
after(() => service.close())

let emails = 0
const fresh = () => `referred-${emails++}@example.com`

describe('ref', () => {
  const open = async (agent: Agent, code: string, headers: Record<string, string> = {}) => {
    const answer = await service.app.inject({
      url: `${link}?ref=${encodeURIComponent(code)}`,
      headers: { cookie: agent.cookie, ...headers },
    })
    const cookie = answer.cookies.find(({ name }) => name === '__Host-ref')
    if (cookie) agent.cookies.set(cookie.name, cookie.value)
    return cookie
  }
  const affiliateOf = async (agent: Agent) => {
    const email = fresh()
    await goToConfirm(service, agent, { email })
    const cart = await service.world.db.one<{ code: string | null }>(sql`select a.code from carts c
      left join affiliates a on a.id = c.affiliate_id where c.email = ${email}`)
    return cart.code
  }
  const addAffiliate = async (code: string) => {
    const { db, random, clock } = service.world
    const id = mintId(random, 'usr')
    await db.run(sql`insert into users (id, email, email_normalized, created_via, created_at)
      values (${id}, ${code}, ${`${code}@example.net`}, 'signup', ${clock.now()})`)
    await affiliates.add(db, clock.now(), { id: mintId(random, 'aff'), user_id: id, code })
  }

  test('sets a cookie that no script, no other host and no plain connection reads', async () => {
    const cookie = await open(buyer(service), service.demo.affiliate.code)
    const { value, ...facts } = cookie!
    assert.deepEqual(facts, {
      name: '__Host-ref',
      maxAge: 60 * 86_400,
      path: '/',
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
    })
    assert.ok(!value.includes(service.demo.affiliate.code))
  })

  test('an unknown code leaves the cookie alone, and the last known one wins', async () => {
    await addAffiliate('second-code')
    const agent = buyer(service)
    const { code } = service.demo.affiliate
    await open(agent, code)
    for (const unknown of ['unknown', '', 'x', 'a'.repeat(33), 'ä', "' or 1=1"]) {
      assert.equal(await open(agent, unknown), undefined, unknown)
    }
    assert.equal(await affiliateOf(agent), code)
    assert.ok(await open(agent, 'second-code'))
    assert.equal(await affiliateOf(agent), 'second-code')
    assert.ok(await open(agent, code))
    assert.equal(await affiliateOf(agent), code)
  })

  // F14
  test('counts in upper case, and the first of two', async () => {
    const { code } = service.demo.affiliate
    const shouting = buyer(service)
    assert.ok(await open(shouting, code.toUpperCase()))
    assert.equal(await affiliateOf(shouting), code)
    const twice = buyer(service)
    await twice.open(`${link}?ref=${code}&ref=second-code`)
    assert.equal(await affiliateOf(twice), code)
  })

  test('a picture or a frame with the link is no click', async () => {
    for (const destination of ['image', 'iframe', 'script', 'empty']) {
      const headers = { 'sec-fetch-dest': destination }
      assert.equal(await open(buyer(service), service.demo.affiliate.code, headers), undefined)
    }
  })

  test('ignores a cookie whose value or signature was altered', async () => {
    const agent = buyer(service)
    const { value } = (await open(agent, service.demo.affiliate.code))!
    const [body = '', signature = ''] = value.split('.')
    const forged = Buffer.from(JSON.stringify(['aff_1', 9_999_999_999])).toString('base64url')
    const wrong = ['', '.', 'x', body, `${body}.`, `${forged}.${signature}`, `.${signature}`]
    wrong.push(`${body}.${signature.slice(1)}`, `${body}x.${signature}`, `${value}=.x`.slice(1))
    for (const each of wrong) {
      agent.cookies.set('__Host-ref', each)
      assert.equal(await affiliateOf(agent), null, each)
    }
    agent.cookies.set('__Host-ref', value)
    assert.equal(await affiliateOf(agent), service.demo.affiliate.code)
  })

  test('it is good for 60 days, even in a browser that keeps it longer', async () => {
    const [early, late] = [buyer(service), buyer(service)]
    for (const agent of [early, late]) await open(agent, service.demo.affiliate.code)
    service.clock.pass(60 * 86_400 - 1)
    assert.equal(await affiliateOf(early), service.demo.affiliate.code)
    service.clock.pass(1)
    assert.equal(await affiliateOf(late), null)
  })

  test('it is not set by a link that is misconfigured or unknown', async () => {
    const { code } = service.demo.affiliate
    for (const url of [`${link}?ref=${code}&next=https://evil.example/`, `/buy/x/?ref=${code}`]) {
      const { cookies } = await service.app.inject({ url })
      assert.ok(cookies.every(({ name }) => name !== '__Host-ref'))
    }
  })
})
