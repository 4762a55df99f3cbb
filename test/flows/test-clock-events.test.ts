import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addDays, isoDate } from '#platform/calendar'
import type { PriceId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { Agent } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { CARD } from '../support/cards.ts'
import { addImported } from '../support/imported.ts'
import { paidProducts, selected } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { buy, refund } from '../support/refunds.ts'
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
after(() => assertInvariantsAndClose(service))

test('a rejected scenario keeps the plan and the retry of its form, and says what did not run', async () => {
  await seller.open('/dashboard/apps/tidepool/test-clock/')
  const price_id = service.demo.app.prices[2]!.public_id
  await seller.submit('Run', { scenario: 'recovered', price_id, retry: '3' })
  assert.equal(seller.page.status, 422)
  assert.match(seller.text, /The scenario did not run/)
  assert.doesNotMatch(seller.text, /The clock was not advanced/)
  assert.deepEqual(selected(seller.page.body), { price_id, retry: '3' })
})

describe('the next event', () => {
  test('is the end of an imported license if that comes first', async () => {
    const { client_id } = service.demo.app
    const [product_id] = await paidProducts(service)
    const facts = { app_id: client_id, product_id: product_id!, email: 'moved@example.com' }
    await addImported(service, { ...facts, ends_at: addDays(service.clock.now(), 3) })
    await subscribe(service)
    await seller.open('/dashboard/apps/tidepool/test-clock/')
    const next = /March 13, 2026 at 12:00 PM UTC : A given or imported license ends/
    assert.match(seller.text, next)
    assert.doesNotMatch(seller.text, /There are no subscribers yet/)
    await seller.runTask('Advance to this event')
    assert.match(seller.text, /to March 13, 2026 at 12:00 PM UTC/)
    assert.match(seller.text, /moved@example\.com/)
    await seller.open('/dashboard/apps/tidepool/test-clock/')
    assert.match(seller.text, /April 10, 2026 at 12:00 PM UTC : \S+ renews/)
  })

  test('is the return of a refund by the bank, which the result lists', async () => {
    const bought = await buy(service, { card: CARD.comes_back })
    await refund(service, bought)
    await seller.open('/dashboard/apps/tidepool/test-clock/')
    assert.match(seller.text, /: A bank responds/)
    await seller.runTask('Advance to this event')
    assert.match(seller.text, /Refund returned by the bank 1 for \$12\.60/)
    await seller.open(`/dashboard/apps/tidepool/customers/${bought.license_id}/`)
    assert.match(seller.text, /Refund returned by the bank/)
  })
})

describe('the result of an advance with many events', () => {
  test('is shown page by page, from the first event to the last', async () => {
    await addApp(service, { slug: 'daily', frequency: 'day', amount: cents(100) })
    const { id: price_id } = await service.world.db.one<{ id: PriceId }>(sql`select r.id
      from prices r join products p on p.id = r.product_id join apps a on a.id = p.app_id
      where a.slug = 'daily'`)
    await subscribe(service, { price_id })
    await seller.open(CLOCK)
    await seller.runTask('Advance to this day', { date: isoDate(addDays(service.clock.now(), 40)) })
    const result = seller.page.url
    assert.match(seller.text, /March 11, 2026/)
    assert.match(seller.text, /Page 1 of 2/)
    assert.doesNotMatch(seller.text, /Older|Latest/)
    await seller.press('Next')
    assert.match(seller.text, /April 19, 2026/)
    assert.match(seller.text, /Page 2 of 2/)
    for (const page of ['3', '9'.repeat(30)]) {
      const { status } = await seller.open(`${result}?page=${page}`)
      assert.equal(status, 200)
      assert.match(seller.text, /Page 2 of 2/)
    }
  })
})
