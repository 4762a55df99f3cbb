import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#platform/sql'
import { textOf } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { buyer } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

// F8
test('leads from card and page of an external app to its website, and sells nothing', async () => {
  const url = 'https://lighthouse.example'
  const app = await addApp(service, { slug: 'lighthouse', name: 'Lighthouse', url })
  const agent = buyer(service)
  const list = (mode: string) =>
    service.world.db.run(sql`update apps set listing_mode = ${mode} where id = ${app.client_id}`)
  await list('marketplace')
  const page = await agent.open('/apps/lighthouse/')
  assert.match(page.body, new RegExp(`href="/buy/${app.price_id}/`))
  await list('external')
  const home = await agent.open('/')
  assert.ok(home.body.includes(`href="${url}"`), 'its card leads to the website')
  assert.ok(!home.body.includes('/apps/lighthouse/'))
  const external = await agent.open('/apps/lighthouse/')
  assert.match(textOf(external.body), /Go to lighthouse\.example/)
  assert.doesNotMatch(external.body, /\/buy\//)
  assert.doesNotMatch(textOf(external.body), /Plans|\$/)
})
