import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { placeOf } from '#http/field-places'
import { versionFaults } from '../../src/domain/catalog/version.ts'
import { readNames, readSections } from '../../src/domain/listing/content.ts'
import { compare } from '../../src/surfaces/dashboard/compare.ts'
import {
  faultsOfListing,
  formOfListing,
  listingOf,
} from '../../src/surfaces/dashboard/listing-form.ts'
import {
  amountOf,
  BLANK_PLAN,
  fieldsOfPlans,
  plansAfterAction,
  readPlans,
} from '../../src/surfaces/dashboard/plans-form.ts'
import {
  applyRowAction,
  formFaults,
  plainMessage,
  readRowAction,
} from '../../src/surfaces/dashboard/rows.ts'

describe('forms with rows', () => {
  test('hidden plan fields keep the plans that they were given', () => {
    const text = fc.string({ maxLength: 20 })
    const plain = { noNullPrototype: true }
    const price = fc.record({ amount: text, frequency: text }, plain)
    const prices = fc.array(price, { maxLength: 6 })
    const is_free = fc.boolean()
    const plan = fc.record(
      { product_id: text, name: text, description: text, is_free, trial_days: text, prices },
      plain,
    )
    fc.assert(
      fc.property(fc.array(plan, { maxLength: 12 }), (plans) => {
        assert.deepEqual(readPlans(Object.fromEntries(fieldsOfPlans(plans))), plans)
      }),
    )
  })

  test('a list of names keeps the names that an agent wrote, commas and quotes included', () => {
    const name = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom('Arts, crafts', '"AI", and more', '5" disks', 'a,', '"', '",', 'x "y", z'),
    )
    const kept = name
      .map((each) => each.replace(/[\r\n]/g, ' ').trim())
      .filter((each) => each !== '')
    const listing = { tagline: '', description: '', sections: [], features: [] }
    const more = { industries: [], tags: [], listing_mode: 'marketplace' as const }
    fc.assert(
      fc.property(fc.uniqueArray(kept, { maxLength: 5 }), (categories) => {
        const form = formOfListing({ ...listing, ...more, categories })
        assert.deepEqual(listingOf(form).categories, categories)
      }),
    )
    const typed = {
      ...formOfListing({ ...listing, ...more, categories: [] }),
      categories: 'a , b,,c',
    }
    assert.deepEqual(listingOf(typed).categories, ['a', 'b', 'c'])
  })

  test('a button adds, moves or removes only the row that it names', () => {
    const act = fc.constantFrom('add', 'remove', 'up', 'down')
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 9 }), act, fc.nat(12), (rows, name, index) => {
        const press = readRowAction(name === 'add' ? 'add:rows' : `${name}:rows.${index}`)!
        const next = applyRowAction(rows, press, -1)
        const expected = {
          add: [...rows, -1],
          remove: rows.toSpliced(index, index < rows.length ? 1 : 0),
          up: rows,
          down: rows,
        }[press.act]
        assert.deepEqual(next.toSorted(), expected.toSorted())
      }),
    )
  })

  test('a button of an unknown list or plan changes nothing', () => {
    const plans = [{ ...BLANK_PLAN, name: 'Pro', prices: [] }]
    for (const pressed of ['save', 'up:', 'add:', 'up:versions', 'add:versions.7.prices', '']) {
      assert.equal(plansAfterAction(plans, { do: pressed }), undefined, pressed)
    }
  })

  test('accepts amounts as people write them, and keeps other text as entered', () => {
    const amounts = {
      '12': '12.00',
      '12.5': '12.50',
      ' $1,200 ': '1200.00',
      '0.99': '0.99',
      '007': '7.00',
      '1,2': '1,2',
      '12.345': '12.345',
      '1e3': '1e3',
      '-5': '-5',
      '': '',
    }
    for (const [typed, wire] of Object.entries(amounts)) assert.equal(amountOf(typed), wire)
  })

  test("shows an error at its field, with the page's name for it", () => {
    const path = 'versions[1].prices[0].amount'
    assert.deepEqual(formFaults([{ path, message: 'Use US dollars.' }]), [
      { id: 'versions.1.prices.0.amount', message: 'Use US dollars.' },
    ])
    assert.equal(placeOf('versions.1.prices.0.amount'), 'Plan 2, price 1, amount')
    assert.equal(placeOf('versions.1.trial_days'), 'Plan 2, free trial')
    assert.equal(placeOf('versions.1.is_free'), 'Plan 2, free plan')
    assert.equal(placeOf('versions.1.prices.0.frequency'), 'Plan 2, price 1, billing')
    assert.equal(placeOf('sections.2.body'), 'Section 3, text')
    assert.equal(placeOf('versions'), '')
    assert.equal(
      plainMessage('versions[0] already has this name. Names are not case-sensitive.'),
      'Plan 1 already has this name. Names are not case-sensitive.',
    )
  })
})

describe('a list of names in one field', () => {
  test('has errors that quote the names they are about', () => {
    const long = 'Version control '.repeat(4).trim()
    const categories = ['Tides', long, 'tides']
    const { faults } = readNames('categories', categories)
    const none = { tagline: '', description: '', industries: [], tags: [] }
    assert.deepEqual(faultsOfListing(faults, { ...none, categories }), [
      {
        id: 'categories',
        message:
          '“Version control Version control Version…”: Use at most 40 characters. This text has 63.',
      },
      {
        id: 'categories',
        message: '“tides”: Duplicate name. Names are not case-sensitive.',
      },
    ])
  })
})

describe('an empty field', () => {
  test('says what to enter', () => {
    const { faults } = readSections([{ title: ' ', body: '' }])
    const [title, body] = formFaults(faults)
    assert.deepEqual(title, { id: 'sections.0.title', message: 'Enter a title.' })
    assert.deepEqual(body, { id: 'sections.0.body', message: 'Enter the text.' })
    const version = { name: '', is_free: true, prices: [] }
    const [name] = formFaults(versionFaults([version]))
    assert.deepEqual(name, { id: 'versions.0.name', message: 'Enter a name.' })
  })
})

describe('comparing', () => {
  const pro = {
    product_public_id: 'prod_1',
    name: 'Pro',
    description: '',
    is_free: false,
    is_active: true,
    trial_days: 0,
    prices: [{ public_id: 'prc_1', amount: '12.00', currency: 'usd', frequency: 'month' }],
  }

  test('a plan that was renamed and repriced is one plan', () => {
    const after = { ...pro, name: 'Plus', prices: [{ ...pro.prices[0]!, amount: '1500.00' }] }
    assert.deepEqual(compare({ versions: [pro] }, { versions: [after] }, new Map()), [
      { what: 'Plans, in order', before: 'Pro', after: 'Plus' },
      { what: 'Plus, name', before: 'Pro', after: 'Plus' },
      { what: 'Plus, monthly price', before: '$12.00', after: '$1,500.00' },
    ])
  })

  test('two sections with the same title are separate', () => {
    const sections = [
      { title: 'News', body: '<p>One</p>' },
      { title: 'News', body: '<p>Two</p>' },
    ]
    assert.deepEqual(compare({ sections: sections.slice(0, 1) }, { sections }, new Map()), [
      { what: 'Sections, in order', before: 'News', after: 'News, News' },
      { what: 'Section “News (2)”', before: null, after: '<p>Two</p>' },
    ])
  })

  test('equal parts have no differences', () => {
    assert.deepEqual(compare({ versions: [pro] }, { versions: [pro] }, new Map()), [])
  })
})
