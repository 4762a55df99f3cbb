import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  decideRow,
  endsOrder,
  type ImportRowFacts,
  isDecisive,
  type KnownLicense,
  type RowOutcome,
  revokesKey,
} from '#domain/imports'

const AUTUMN = new Date('2026-10-01T00:00:00Z')
const WINTER = new Date('2026-12-01T00:00:00Z')

/** The best row of a buyer without a license: a sale that ends in winter. */
const ROW: ImportRowFacts = {
  product_id: 'prod_pro',
  over: null,
  ends_at: WINTER,
  is_best: true,
  has_best: true,
  best_outcome: null,
  own: undefined,
  former: undefined,
  live: undefined,
  is_live_in_file: false,
  source: 'gumroad',
  external_id: 'sale:1',
  own_records: [],
  former_records: [],
  live_records: [],
  is_end_of_order: false,
  is_buying: false,
  is_key_new: false,
  is_key_taken: false,
  is_key_replaced: false,
}

/** A live license that an import created, which ends in winter. */
const IMPORTED: KnownLicense = {
  license_id: 'lic_live',
  is_live: true,
  is_imported: true,
  is_paused: false,
  product_id: 'prod_pro',
  period_end: WINTER,
  ends_at: WINTER,
}
const BOUGHT = { ...IMPORTED, is_imported: false }
const ENDED = { ...IMPORTED, is_live: false, period_end: AUTUMN, ends_at: AUTUMN }

/** The license that this row created is live. */
const OWN = { own: IMPORTED, own_records: ['sale:1'], live: IMPORTED, live_records: ['sale:1'] }
/** A purchase at a service where what is paid once is in a file of its own. */
const ONCE = { source: 'polar' as const, external_id: 'order:1', ends_at: null }
/** A row of a service that lists a purchase in up to three files. */
const LEMON = { source: 'lemon_squeezy' as const, external_id: 'order:1' }

type Case = [what: string, row: Partial<ImportRowFacts>, outcome: RowOutcome]

function decides(cases: Case[]): void {
  for (const [what, row, outcome] of cases) {
    test(`${what}: ${outcome}`, () => {
      assert.equal(decideRow({ ...ROW, ...row }), outcome)
    })
  }
}

describe('a row of a buyer without a license', () => {
  decides([
    ['of a product without a plan', { product_id: null }, 'skipped'],
    ['of a plan', {}, 'create'],
    ['of a buyer who is paying now', { is_buying: true }, 'buying'],
    ['with a new key', { is_key_new: true }, 'create'],
    ['beside one that lasts longer', { is_best: false, best_outcome: 'create' }, 'duplicate'],
    [
      'beside one that lasts longer, with a key',
      { is_best: false, best_outcome: 'create', is_key_new: true },
      'add_key',
    ],
    [
      'beside one that creates nothing, with a key',
      { is_best: false, best_outcome: 'ended_here', is_key_new: true },
      'ended_here',
    ],
  ])
})

describe('a row whose key belongs to another buyer', () => {
  const taken = { is_key_taken: true }
  decides([
    ['of a buyer without a license', taken, 'create_key_taken'],
    ['of an imported license', { ...taken, ...OWN }, 'key_taken'],
    [
      'of an imported license that changes',
      { ...taken, ...OWN, ends_at: AUTUMN },
      'update_key_taken',
    ],
    ['of a license that was bought', { ...taken, live: BOUGHT }, 'key_taken'],
    [
      'beside one that lasts longer',
      { ...taken, is_best: false, best_outcome: 'create_key_taken' },
      'key_taken',
    ],
    ['of a product without a plan', { ...taken, product_id: null }, 'skipped'],
    ['of a buyer who is paying now', { ...taken, is_buying: true }, 'buying'],
  ])
})

