import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ExistingVersion, planVersions, type VersionInput } from '#domain/catalog'
import { cents } from '#platform/money'
import { testId } from '../support/ids.ts'

const LEGACY = '3f0e4c1a-9d2b-4b6e-8a55-0c1d2e3f4a5b'

const FREE: ExistingVersion = {
  id: testId('prod_free'),
  legacy_id: null,
  name: 'Free',
  is_free: true,
  trial_days: 0,
  is_live: true,
  prices: [],
  subscriptions: 0,
  coming: 0,
  licenses: 0,
  purchases: 0,
}
const PRO: ExistingVersion = {
  ...FREE,
  id: testId('prod_pro'),
  legacy_id: LEGACY,
  name: 'Pro',
  is_free: false,
  trial_days: 14,
  prices: [
    { id: testId('prc_month'), frequency: 'month', amount: cents(1200), is_live: true },
    { id: testId('prc_year'), frequency: 'year', amount: cents(9600), is_live: true },
    { id: testId('prc_week'), frequency: 'week', amount: cents(400), is_live: false },
  ],
}
const GONE: ExistingVersion = {
  ...PRO,
  id: testId('prod_gone'),
  legacy_id: null,
  name: 'Team',
  is_live: false,
  prices: [{ id: testId('prc_team'), frequency: 'month', amount: cents(3000), is_live: true }],
}

const free: VersionInput = { product_id: 'prod_free', name: 'Free', is_free: true, prices: [] }
const month = { amount: '12.00', frequency: 'month' }
const year = { amount: '96.00', frequency: 'year' }
const pro: VersionInput = { product_id: 'prod_pro', name: 'Pro', prices: [month, year] }
const fresh: VersionInput = { name: 'Team', prices: [{ amount: '30.00', frequency: 'month' }] }

function plan(given: VersionInput[], existing = [FREE, PRO, GONE], restore = false) {
  const planned = planVersions(given, existing, { restore })
  if ('faults' in planned) assert.fail(JSON.stringify(planned.faults))
  return planned.plan
}

function faults(given: VersionInput[], existing = [FREE, PRO, GONE], restore = false) {
  const planned = planVersions(given, existing, { restore })
  return 'faults' in planned ? planned.faults : []
}

const paths = (...question: Parameters<typeof faults>) =>
  faults(...question).map(({ path }) => path)

describe('a plan of versions', () => {
  test('the same versions again delete nothing and keep every ID, name, trial and amount', () => {
    const { versions, ...deleted } = plan([free, pro])
    assert.deepEqual(deleted, { deleted_versions: [], deleted_prices: [] })
    assert.deepEqual(versions, [
      { id: 'prod_free', name: 'Free', is_free: true, position: 0, trial_days: 0, prices: [] },
      {
        id: 'prod_pro',
        name: 'Pro',
        is_free: false,
        position: 1,
        trial_days: 14,
        prices: [
          { id: 'prc_month', frequency: 'month', amount: 1200 },
          { id: 'prc_year', frequency: 'year', amount: 9600 },
        ],
      },
    ])
  })

  test('versions keep the given order', () => {
    const { versions } = plan([pro, fresh, free])
    assert.deepEqual(
      versions.map(({ id, position }) => [id, position]),
      [
        ['prod_pro', 0],
        [null, 1],
        ['prod_free', 2],
      ],
    )
  })

  test('a new amount keeps the price, an omitted price is deleted, and a new frequency adds one', () => {
    const once = { amount: '180.00', frequency: null }
    const changed = { ...pro, prices: [{ ...month, amount: '15.50' }, once] }
    const { versions, deleted_prices } = plan([free, changed])
    assert.deepEqual(versions[1]!.prices, [
      { id: 'prc_month', frequency: 'month', amount: 1550 },
      { id: null, frequency: null, amount: 18_000 },
    ])
    assert.deepEqual(deleted_prices, ['prc_year'])
  })

  test('a deleted price does not come back by its frequency', () => {
    const weekly = { ...pro, prices: [month, year, { amount: '4.00', frequency: 'week' }] }
    assert.equal(plan([free, weekly]).versions[1]!.prices[2]!.id, null)
  })

  test('an omitted version is deleted', () => {
    assert.deepEqual(plan([pro]).deleted_versions, ['prod_free'])
  })

  test('a version is found by its older UUID, in upper or lower case', () => {
    for (const product_id of [LEGACY, LEGACY.toUpperCase()]) {
      assert.equal(plan([free, { ...pro, product_id }]).versions[1]!.id, 'prod_pro')
    }
  })

  test('a version stays free or paid unless given', () => {
    const { is_free: _, ...unsaid } = free
    assert.equal(plan([unsaid, pro]).versions[0]!.is_free, true)
    assert.equal(plan([free, pro, fresh]).versions[2]!.is_free, false)
  })

  test('a version that becomes free loses its prices and its trial', () => {
    const turned = { ...pro, is_free: true, prices: [] }
    const { versions, deleted_prices } = plan([turned], [PRO])
    assert.deepEqual([versions[0]!.is_free, versions[0]!.trial_days], [true, 0])
    assert.deepEqual(deleted_prices, ['prc_month', 'prc_year'])
  })
})

