import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Sql, sql } from '#platform/sql'
import { textOf } from '../support/agent.ts'
import { buyer, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

// R14
test('a buyer with many purchases sees twenty on a page, each once', async () => {
  const { db } = service.world
  const agent = buyer(service)
  await agent.open('/signin/')
  const { email, password } = service.demo.buyer
  await agent.submit('Sign in', { email, password })
  await purchase(service, agent, { email })
  // Canceled licenses of the same app simulate years of buying.
  const copyOf = (id: string) => new Sql(`left(${id}, -4) || lpad(n::text, 4, '0')`, [])
  await db.run(sql`insert into licenses select (jsonb_populate_record(l, jsonb_build_object(
      'id', ${copyOf('l.id')}, 'status', 'canceled', 'canceled_at', l.created_at,
      'key_hash', '\\x' || lpad(n::text, 64, '0')))).* from licenses l, generate_series(1, 24) n`)
  await db.run(sql`insert into carts select (jsonb_populate_record(c, jsonb_build_object(
      'id', ${copyOf('c.id')}))).*
    from carts c, generate_series(1, 24) n where c.order_id is not null`)
  await db.run(sql`insert into invoices select (jsonb_populate_record(i, jsonb_build_object(
      'id', ${copyOf('i.id')}, 'number', i.number + n, 'cart_id', ${copyOf('i.cart_id')},
      'order_id', ${copyOf('i.order_id')}, 'license_id', ${copyOf('i.license_id')}))).*
    from invoices i, generate_series(1, 24) n`)
  await db.run(sql`insert into orders select (jsonb_populate_record(o, jsonb_build_object(
      'id', ${copyOf('o.id')}, 'invoice_id', ${copyOf('o.invoice_id')},
      'license_id', ${copyOf('o.license_id')}, 'created_at', o.created_at - n / 2 * interval '1 day'))).*
    from orders o, generate_series(1, 24) n`)
  const shown = (page: { body: string }) => textOf(page.body).match(/Bought on/g)?.length ?? 0
  const first = await agent.open('/account/')
  assert.equal(shown(first), 20)
  const [, older = ''] = /href="(\/account\/\?after=[^"]+)"/.exec(first.body) ?? []
  const second = await agent.open(older)
  assert.equal(shown(second), 5)
  assert.doesNotMatch(second.body, /\/account\/\?after=/)
  assert.equal(shown(await agent.open('/account/?after=nonsense')), 20)
  const requested = async (path: string) => {
    let count = 0
    const { rows, one, maybe } = db
    const counted = <Ask extends (...facts: never[]) => unknown>(ask: Ask) =>
      ((...facts) => {
        count++
        return ask(...facts)
      }) as Ask
    Object.assign(db, { rows: counted(rows), one: counted(one), maybe: counted(maybe) })
    await agent.open(path)
    Object.assign(db, { rows, one, maybe })
    return count
  }
  const counts = [await requested('/account/'), await requested(older)]
  assert.ok(counts[0]! > 2, 'statements are counted')
  assert.equal(counts[0], counts[1], 'twenty purchases take as many statements as five')
})