describe('a row whose key was replaced', () => {
  const own = { is_key_replaced: true }
  const other = { ...own, is_key_taken: true }
  decides([
    ['of a buyer without a license, who had it', own, 'create_key_replaced'],
    ['of its imported license', { ...own, ...OWN }, 'unchanged'],
    ['of its imported license that changes', { ...own, ...OWN, ends_at: AUTUMN }, 'update'],
    ['and was another buyer’s', other, 'create_key_replaced'],
    ['and was another buyer’s, of an imported license', { ...other, ...OWN }, 'key_replaced'],
    [
      'and was another buyer’s, of an imported license that changes',
      { ...other, ...OWN, ends_at: AUTUMN },
      'update_key_replaced',
    ],
    [
      'and was another buyer’s, of a license that was bought',
      { ...other, live: BOUGHT },
      'key_replaced',
    ],
    [
      'and was another buyer’s, beside one that lasts longer',
      { ...other, is_best: false, best_outcome: 'create_key_replaced' },
      'key_replaced',
    ],
  ])
})

describe('a row of a purchase that ended here', () => {
  const own = { own: ENDED }
  decides([
    ['and was renewed at the service', own, 'create'],
    ['and was not renewed', { ...own, ends_at: AUTUMN }, 'ended_here'],
    ['of which the row knows no end', { ...own, ends_at: null }, 'ended_here'],
    ['and was permanent', { own: { ...ENDED, period_end: null } }, 'ended_here'],
    ['and is being bought again', { ...own, is_buying: true }, 'buying'],
    [
      'by another row of this kind, as another purchase',
      { former: ENDED, former_records: ['sale:9'], ends_at: AUTUMN },
      'create',
    ],
    [
      'by a row of another kind, at a service with several',
      { ...LEMON, former: ENDED, former_records: ['subscription:9'], ends_at: null },
      'ended_here',
    ],
    [
      'by rows of several kinds, at a service with several',
      { ...LEMON, former: ENDED, former_records: ['subscription:9', 'order:9'], ends_at: null },
      'create',
    ],
    [
      'by a row of another kind, with a period, elsewhere',
      { former: ENDED, former_records: ['license:9'], ends_at: AUTUMN },
      'ended_here',
    ],
    [
      'by a row of another kind, paid once, elsewhere',
      { former: ENDED, former_records: ['license:9'], ends_at: null },
      'create',
    ],
  ])
})

describe('a row of a buyer whose license was imported', () => {
  const renewed = { ...OWN, ends_at: new Date('2027-01-01T00:00:00Z') }
  const paused = { ...IMPORTED, is_paused: true }
  decides([
    ['from it, and nothing changed', OWN, 'unchanged'],
    ['from it, with a key', { ...OWN, is_key_new: true }, 'add_key'],
    ['from it, and another period', renewed, 'update'],
    ['from it, and another plan', { ...OWN, product_id: 'prod_team' }, 'update'],
    ['from it, and is continued with a card now', { ...renewed, is_buying: true }, 'buying'],
    ['from it, and is paused', { ...renewed, own: paused, live: paused }, 'unchanged'],
    ['from a row of the same kind', { ...renewed, own: undefined }, 'ends_earlier'],
    [
      'from a row of the same kind in this file',
      { ...renewed, own: undefined, is_live_in_file: true },
      'update',
    ],
    [
      'from a weaker row',
      { ...LEMON, external_id: 'subscription:1', live: IMPORTED, live_records: ['order:1'] },
      'unchanged',
    ],
    [
      'from a weaker row, until another day',
      {
        ...LEMON,
        external_id: 'subscription:1',
        live: IMPORTED,
        live_records: ['order:1'],
        ends_at: AUTUMN,
      },
      'update',
    ],
    [
      'from a stronger row',
      { ...LEMON, live: IMPORTED, live_records: ['order:1', 'subscription:1'], ends_at: null },
      'owned',
    ],
    [
      'from a stronger row with an end, and is paid once, elsewhere',
      { ...ONCE, live: IMPORTED, live_records: ['subscription:1'] },
      'ends_earlier',
    ],
    [
      'from a weaker row that is paid once, and has an end, elsewhere',
      {
        source: 'polar',
        external_id: 'subscription:1',
        live: { ...IMPORTED, period_end: null, ends_at: null },
        live_records: ['order:1'],
      },
      'owned',
    ],
    [
      'from a weaker row, and both have an end, elsewhere',
      {
        source: 'paddle',
        external_id: 'subscription:1',
        live: IMPORTED,
        live_records: ['transaction:1'],
        ends_at: AUTUMN,
      },
      'update',
    ],
    ['from another service', { live: IMPORTED, ends_at: AUTUMN }, 'owned'],
    ['and is not the best', { ...OWN, is_best: false }, 'duplicate'],
  ])
})

