import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import * as licensing from '#domain/licensing'
import { addDays, isoDate } from '#platform/calendar'
import type { ProductId } from '#platform/ids'
import { sql } from '#platform/sql'
import { IMPORT_ORDERS } from '../support/budget.ts'
import { checkedImport, paidProducts, runChecked } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let products: ProductId[]
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  products = await paidProducts(service)
})
after(() => assertInvariantsAndClose(service))

/** What the three files of Lemon Squeezy say about a buyer. */
interface FiledBuyer {
  subscriptions: { plan: string; status: string; days: number }[]
  license_keys: { plan: string; status: string; days: number | null }[]
  orders: { plan: string; status: string }[]
}

const plan = fc.constantFrom('Tides', 'Storms')
const days = fc.constantFrom(-20, 10, 40)
const filedBuyer: fc.Arbitrary<FiledBuyer> = fc.record({
  subscriptions: fc.array(
    fc.record({ plan, status: fc.constantFrom('active', 'cancelled', 'expired'), days }),
    { maxLength: 2 },
  ),
  license_keys: fc.array(
    fc.record({
      plan,
      status: fc.constantFrom('active', 'inactive', 'expired', 'disabled'),
      days: fc.option(days),
    }),
    { maxLength: 2 },
  ),
  orders: fc.array(fc.record({ plan, status: fc.constantFrom('paid', 'refunded') }), {
    maxLength: 1,
  }),
})

const KINDS = ['subscriptions', 'license_keys', 'orders'] as const
type FileKind = (typeof KINDS)[number]

const dateIn = (count: number | null) =>
  count === null ? '' : isoDate(addDays(service.clock.now(), count))

/** The lines of a file; `round` makes the IDs, keys and emails of each order of files its own. */
const LINES: Record<FileKind, (buyer: FiledBuyer, name: string) => string[]> = {
  subscriptions: ({ subscriptions }, name) =>
    subscriptions.map(({ plan, status, days: until }, at) => {
      const end = status === 'active' ? `${dateIn(until)},` : `,${dateIn(until)}`
      return `${name}-${at},${plan},${name}@example.com,${status},${end}`
    }),
  license_keys: ({ license_keys }, name) =>
    license_keys.map(({ plan, status, days: until }, at) => {
      const key = `KEY-${name}-${at}`
      return `${name}-${at},${plan},${name}@example.com,${status},${dateIn(until)},${key}`
    }),
  orders: ({ orders }, name) =>
    orders.map(({ plan, status }, at) => `${name}-${at},${plan},${name}@example.com,${status}`),
}
const HEADINGS: Record<FileKind, string> = {
  subscriptions: 'id,product_name,user_email,status,renews_at,ends_at',
  license_keys: 'id,product_name,user_email,status,expires_at,key',
  orders: 'id,product_name,user_email,status',
}

async function importFile(kind: FileKind, buyers: FiledBuyer[], round: string): Promise<void> {
  const lines = buyers.flatMap((each, at) => LINES[kind](each, `${round}-${at}`))
  if (lines.length === 0) return
  const file = [HEADINGS[kind], ...lines].join('\n')
  const plans = { Storms: products[1]! }
  const facts = { source: 'lemon_squeezy', file, product_id: products[0]!, plans } as const
  await runChecked(service, (await checkedImport(service, facts)).id)
}

interface FoundLicense {
  buyer: string
  product_id: ProductId
  status: string
  period_end: Date | null
  canceled_at: Date | null
  /** The former keys that open it, by the end of their texts. */
  keys: string[]
}

