import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CONNECTIONS } from '#platform/db-postgres'
import { sql } from '#platform/sql'
import type { Agent } from '../support/agent.ts'
import { SERVER_URL } from '../support/database.ts'
import { basic, buyer, licenseKey, purchase, TEXAS } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SKIP = SERVER_URL === undefined && 'it needs a PostgreSQL server (TEST_DATABASE_URL)'

// R5
describe('while every database connection for reports is in use, and requests wait', {
  skip: SKIP,
}, () => {
  let service: TestService
  let seller: Agent
  let staff: Agent
  let key: string
  let release: () => void
  let taken: Promise<unknown>
  before(async () => {
    service = await openTestService()
    seller = await signedIn(service, service.demo.seller)
    staff = await signedIn(service, service.demo.operator)
    key = licenseKey(await purchase(service, buyer(service), { email: 'owner@example.com' }))
    await takeAll()
  })
  after(async () => {
    release?.()
    await taken
    await service?.close()
  })

  /** Takes all connections for reports, and fills their queue. */
  async function takeAll(): Promise<void> {
    const { reports } = service.world.db
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const connected = Promise.withResolvers<void>()
    let open = 0
    const running = Array.from({ length: CONNECTIONS.reports }, () =>
      reports.tx(async (tx) => {
        await tx.run(sql`select 1`)
        open += 1
        if (open === CONNECTIONS.reports) connected.resolve()
        await released
      }),
    )
    await connected.promise
    const waiting = Array.from({ length: CONNECTIONS.waiting_reports }, () =>
      reports.rows(sql`select 1`),
    )
    taken = Promise.allSettled([...running, ...waiting])
  }

  test('a key is validated, and a checkout reaches its payment step', async () => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/api/v1/licenses/validate',
      headers: basic(service),
      payload: { key },
    })
    assert.deepEqual([answer.statusCode, answer.json().entitled], [200, true])
    const agent = buyer(service)
    await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
    await agent.submit('Continue', { email: 'meanwhile@example.com', ...TEXAS })
    assert.match(agent.page.body, /Card number/)
  })

  test('lists, payouts, admin search and tax pages answer 503 and say when to try again', async () => {
    const pages: [Agent, string][] = [
      [seller, '/dashboard/apps/tidepool/sales/'],
      [seller, '/dashboard/payouts/'],
      [staff, '/admin/cases/?q=owner@example.com'],
      [staff, '/admin/tax/'],
    ]
    for (const [agent, path] of pages) {
      const page = await agent.twin().open(path)
      assert.equal(page.status, 503, path)
      assert.equal(page.headers['retry-after'], '5', path)
      assert.match(page.body, /Too many reports are open right now\. Try again in a few seconds\./)
    }
  })

  test('and the same pages work again once the connections do', async () => {
    release()
    await taken
    assert.equal((await seller.open('/dashboard/apps/tidepool/sales/')).status, 200)
  })
})
