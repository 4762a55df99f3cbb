import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGLISH } from '#platform/language/locale'
import { readCardForm } from '../../src/sandbox/card-form.ts'
import { FORM, NOON, openWorld } from './world.ts'

const world = await openWorld()

/** Posts a form to a fresh entry. */
async function submit(form: Partial<typeof FORM>, headers: Record<string, string> = {}) {
  const { id, url } = await world.openEntry()
  const answer = await world.post(url, { ...FORM, ...form }, headers)
  return { id, url, answer, card: await world.sandbox.readCardEntry(id) }
}

describe('the card page', () => {
  test('shows the order, the fields by their labels, and the link back', async () => {
    const { url } = await world.openEntry()
    const answer = await world.get(url)
    assert.equal(answer.statusCode, 200)
    for (const label of ['Card number', 'Expiry', 'CVC', 'Billing ZIP code']) {
      assert.match(answer.body, new RegExp(`<label[^>]*>${label}</label>`))
    }
    for (const purpose of ['cc-number', 'cc-exp', 'cc-csc', 'postal-code']) {
      assert.match(answer.body, new RegExp(`autocomplete="${purpose}"`))
    }
    for (const text of ['Continue</button>', 'Harbor Pro', 'Sales tax (CA)', '−$12.75']) {
      assert.ok(answer.body.includes(text), text)
    }
    assert.match(answer.body, /Free for 14 days, then \$12\.75 per month\./)
    assert.ok(answer.body.includes(`href="${world.entry.back_url}"`))
    assert.match(answer.body, /name="zip"[^>]*value="94107"/)
    assert.match(answer.body, /Test mode: no real money moves/)
  })

  test('is not cached or framed, and runs only its own scripts', async () => {
    const { url } = await world.openEntry()
    for (const each of [url, '/sandbox/card-entries/nothing', '/sandbox/nothing']) {
      const { headers } = await world.get(each)
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['referrer-policy'], 'same-origin')
      assert.equal(
        headers['content-security-policy'],
        "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'self'; " +
          "frame-ancestors 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
          "font-src 'self'",
      )
    }
  })

  test('accepts a card once and redirects the buyer; then it is used up', async () => {
    const { url, answer, card } = await submit({})
    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, world.entry.return_url)
    assert.partialDeepStrictEqual(card, {
      brand: 'visa',
      last4: '4242',
      exp_month: 4,
      exp_year: 2030,
      billing_country: 'US',
      billing_zip: '94107',
      issuer_country: 'US',
    })
    for (const again of [await world.get(url), await world.post(url, FORM)]) {
      assert.equal(again.statusCode, 404)
      assert.match(again.body, /We have your card/)
      assert.ok(again.body.includes(`href="${world.entry.return_url}"`))
    }
  })

  test('posted twice concurrently stores one card', async () => {
    const { id, url } = await world.openEntry()
    const answers = await Promise.all([world.post(url, FORM), world.post(url, FORM)])
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [303, 404])
    assert.ok(await world.sandbox.readCardEntry(id))
  })

  test('with an unknown ID shows a clear error', async () => {
    const unknown = ['ce_0000000000000000000000', 'ce_%00', 'nothing']
    for (const id of unknown) {
      for (const answer of [
        await world.get(`/sandbox/card-entries/${id}`),
        await world.post(`/sandbox/card-entries/${id}`, FORM),
      ]) {
        assert.equal(answer.statusCode, 404)
        assert.match(answer.body, /Page not found/)
      }
    }
    assert.equal(await world.sandbox.readCardEntry('nothing'), undefined)
  })

  test('shows the icon of the app', async () => {
    const app_icon = '/images/img_0123456789ABCDEFGHIJKL-256.webp'
    const { url } = await world.sandbox.openCardEntry(NOON, { ...world.entry, app_icon })
    const { body } = await world.get(url)
    assert.ok(body.includes(`src="${app_icon}"`))
  })

  test('escapes text of the seller', async () => {
    const hostile = { ...world.entry, product_name: '<script>alert(1)</script>' }
    const { url } = await world.sandbox.openCardEntry(NOON, hostile)
    const { body } = await world.get(url)
    assert.ok(!body.includes('<script>alert'))
  })
})

