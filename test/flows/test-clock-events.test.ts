import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addDays, isoDate } from '#platform/calendar'
import type { PriceId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { eventually } from '../support/eventually.ts'
import { closeSound } from '../support/invariants.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { subscribe } from '../support/subscriber.ts'

const CLOCK = '/dashboard/apps/daily/test-clock/'

let service: TestService
let seller: Agent
before(async () => {
  service = await openTestService()
  seller = await signedIn(service, service.demo.seller)
})
after(() => closeSound(service))

const pageText = () => textOf(seller.page.body)

describe('the result of an advance with many events', () => {
  test('is shown page by page, from the first event to the last', async () => {
    await addApp(service, { slug: 'daily', frequency: 'day', amount: cents(100) })
    const { id: price_id } = await service.world.db.one<{ id: PriceId }>(sql`select r.id
      from prices r join products p on p.id = r.product_id join apps a on a.id = p.app_id
      where a.slug = 'daily'`)
    await subscribe(service, { price_id })
    await seller.open(CLOCK)
    await seller.submit('Advance to this day', { date: isoDate(addDays(service.clock.now(), 40)) })
    const { url } = seller.page
    await eventually('the result', async () => (await seller.open(url)).status !== 202)
    const result = seller.page.url
    assert.match(pageText(), /March 11, 2026/)
    assert.match(pageText(), /Page 1 of 2/)
    assert.doesNotMatch(pageText(), /Older|Latest/)
    await seller.press('Next')
    assert.match(pageText(), /April 19, 2026/)
    assert.match(pageText(), /Page 2 of 2/)
    for (const page of ['3', '9'.repeat(30)]) {
      const { status } = await seller.open(`${result}?page=${page}`)
      assert.equal(status, 200)
      assert.match(pageText(), /Page 2 of 2/)
    }
  })
})