describe('what is refused', () => {
  const priced = (amount: string, frequency: string | null = 'month') => [
    free,
    { ...pro, prices: [{ amount, frequency }] },
  ]
  const AMOUNT = ['versions[1].prices[0].amount']
  const cases: [name: string, given: VersionInput[], at: string[]][] = [
    ['no version at all', [], ['versions']],
    [
      'an id of no version',
      [free, pro, { ...fresh, product_id: 'prod_x' }],
      ['versions[2].product_id'],
    ],
    [
      'an id of a deleted version',
      [free, pro, { ...fresh, product_id: 'prod_gone' }],
      ['versions[2].product_id'],
    ],
    [
      'one version twice',
      [free, pro, { ...pro, name: 'Else', product_id: LEGACY }],
      ['versions[2].product_id'],
    ],
    [
      'one name twice, whatever its case',
      [free, pro, { ...fresh, name: ' pRO ' }],
      ['versions[2].name'],
    ],
    ['an empty name', [free, pro, { ...fresh, name: ' ' }], ['versions[2].name']],
    [
      'a name that is too long',
      [free, pro, { ...fresh, name: 'x'.repeat(101) }],
      ['versions[2].name'],
    ],
    ['a name of two lines', [free, pro, { ...fresh, name: 'a\nb' }], ['versions[2].name']],
    [
      'two free versions',
      [free, { ...fresh, is_free: true, prices: [] }, pro],
      ['versions[1].is_free'],
    ],
    ['a free version with a price', [{ ...free, prices: [month] }, pro], ['versions[0].prices']],
    [
      'a version that costs nothing and is not free',
      [free, { ...pro, prices: [] }],
      ['versions[1].prices'],
    ],
    [
      'two prices of a frequency',
      [free, { ...pro, prices: [month, month] }],
      ['versions[1].prices[1].frequency'],
    ],
    [
      'a frequency that there is not',
      priced('12.00', 'quarter'),
      ['versions[1].prices[0].frequency'],
    ],
    ['an amount below a dollar', priced('0.99'), AMOUNT],
    ['an amount above the highest', priced('100000.00'), AMOUNT],
    ['an amount of one decimal', priced('12.0'), AMOUNT],
    ['an amount without decimals', priced('12'), AMOUNT],
    ['an amount with an exponent', priced('1e3'), AMOUNT],
    ['an amount with a sign', priced('-12.00'), AMOUNT],
    ['an amount with a separator', priced('1,200.00'), AMOUNT],
    ['an amount with leading zeros', priced('012.00'), AMOUNT],
    ['an amount of other digits', priced('１２.００'), AMOUNT],
  ]
  for (const [name, given, at] of cases) {
    test(name, () => assert.deepEqual(paths(given), at))
  }

  test('accepts the lowest and the highest amount', () => {
    for (const amount of ['1.00', '99999.99']) assert.deepEqual(faults(priced(amount)), [])
  })

  // S11
  test('rejects more versions than an app may have, by their count', () => {
    const many = Array.from({ length: 21 }, (_, index) => ({ ...fresh, name: `Plan ${index}` }))
    assert.deepEqual(paths(many, []), ['versions'])
  })

  // Threat 47
  test('creates nothing beyond 5,000 versions and prices, of which most are deleted', () => {
    const gone = Array.from({ length: 2497 }, (_, index) => ({
      ...GONE,
      id: testId(`prod_gone_${index}`),
    }))
    // 4,999 products and prices, with those of PRO.
    const existing = [FREE, PRO, ...gone]
    assert.deepEqual(paths([free, pro], existing), [])
    const found = faults([free, pro, fresh], existing)
    assert.deepEqual(found, [
      {
        path: 'versions',
        message:
          'An app can have at most 5,000 versions and prices, deleted ones included. This app has 4,999. Change existing ones instead of replacing them.',
      },
    ])
    const dearer = { ...pro, prices: [{ ...month, amount: '13.00' }, year] }
    assert.deepEqual(paths([free, dearer], existing), [])
  })

  test('reports every error at once, each with its path', () => {
    const given = [
      { ...free, prices: [month] },
      { ...fresh, name: '', product_id: 'prod_x', prices: [{ amount: '1', frequency: 'never' }] },
    ]
    assert.deepEqual(paths(given, [FREE, { ...PRO, subscriptions: 2 }]), [
      'versions[0].prices',
      'versions[1].name',
      'versions[1].prices[0].amount',
      'versions[1].prices[0].frequency',
      'versions[1].product_id',
      'versions',
    ])
  })
})

