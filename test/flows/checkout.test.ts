import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { basic, buyer, licenseKey, orderReference, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

test('a purchase ends in a license that the seller verifies at once', async () => {
  const page = await purchase(service, buyer(service), { email: 'one@example.com' })
  assert.equal(page.status, 200)
  const order = await service.app.inject({
    url: `/api/v1/orders/${orderReference(page)}`,
    headers: basic(service),
  })
  assert.equal(order.statusCode, 200)
  assert.equal(order.json().license_key, licenseKey(page))
  const validated = await service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: basic(service),
    payload: { key: order.json().license_key },
  })
  assert.deepEqual(
    { status: validated.json().status, entitled: validated.json().entitled },
    { status: 'active', entitled: true },
  )
})