describe('a row of a buyer who bought here', () => {
  const here = { live: BOUGHT }
  const permanent = { live: { ...BOUGHT, period_end: null, ends_at: null } }
  decides([
    ['a permanent license', permanent, 'owned'],
    ['a permanent license, with a key', { ...permanent, is_key_new: true }, 'add_key'],
    ['until the same day', here, 'owned'],
    ['until an earlier day', { live: { ...BOUGHT, ends_at: AUTUMN } }, 'ends_earlier'],
    ['until a day, and the row has no end', { ...here, ends_at: null }, 'ends_earlier'],
    [
      'until an earlier day, with a key',
      { live: { ...BOUGHT, ends_at: AUTUMN }, is_key_new: true },
      'add_key_ends_earlier',
    ],
    ['and is not the best', { ...here, is_best: false, is_key_new: true }, 'add_key'],
  ])
})

describe('a row that is over', () => {
  const ended = { ...OWN, over: 'ended' as const, has_best: false }
  decides([
    ['and led to nothing', { over: 'ended', has_best: false }, 'over'],
    ['and created the live license', ended, 'end'],
    ['and another one entitles the buyer', { ...ended, has_best: true }, 'over'],
    ['and its license is continued with a card now', { ...ended, is_buying: true }, 'buying'],
    ['and its license was bought here since', { ...ended, own: BOUGHT, live: BOUGHT }, 'over'],
    ['and its license has ended', { ...ended, own: ENDED, live: undefined }, 'over'],
    [
      'and a stronger one decides about its license',
      { ...ended, ...LEMON, own_records: ['order:1', 'subscription:1'] },
      'over',
    ],
    [
      'with a key, of a buyer with a license',
      { ...ended, own: undefined, is_key_new: true },
      'add_key',
    ],
    ['with a key, of a buyer without one', { over: 'ended', is_key_new: true }, 'over'],
    [
      'and refunded, with a key',
      { ...ended, own: undefined, over: 'refunded', is_key_new: true },
      'over',
    ],
  ])
})

describe('the end of a subscription that began with an order', () => {
  const row = { ...ROW, ...LEMON, live: IMPORTED, live_records: ['order:1'], is_end_of_order: true }
  for (const [what, more, ends] of [
    ['ends the license that only the order created', {}, true],
    [
      'does not end one that another subscription determines',
      { live_records: ['order:1', 'subscription:2'] },
      false,
    ],
    ['does not end one that was bought here since', { live: BOUGHT }, false],
    ['does not end one of another order', { is_end_of_order: false }, false],
  ] as const) {
    test(what, () => {
      assert.equal(endsOrder({ ...row, ...more }), ends)
      const over = { ...row, ...more, over: 'ended' as const, has_best: false }
      assert.equal(decideRow(over), ends ? 'end' : 'over')
    })
  }
})

describe('the license of a buyer', () => {
  for (const [what, row, is_decisive] of [
    ['is determined by the row that created it', OWN, true],
    ['is not determined by a row that is over', { ...OWN, over: 'ended' }, false],
    ['is not determined by one that is not the best', { ...OWN, is_best: false }, false],
    ['is not determined by one without a plan', { ...OWN, product_id: null }, false],
    ['is not determined by a file if it was bought here', { ...OWN, live: BOUGHT }, false],
    ['is not determined by a row that creates it', {}, false],
  ] as const) {
    test(what, () => assert.equal(isDecisive({ ...ROW, ...row }), is_decisive))
  }

  for (const [over, external_id, revokes] of [
    ['revoked', 'license_key:1', true],
    ['refunded', 'sale:1', true],
    ['refunded', 'license:1', true],
    ['ended', 'license_key:1', false],
    [null, 'license_key:1', false],
    // It may repeat the key of a subscription that goes on.
    ['refunded', 'transaction:1', false],
  ] as const) {
    test(`${revokes ? 'loses' : 'keeps'} the key of ${external_id}, ${over ?? 'not over'}`, () => {
      assert.equal(revokesKey({ over, external_id }), revokes)
    })
  }
})