describe('what customers have', () => {
  test('a version with subscriptions is not deleted, and their number is reported', () => {
    const [fault, ...more] = faults([free], [FREE, { ...PRO, subscriptions: 3, licenses: 3 }])
    assert.deepEqual(more, [])
    assert.equal(fault!.path, 'versions')
    assert.match(fault!.message, /Pro \(prod_pro\).*3 active subscriptions/)
  })

  test('a version that a subscription changes to is not deleted', () => {
    const [fault] = faults([free], [FREE, { ...PRO, coming: 1 }])
    assert.match(fault!.message, /Pro \(prod_pro\).*1 subscription changes to it soon/)
  })

  test('a version with a pending purchase is not deleted', () => {
    const [fault] = faults([free], [FREE, { ...PRO, purchases: 1 }])
    assert.match(fault!.message, /a purchase of it is being confirmed/)
  })

  test('a version that was only ever bought once may be deleted', () => {
    assert.deepEqual(faults([free], [FREE, { ...PRO, licenses: 5 }]), [])
  })

  test('a version with a license or a pending purchase becomes neither free nor paid', () => {
    const turned = [{ ...pro, is_free: true, prices: [] }]
    for (const used of [{ licenses: 1 }, { purchases: 1 }]) {
      assert.deepEqual(paths(turned, [{ ...PRO, ...used }]), ['versions[0].is_free'])
    }
  })
})

describe('restoring', () => {
  const team: VersionInput = {
    product_id: 'prod_gone',
    name: 'Team',
    trial_days: 7,
    prices: [{ id: testId('prc_team'), amount: '30.00', frequency: 'month' }],
  }

  test('a deleted version is restored with its price', () => {
    const { versions } = plan([free, pro, team], undefined, true)
    const { id, trial_days, prices } = versions[2]!
    assert.deepEqual([id, trial_days, prices[0]!.id], ['prod_gone', 7, 'prc_team'])
  })

  test('a deleted price is restored under its ID, and replaces the current one', () => {
    const weekly = { id: testId('prc_week'), amount: '4.00', frequency: 'week' }
    const later = {
      id: testId('prc_new'),
      frequency: 'week' as const,
      amount: cents(500),
      is_live: true,
    }
    const existing = [FREE, { ...PRO, prices: [later, ...PRO.prices] }]
    const given = [free, { ...pro, prices: [month, year, weekly] }]
    const { versions, deleted_prices } = plan(given, existing, true)
    assert.equal(versions[1]!.prices[2]!.id, 'prc_week')
    assert.deepEqual(deleted_prices, ['prc_new'])
  })
})
