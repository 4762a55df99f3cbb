import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import { renderToString } from 'preact-render-to-string'
import * as actions from '#design/actions'
import * as brand from '#design/brand'
import * as cells from '#design/cells'
import * as comparison from '#design/comparison'
import * as copy from '#design/copy'
import * as feedback from '#design/feedback'
import * as forms from '#design/forms'
import * as icons from '#design/icons'
import * as invite from '#design/invite'
import * as layout from '#design/layout'
import * as money from '#design/money'
import * as navigation from '#design/navigation'
import * as order from '#design/order'
import * as pageHeader from '#design/page-header'
import * as panels from '#design/panels'
import * as passkey from '#design/passkey'
import * as plans from '#design/plans'
import * as reading from '#design/reading'
import * as recordLists from '#design/records'
import * as rows from '#design/rows'
import { asset } from '#platform/assets'
import { cents } from '#platform/money'
import { counted } from '#platform/text'
import { buildAssets } from '../../scripts/build-assets.ts'
import { everyComponent } from './every-component.tsx'

before(buildAssets)

const tag = /<(\/?[a-z][a-z0-9]*)((?:\s+[^\s=>"'/]+(?:="[^"]*")?)*)\s*\/?>/gi

/** The tags of a document with the names of their attributes, and nothing of their text. */
function skeleton(html: string): string[] {
  assert.doesNotMatch(html.replace(tag, ''), /</, 'an angle bracket is outside of any tag')
  return [...html.matchAll(tag)].map(([, name, attributes]) =>
    [name, ...[...attributes!.matchAll(/([^\s=]+)(?:="[^"]*")?/g)].map((match) => match[1])].join(
      ' ',
    ),
  )
}

const hostileText = fc.oneof(
  fc.string({ minLength: 1, unit: 'binary' }),
  fc
    .array(
      fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', '`', 'script', 'onload', '-->'),
      {
        minLength: 1,
      },
    )
    .map((parts) => parts.join('')),
)

describe('pages are safe to fill with anything', () => {
  test('no text, as a child or in an attribute, creates a tag or an attribute', () => {
    const expected = Object.entries(everyComponent('words')).map(
      ([name, node]) => [name, skeleton(renderToString(node))] as const,
    )
    fc.assert(
      fc.property(hostileText, (text) => {
        const rendered = everyComponent(text)
        for (const [name, shape] of expected) {
          assert.deepEqual(skeleton(renderToString(rendered[name]!)), shape, name)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('every component is in the list of these tests', () => {
    const modules = [
      actions,
      brand,
      cells,
      comparison,
      copy,
      feedback,
      forms,
      icons,
      invite,
      layout,
      money,
      navigation,
      order,
      pageHeader,
      panels,
      passkey,
      plans,
      reading,
      recordLists,
      rows,
    ]
    const exported = modules.flatMap((module) => Object.keys(module))
    const components = exported.filter((name) => /^[A-Z]/.test(name)).sort()
    assert.deepEqual(Object.keys(everyComponent('words')).sort(), components)
  })

  test('no component contains a style, a handler or a script', () => {
    for (const [name, node] of Object.entries(everyComponent('words'))) {
      for (const part of skeleton(renderToString(node))) {
        assert.doesNotMatch(part, /\s(style|on[a-z]+)(\s|$)/i, name)
        // A script without a source is data for search engines, which no browser runs.
        if (part.startsWith('script')) assert.match(part, /\s(src|type)(\s|$)/, name)
        assert.doesNotMatch(part, /^style/, name)
      }
    }
  })

  test('a rendered page is a complete document, in its language, with its assets', () => {
    const html = layout.renderPage(<layout.SiteLayout title="Home">words</layout.SiteLayout>)
    assert.match(html, /^<!doctype html><html lang="en">/)
    assert.ok(html.includes(`href="${asset('app.css')}"`))
    assert.ok(html.includes(`<script type="module" src="${asset('app.js')}" defer></script>`))
    assert.match(html, /<meta name="robots" content="noindex"/)
  })

  test('the title of a page says first that something in its form is wrong', () => {
    const page = (has_error: boolean) =>
      layout.renderPage(
        <layout.FocusLayout title="Card" has_error={has_error}>
          words
        </layout.FocusLayout>,
      )
    assert.match(page(true), /<title>Error: Card<\/title>/)
    assert.match(page(false), /<title>Card<\/title>/)
  })
})

describe('one of several links or buttons with the same word', () => {
  /** The texts that describe the link with this word. */
  const descriptionOf = (html: string, word: string) => {
    const [, ids = ''] = new RegExp(`aria-describedby="([^"]+)"[^>]*>${word}<`).exec(html) ?? []
    return ids.split(' ').map((id) => {
      const [, , text = ''] = new RegExp(`<(\\w+) id="${id}"[^>]*>(.*?)</\\1>`).exec(html) ?? []
      return text.replaceAll(/<[^>]+>/g, '')
    })
  }

  test('is described by its record', () => {
    const record = { key: 'r1', title: 'ada@example.com', details: ['Since May 1, 2026'] }
    const records = [{ ...record, link: { label: 'Manage', href: '/r1/' } }]
    const html = renderToString(<recordLists.RecordRows records={records} />)
    assert.deepEqual(descriptionOf(html, 'Manage'), ['ada@example.com', 'Since May 1, 2026'])
  })

  test('is described by its plan and its price', () => {
    const price = { amount: cents(1200), frequency: 'month', href: '/', action: 'Choose' } as const
    const html = renderToString(<plans.PlanCard id="pro" name="Pro" prices={[price]} />)
    assert.deepEqual(descriptionOf(html, 'Choose'), ['Pro', '$12.00 per month'])
  })
})

