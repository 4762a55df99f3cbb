import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as payouts from '#domain/payouts'
import * as sellers from '#domain/sellers'
import type { Db } from '#platform/db'
import { sql } from '#platform/sql'
import { testId } from '../support/ids.ts'
import { planning } from '../support/planning.ts'
import { openTestService, type TestService } from '../support/service.ts'

const GROWN = new Set([
  'sellers',
  'seller_members',
  'apps',
  'approval_requests',
  'payouts',
  'users',
])
/** As in the middle of a name; names are digests of numbers. */
const NAME = '28dd2'
const OLD = new Date('2026-02-01T00:00:00Z')

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.db.tx((tx) => seed(tx), { patient: true })
  await service.world.db.patient.raw('analyze')
})
after(() => service.close())

/**
 * 60,000 sellers, a third of them with an owner, an app and a payout; few of them in a rare state.
 */
async function seed(tx: Db): Promise<void> {
  const at = sql`'2026-01-01'::timestamptz + n / 3 * interval '1 minute'`
  const id = (prefix: string) => sql`${prefix}::text || '_' || lpad(n::text, 22, '0')`
  const many = sql`generate_series(1, 20000) n`
  await tx.run(sql`insert into sellers
      (id, legal_name, address, city, state, zip, created_at, suspended_at, payouts_paused_at)
    select ${id('sel')}, md5(n::text) || ' LLC', '1 Main Street', 'Austin', 'TX', '78701',
      ${at}, case when n % 500 = 0 then now() end, case when n % 700 = 0 then now() end
    from generate_series(1, 60000) n`)
  await tx.run(sql`insert into users (id, email, email_normalized, created_via, created_at)
    select ${id('usr')}, n || '@many.example', n || '@many.example', 'signup', ${at} from ${many}`)
  await tx.run(sql`insert into seller_members (seller_id, user_id, role, created_at)
    select ${id('sel')}, ${id('usr')}, 'owner', ${at} from ${many}`)
  await tx.run(sql`insert into apps (id, slug, seller_id, name, url, oauth_login_url, is_published,
      external_sales_enabled, created_at, suspended_at, archived_at)
    select ${id('app')}, 'many-' || n, ${id('sel')}, md5('app' || n), 'https://many.example',
      'https://many.example', n % 2 = 0, n % 3 <> 0, ${at},
      case when n % 500 = 0 then now() end, case when n % 600 = 0 then now() end
    from ${many}`)
  await tx.run(sql`insert into approval_requests
      (id, app_id, requested_by, requested_at, decided_at, decided_by, is_approved)
    select ${id('apr')}, ${id('app')}, ${id('usr')}, ${at}, case when n % 400 <> 0 then now() end,
      case when n % 400 <> 0 then ${id('usr')} end, case when n % 400 <> 0 then n % 300 <> 0 end
    from ${many}`)
  await tx.run(sql`insert into payouts (id, owner, account, amount, cause, status, created_at)
    select ${id('po')}, ${id('sel')}, 'seller_payable', 5000, 'weekly',
      case when n % 900 = 0 then 'failed' else 'paid' end, ${at} from ${many}`)
}

/** Which large tables a statement reads whole. */
async function scannedBy(ask: (db: Db) => Promise<unknown>): Promise<string[]> {
  const scanned: string[] = []
  await ask(planning(service.world.db, GROWN, scanned))
  return scanned
}

describe('no list of staff reads a large table completely', () => {
  const below = { created_at: OLD, id: testId('sel_x') }
  const limit = 51
  const queries: Omit<sellers.SellerQuery, 'limit'>[] = [
    {},
    { below },
    ...sellers.SELLER_STATES.map((state) => ({ state })),
    { id: testId('sel_x') },
    { email_normalized: '77@many.example' },
    { name: NAME },
  ]
  for (const query of queries) {
    test(`sellers: ${JSON.stringify(query)}`, async () => {
      const ask = (db: Db) => sellers.listSellers(db, { ...query, limit })
      assert.deepEqual(await scannedBy(ask), [])
    })
  }

  const appQueries: Omit<apps.AppQuery, 'limit'>[] = [
    {},
    { below: { created_at: OLD, id: testId('app_x') } },
    ...apps.APP_STATES.map((state) => ({ state })),
    { id: testId('app_x') },
    { seller_id: testId('sel_x') },
    { name: NAME },
  ]
  for (const query of appQueries) {
    test(`apps: ${JSON.stringify(query)}`, async () => {
      const ask = (db: Db) => apps.listForStaff(db, { ...query, limit })
      assert.deepEqual(await scannedBy(ask), [])
    })
  }

  test('payouts, debts and the figures of sellers', async () => {
    const listed = await sellers.listSellers(service.world.db, { limit: 50 })
    const ids = listed.map(({ id }) => id)
    assert.deepEqual(await scannedBy((db) => sellers.sellerFigures(db, ids)), [])
    for (const status of [undefined, ...payouts.PAYOUT_STATUSES]) {
      const ask = (db: Db) => payouts.listPayouts(db, { status, below_number: 9_000, limit })
      assert.deepEqual(await scannedBy(ask), [], status)
    }
    assert.deepEqual(await scannedBy((db) => payouts.listDebts(db, { limit, offset: 0 })), [])
  })
})

test('every seller is on exactly one page, those of the same moment too', async () => {
  const { db } = service.world
  const all = await sellers.listSellers(db, { state: 'paused', limit: 1_000 })
  assert.ok(all.length >= 85)
  const paged = []
  for (let below: (typeof all)[number] | undefined; ; ) {
    const some = await sellers.listSellers(db, { state: 'paused', below, limit: 5 })
    paged.push(...some)
    below = some.at(-1)
    if (some.length < 5) break
  }
  assert.deepEqual(paged, all)
})

test('sellers are found by a part of the name, as it is written, and by a member', async () => {
  const { db } = service.world
  const namesOf = async (facts: Partial<sellers.SellerQuery>) =>
    (await sellers.listSellers(db, { ...facts, limit: 5 })).map(({ legal_name }) => legal_name)
  const name = `${createHash('md5').update('4711').digest('hex')} LLC`
  assert.deepEqual(await namesOf({ name: name.slice(3, 20).toUpperCase() }), [name])
  assert.deepEqual(await namesOf({ name: `%${name.slice(3, 20)}_` }), [])
  assert.deepEqual(await namesOf({ email_normalized: '4711@many.example' }), [name])
})
