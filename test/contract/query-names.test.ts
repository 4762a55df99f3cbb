import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { InvoiceId } from '#platform/ids'
import { openLog } from '#platform/log'
import { sql } from '#platform/sql'
import { buyer, purchase } from '../support/purchase.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const errors: string[] = []
let service: TestService
before(async () => {
  service = await openTestService({ log: openLog('error', { write: (line) => errors.push(line) }) })
})
after(() => service.close())

// S13
test('no page fails for a query parameter named like a property of Object.prototype', async () => {
  const { app, seller, operator, affiliate } = service.demo
  const holder = buyer(service)
  const bought = await purchase(service, holder, { email: 'holder@example.com' })
  const cart_id = bought.url.split('/')[2]!
  const { id: invoice_id } = await service.world.db.one<{ id: InvoiceId }>(
    sql`select id from invoices limit 1`,
  )
  await addSellerWithApp(service, { email: affiliate.email, slug: 'query-names' })
  const agents = [
    holder,
    await signedIn(service, seller),
    await signedIn(service, affiliate),
    await signedIn(service, operator),
  ]
  const names: Record<string, string> = {
    slug: app.slug,
    client_id: app.client_id,
    price_id: app.prices[0]!.public_id,
    cart_id,
    invoice_id,
    month: '2026-03',
    state: 'TX',
  }
  const pages = service.app.declared_routes.filter(({ methods }) => methods.includes('GET'))
  assert.ok(pages.length > 60)
  let opened = 0
  for (const { url } of pages) {
    if (/^\/(o|assets|sandbox)\b|\*/.test(url)) continue
    const path = url.replaceAll(/:(\w+)(?:\([^)]*\))?/g, (_, name) => names[name] ?? 'nothing')
    for (const agent of agents) {
      for (const name of ['__proto__', 'constructor']) {
        const query = new URLSearchParams(
          ['done', 'notice', 'fault', 'receipt', 'link', 'status', 'kind'].map((key) => [
            key,
            name,
          ]),
        )
        const { statusCode } = await service.app.inject({
          url: `${path}?${query}`,
          headers: { cookie: agent.cookie, accept: 'text/html' },
        })
        assert.notEqual(statusCode, 500, `${path}?${query}`)
        if (statusCode === 200) opened++
      }
    }
  }
  assert.ok(opened > 100, `${opened} pages`)
  assert.deepEqual(errors, [])
})