describe('fields', () => {
  test('a field names its label, and is described by its hint and its error', () => {
    const html = renderToString(
      <forms.Field name="zip" label="ZIP code" hint="Five digits." error="That is no ZIP code." />,
    )
    assert.match(html, /<label for="zip"[^>]*>ZIP code<\/label>/)
    assert.match(html, /<input id="zip" name="zip"[^>]* aria-describedby="zip-hint zip-error"/)
    assert.match(html, /<p id="zip-hint"[^>]*>Five digits\.<\/p>/)
    assert.match(html, /<p id="zip-error"[^>]*>.*That is no ZIP code\.<\/p>/)
    assert.match(html, /aria-invalid="true"/)
  })

  test('a field without a hint or an error has no description and is not invalid', () => {
    const html = renderToString(<forms.Field name="email" label="Email" />)
    assert.doesNotMatch(html, /aria-describedby|aria-invalid/)
    assert.match(html, /\srequired/)
  })

  test('an error in the summary links to the field with the same ID', () => {
    const html = renderToString(
      <>
        <feedback.ErrorSummary errors={[{ id: 'zip', message: 'Five digits.' }]} />
        <forms.Field name="zip" label="ZIP code" />
      </>,
    )
    assert.match(html, /href="#zip"/)
    assert.match(html, /tabindex="-1"/)
  })

  test('exactly one step of the checkout is the current one', () => {
    for (const step of ['details', 'card', 'confirm', 'done'] as const) {
      const html = renderToString(<order.Steps current={step} />)
      assert.equal(html.match(/aria-current="step"/g)?.length, 1)
      assert.match(html, new RegExp(`aria-current="step"[^>]*><span[^>]*>${step}`, 'i'))
    }
  })
})

describe('money', () => {
  test('formats cents as dollars, exact at any size', () => {
    assert.equal(money.formatMoney(cents(1200)), '$12.00')
    assert.equal(money.formatMoney(cents(0)), '$0.00')
    assert.equal(money.formatMoney(cents(5)), '$0.05')
    assert.equal(money.formatMoney(cents(123456789)), '$1,234,567.89')
    assert.equal(money.formatMoney(cents(-7)), '−$0.07')
    assert.equal(money.formatMoney(cents(Number.MAX_SAFE_INTEGER)), '$90,071,992,547,409.91')
  })

  test('a price, a tax line and a count each have one wording', () => {
    assert.equal(money.priceText(cents(1200), 'month'), '$12.00 per month')
    assert.equal(money.priceText(cents(7900), null), '$79.00 once')
    const label = (state: string, amount: number, tax: number) =>
      money.taxLabel({ state, amount: cents(amount), tax: cents(tax) })
    assert.equal(label('TX', 1200, 60), 'Sales tax (TX)')
    assert.equal(label('OR', 1200, 0), 'Sales tax (OR, none)')
    assert.equal(label('TX', 0, 0), 'Sales tax (TX)')
    const counts = [0, 1, 2, 1200].map((count) => counted(count, 'dispute'))
    assert.deepEqual(counts, ['0 disputes', '1 dispute', '2 disputes', '1,200 disputes'])
  })

  test('the displayed digits are the given cents', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (whole) => {
        const digits = money.formatMoney(cents(whole)).replace('−', '-').replace(/[$,.]/g, '')
        assert.equal(Number(digits), whole)
      }),
    )
  })

  test('a fraction of a cent is rejected rather than rounded', () => {
    assert.throws(() => money.formatMoney(cents(12.5)), RangeError)
  })
})

test('a line breaks between a day and a time, but not within the time', () => {
  const moment = <money.Moment at={new Date('2026-11-29T20:20:00Z')} />
  const time = '<span class="whitespace-nowrap">8:20 PM UTC</span>'
  assert.ok(renderToString(moment).includes(`>November 29, 2026 at ${time}<`))
})

test('the words of a badge are one item, whose spaces are those of the text', () => {
  const badge = (
    <feedback.Badge>
      Refunded, <money.Money amount={cents(500)} /> in excess
    </feedback.Badge>
  )
  assert.match(
    renderToString(badge),
    /^<span class="badge[^>]*><span>Refunded, .* in excess<\/span>/,
  )
})