/** The live licenses of a round: plan, status, end and keys of each buyer. */
async function licensesOf(round: string): Promise<FoundLicense[]> {
  const { keys, db } = service.world
  const rows = await db.rows<Omit<FoundLicense, 'keys'> & { hashes: string[] }>(sql`
    select substr(u.email, ${round.length + 2}::int) as buyer, l.product_id, l.status,
      l.period_end, l.canceled_at, array(select encode(a.key_hash, 'hex')
        from license_key_aliases a where a.license_id = l.id) as hashes
    from licenses l join users u on u.id = l.user_id
    where u.email like ${`${round}-%`} and l.status <> 'canceled' order by u.email, l.status, l.period_end`)
  const texts = Array.from({ length: MAX_BUYERS * 2 }, (_, at) => `${at >> 1}-${at & 1}`)
  const named = new Map(
    texts.map((text) => [licensing.keyHash(keys, `KEY-${round}-${text}`).toString('hex'), text]),
  )
  return rows.map(({ hashes, ...license }) => {
    return { ...license, keys: hashes.map((hash) => named.get(hash) ?? hash).sort() }
  })
}

const MAX_BUYERS = 8

function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((first) =>
    ordersOf(items.filter((each) => each !== first)).map((rest) => [first, ...rest]),
  )
}

let runs = 0

test('files of one service give equal licenses, ends and keys in every order, and when repeated', async () => {
  const property = fc.asyncProperty(
    fc.array(filedBuyer, { minLength: 5, maxLength: MAX_BUYERS }),
    async (buyers) => {
      runs++
      let expected: FoundLicense[] | undefined
      for (const order of ordersOf(KINDS)) {
        const round = `r${runs}${order.map(([initial]) => initial).join('')}`
        for (const kind of [...order, ...order]) await importFile(kind, buyers, round)
        const found = await licensesOf(round)
        expected ??= found
        assert.deepEqual(found, expected, order.join(', '))
      }
    },
  )
  await fc.assert(property, { numRuns: IMPORT_ORDERS })
})

test('a license key without an end does not make a subscription last for good', async () => {
  const buyers: FiledBuyer[] = [
    {
      subscriptions: [{ plan: 'Storms', status: 'active', days: 40 }],
      license_keys: [{ plan: 'Tides', status: 'active', days: null }],
      orders: [],
    },
  ]
  await importFile('license_keys', buyers, 'known')
  const [alone] = await licensesOf('known')
  assert.deepEqual([alone?.status, alone?.period_end], ['one_time_active', null])
  await importFile('subscriptions', buyers, 'known')
  const licenses = await licensesOf('known')
  assert.equal(licenses.length, 1)
  const { product_id, status, period_end, keys } = licenses[0]!
  assert.deepEqual([product_id, status, keys], [products[1], 'active', ['0-0']])
  await importFile('subscriptions', buyers, 'only')
  assert.deepEqual(period_end, (await licensesOf('only'))[0]?.period_end)
  assert.notEqual(period_end, null)
  await importFile('license_keys', buyers, 'known')
  assert.deepEqual(await licensesOf('known'), licenses)
})

test('an order of a subscription that has ended gives no license, in either order of files', async () => {
  const subscriptions = [{ plan: 'Tides', status: 'expired', days: -20 }]
  const buyers: FiledBuyer[] = [
    { subscriptions, license_keys: [], orders: [{ plan: 'Tides', status: 'paid' }] },
    // Another plan was paid once, and lasts.
    { subscriptions, license_keys: [], orders: [{ plan: 'Storms', status: 'paid' }] },
  ]
  const lasting = async (round: string) =>
    (await licensesOf(round)).map(({ product_id, period_end }) => [product_id, period_end])
  await importFile('orders', buyers, 'order')
  assert.equal((await licensesOf('order')).length, 2)
  await importFile('subscriptions', buyers, 'order')
  assert.deepEqual(await lasting('order'), [[products[1], null]])
  await importFile('orders', buyers, 'order')
  assert.deepEqual(await lasting('order'), [[products[1], null]])
  await importFile('subscriptions', buyers, 'ended')
  await importFile('orders', buyers, 'ended')
  assert.deepEqual(await lasting('ended'), [[products[1], null]])
  const [again] = buyers
  again!.subscriptions[0] = { plan: 'Tides', status: 'active', days: 40 }
  await importFile('subscriptions', [again!], 'order')
  assert.equal((await licensesOf('order')).length, 2)
})
