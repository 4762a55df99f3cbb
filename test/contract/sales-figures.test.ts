import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { InvoiceId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { exportBy } from '../support/exports.ts'
import { closeSound } from '../support/invariants.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { CARD, DAY, runDue, type Subscriber, subscribe } from '../support/subscriber.ts'

// The figures of a seller's pages about sales, compared with the ledger.

const BASE = '/dashboard/apps/tidepool'

let service: TestService
let subscriber: Subscriber
let agent: Agent
before(async () => {
  service = await openTestService()
  subscriber = await subscribe(service, { card: CARD.never_renews })
  service.clock.pass(32 * DAY)
  await runDue(service)
  agent = await signedIn(service, service.demo.seller)
})
after(() => closeSound(service))

describe('an invoice that is not paid', () => {
  test('has no fee and no earnings, in the list, in its export and on its page', async () => {
    await agent.open(`${BASE}/sales/?status=open`)
    assert.match(textOf(agent.page.body), /\$12\.00 \$0\.60 \$0\.00 \$0\.00 PUR-\d+ Open/)
    const { rows } = await exportBy(agent, 'Export CSV')
    assert.deepEqual(
      rows.map(({ amount, fee, of_it_add_on, net }) => [amount, fee, of_it_add_on, net]),
      [['12.00', '0.00', '0.00', '0.00']],
    )
    const open = await service.world.db.one<{ id: InvoiceId }>(
      sql`select id from invoices where status = 'open'`,
    )
    const text = textOf((await agent.open(`${BASE}/sales/${open.id}/`)).body)
    assert.match(text, /Paid by the buyer \$0\.00 Purser’s fee \$0\.00 Your earnings \$0\.00/)
  })

  test('is not listed as paid on the page of its customer', async () => {
    const { body } = await agent.open(`${BASE}/customers/${subscriber.license_id}/`)
    assert.match(textOf(body), /Total Refunded Invoice Status \$12\.60 \$0\.00 Renewal .* Open/)
  })
})
