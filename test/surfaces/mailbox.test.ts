import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { textOf } from '../support/agent.ts'
import { emailTo } from '../support/mailbox.ts'
import { buyer, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

// Guards F56
test('the development mailbox shows an email as HTML in a frame that runs nothing', async () => {
  const agent = buyer(service)
  await purchase(service, agent, { email: 'reader@example.com' })
  await emailTo(service, 'reader@example.com', /receipt/)
  const list = await service.app.inject({ url: '/dev/mailbox/' })
  const [, message = ''] = /href="(\/dev\/mailbox\/[^"]+)"/.exec(list.body) ?? []
  const { body } = await service.app.inject({ url: message })
  const [frame = ''] = /<iframe[^>]*>/.exec(body) ?? []
  assert.match(frame, /sandbox="allow-popups allow-popups-to-escape-sandbox"/)
  const [, src = ''] = /src="([^"]+)"/.exec(frame) ?? []
  const html = await service.app.inject({ url: src })
  assert.equal(html.statusCode, 200)
  assert.match(html.body, /^<!doctype html>.*<h1/s)
  const policy = String(html.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /sandbox allow-popups/)
  assert.doesNotMatch(policy, /script/)
})

// Guards F56
test('the card step shows the subtotal and the tax of the total', async () => {
  const agent = buyer(service)
  await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
  await agent.submit('Continue', { email: 'card@example.com', country: 'US', zip: '78701' })
  assert.match(textOf(agent.page.body), /Subtotal ?\$12\.00/)
  assert.match(textOf(agent.page.body), /Sales tax \(TX\) ?\$\d/)
})
