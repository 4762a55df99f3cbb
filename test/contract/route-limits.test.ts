import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import Fastify from 'fastify'
import { openLimits } from '#platform/limits'
import { openLog } from '#platform/log'
import { type DeclaredRoute, limitRoutes } from '#platform/route-limits'
import { buyer, goToConfirm, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

const READS = ['GET', 'HEAD', 'OPTIONS']
const isWrite = ({ methods }: DeclaredRoute) => methods.some((method) => !READS.includes(method))

/** An address of a route, with IDs that do not exist. */
function addressOf({ url }: DeclaredRoute): string {
  return url
    .replaceAll(/:id\(\^(ce|chl|ptl|obd)_[^)]*\)/g, (_, kind) => `${kind}_${'0'.repeat(22)}`)
    .replaceAll(/:month\([^)]*\)/g, '2026-01')
    .replaceAll(/:state\([^)]*\)/g, 'CA')
    .replaceAll(/:queue\([^)]*\)/g, 'emails')
    .replaceAll(/:job_id\([^)]*\)/g, '00000000-0000-4000-8000-000000000000')
    .replaceAll(/:\w+/g, 'nothing')
}

describe('every route that changes something has a limit', () => {
  // S1
  test('refuses to declare one without', async () => {
    const app = Fastify()
    limitRoutes(app, openLimits(undefined, openLog('silent')))
    const limits = [{ name: 'shells', points: 1, seconds: 60, key: () => 'all' }]
    app.get('/read', async () => 'read')
    app.post('/limited', { config: { limits } }, async () => 'done')
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const route = { method, url: '/unlimited', handler: async () => 'done' }
      assert.throws(() => app.route(route), new RegExp(`${method} /unlimited has no limit`))
    }
    await app.close()
  })

  // S1
  test('answers 429 at its end before the body is read', async () => {
    const { app, world } = service
    const routes = app.declared_routes.filter(isWrite)
    assert.ok(routes.length > 60, `${routes.length} routes`)
    for (const [index, route] of routes.entries()) {
      const url = addressOf(route)
      const send = () =>
        app.inject({
          method: 'POST',
          url,
          remoteAddress: `10.99.${index}.1`,
          headers: { 'content-type': 'text/unreadable', accept: 'application/json' },
          payload: 'not a form',
        })
      const most = Math.min(...route.limits.map(({ points }) => points))
      // Two are checked through responses; the rest is taken from the limit itself.
      const first = await send()
      assert.notEqual(first.statusCode, 429, url)
      for (const limit of route.limits) {
        const ip = `10.99.${index}.1`
        const params = { cart_id: 'nothing' }
        const request = { ip, params, headers: {}, routeOptions: { url: route.url } }
        await world.limits.consume(limit, limit.key(request as never), most)
      }
      const last = await send()
      assert.equal(last.statusCode, 429, `${url} ${last.body.slice(0, 80)}`)
      assert.ok(Number(last.headers['retry-after']) >= 1, url)
    }
  })
})

// S14
test('a checkout confirms six times a minute, and a purchase returns its point', async () => {
  const agent = buyer(service)
  for (let time = 0; time < 8; time++) {
    agent.cookies.clear()
    const bought = await purchase(service, agent, { email: `office-${time}@example.com` })
    assert.match(bought.body, /key_/)
  }
  const tester = buyer(service)
  await goToConfirm(service, tester, { email: 'tester@example.com', card: '4000000000000002' })
  const statuses: number[] = []
  for (let time = 0; time < 7; time++) {
    statuses.push((await tester.tab().submit(/^Pay /)).status)
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429])
})