describe('an error', () => {
  const TEST_CARD = 'This is a test checkout. Use a test card such as 4242 4242 4242 4242.'
  const BACK = 'Enter the 3 digits on the back of your card.'
  const FRONT = 'Enter the 4 digits on the front of your card.'
  const DATE = 'Enter the month and year as on your card, such as 04 / 30.'
  const ZIP = 'Enter the five digits of your billing ZIP code.'
  const AMEX = '3782 822463 10005'
  const cases: [what: string, form: Partial<typeof FORM>, field: string, message: string][] = [
    ['an unknown number', { number: '4111 1111 1111 1111' }, 'number', TEST_CARD],
    ['words as a number', { number: 'my card' }, 'number', TEST_CARD],
    ['no number at all', { number: '' }, 'number', 'Enter your card number.'],
    ['a month that is none', { expiry: '13 / 30' }, 'expiry', DATE],
    ['no expiry', { expiry: '' }, 'expiry', DATE],
    ['a past expiry', { expiry: '02 / 26' }, 'expiry', 'This date is past.'],
    ['a short CVC', { cvc: '12' }, 'cvc', BACK],
    ['an Amex CVC on a Visa', { cvc: '1234' }, 'cvc', BACK],
    ['a Visa CVC on an Amex', { number: AMEX }, 'cvc', FRONT],
    ['a ZIP of four digits', { zip: '9410' }, 'zip', ZIP],
    ['a Canadian postal code', { zip: 'M5V 3L9' }, 'zip', ZIP],
  ]
  for (const [what, form, field, message] of cases) {
    test(`${what} is shown at its field, and no card is stored`, async () => {
      const { answer, card } = await submit(form)
      assert.equal(answer.statusCode, 400)
      const shown = answer.body.split(`id="${field}-error"`)[1]
      assert.ok(shown?.slice(0, 700).includes(message))
      assert.equal(answer.body.match(/aria-invalid="true"/g)?.length, 1)
      assert.equal(card, undefined)
    })
  }

  test('keeps the other values, but never shows number or CVC again', async () => {
    const { answer } = await submit({ number: '4242 4242 4242 4241', cvc: '987' })
    assert.match(answer.body, /name="expiry"[^>]*value="04 \/ 30"/)
    assert.match(answer.body, /name="zip"[^>]*value="94107"/)
    assert.match(answer.body, /Enter the number and CVC again/)
    assert.ok(!answer.body.includes('4241'))
    assert.ok(!answer.body.includes('987'))
  })

  test('does not show a card number again that was typed into another field', async () => {
    const astray = '4242424242424241'
    const { answer } = await submit({ expiry: astray, zip: astray })
    assert.equal(answer.statusCode, 400)
    assert.ok(!answer.body.includes(astray))
  })

  test('lists every error at once', async () => {
    const { answer } = await submit({ number: '', expiry: '', cvc: '', zip: '' })
    assert.equal(answer.body.match(/aria-invalid="true"/g)?.length, 4)
  })
})

describe('the form', () => {
  test('accepts a number with spaces, with dashes or with neither', () => {
    for (const number of ['4242424242424242', '4242-4242-4242-4242', ' 4242 4242 4242 4242 ']) {
      assert.ok('read' in readCardForm({ ...FORM, number }, NOON, ENGLISH), number)
    }
  })

  test('accepts the expiry as people write it', () => {
    const spellings = ['12/30', '12 / 30', '1230', '12/2030', '12 / 2030', '122030', '12-30']
    for (const expiry of spellings) {
      const form = readCardForm({ ...FORM, expiry }, NOON, ENGLISH)
      assert.ok('read' in form, expiry)
      assert.deepEqual([form.read.exp_month, form.read.exp_year], [12, 2030])
    }
    assert.ok('read' in readCardForm({ ...FORM, expiry: '4/30' }, NOON, ENGLISH))
  })

  test('accepts a ZIP+4 and keeps its five digits', () => {
    const form = readCardForm({ ...FORM, zip: '94107-1234' }, NOON, ENGLISH)
    assert.ok('read' in form)
    assert.equal(form.read.zip, '94107')
    assert.ok('faults' in readCardForm({ ...FORM, zip: '94107-12' }, NOON, ENGLISH))
  })

  test('accepts a card until the end of its expiry month', () => {
    const at = (time: string) =>
      readCardForm({ ...FORM, expiry: '03 / 26' }, new Date(time), ENGLISH)
    assert.ok('read' in at('2026-03-31T23:59:59Z'))
    assert.ok('faults' in at('2026-04-01T00:00:00Z'))
  })

  test('without a form body is treated like one without values', () => {
    for (const body of [undefined, null, 'text', { number: ['1', '2'] }]) {
      const form = readCardForm(body, NOON, ENGLISH)
      assert.ok('faults' in form)
      assert.equal(Object.keys(form.faults).length, 4)
    }
  })
})

describe('a form from another site', () => {
  const refused = ['https://evil.example', 'null', 'https://purser.example.evil.example', '']
  for (const origin of refused) {
    test(`is rejected: Origin "${origin}"`, async () => {
      const { answer, card } = await submit({}, { origin })
      assert.equal(answer.statusCode, 403)
      assert.equal(card, undefined)
    })
  }

  test("is not one if the origin is the service's, or the request's", async () => {
    const own: Record<string, string>[] = [
      { origin: 'https://purser.example' },
      { origin: 'http://127.0.0.1:4000', host: '127.0.0.1:4000' },
    ]
    for (const headers of own) {
      const { answer } = await submit({}, headers)
      assert.equal(answer.statusCode, 303)
    }
  })
})

test('a body that is not a form is rejected with a page', async () => {
  const { url } = await world.openEntry()
  const headers = { 'content-type': 'application/json' }
  const answer = await world.post(url, { number: '4242 4242 4242 4242' }, headers)
  assert.equal(answer.statusCode, 415)
  assert.match(answer.body, /We could not read this form/)
})

test('a number has one fingerprint for every buyer, and another number another', async () => {
  const first = await world.enterCard()
  const second = await world.enterCard({ number: '4242-4242-4242-4242', zip: '10001' })
  const third = await world.enterCard({ number: '5555 5555 5555 4444' })
  assert.equal(first.fingerprint, second.fingerprint)
  assert.notEqual(first.token, second.token)
  assert.notEqual(first.fingerprint, third.fingerprint)
})
