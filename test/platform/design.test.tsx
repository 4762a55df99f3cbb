import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import * as actions from '#design/actions'
import * as brand from '#design/brand'
import * as comparison from '#design/comparison'
import * as feedback from '#design/feedback'
import * as forms from '#design/forms'
import * as icons from '#design/icons'
import * as invite from '#design/invite'
import * as layout from '#design/layout'
import * as money from '#design/money'
import * as navigation from '#design/navigation'
import * as order from '#design/order'
import * as panels from '#design/panels'
import * as passkey from '#design/passkey'
import * as plans from '#design/plans'
import * as reading from '#design/reading'
import * as rows from '#design/rows'
import { asset } from '#platform/assets'
import { cents, ZERO } from '#platform/money'
import { counted } from '#platform/text'
import { buildAssets } from '../../scripts/build-assets.ts'

before(buildAssets)

const figures = {
  subtotal: cents(1200),
  tax: cents(107),
  total: cents(1307),
}

/** One use of every exported component, with `text` wherever a component takes words. */
function everyComponent(text: string): Record<string, VNode> {
  const errors = [{ id: 'email', message: text }]
  const items = [{ label: text, detail: text, amount: cents(1200) }]
  const price = { amount: cents(1200), frequency: 'month' as const, href: text, action: text }
  const page = { title: text, description: text, notice: text, children: text }
  return {
    Actions: <actions.Actions>{text}</actions.Actions>,
    BackLink: <actions.BackLink href="/back/">{text}</actions.BackLink>,
    Button: (
      <actions.Button kind="primary" icon="lock" pending={text} name="a" value={text} wide>
        {text}
      </actions.Button>
    ),
    CopyField: <actions.CopyField id="key" label={text} value={text} />,
    TextLink: <actions.TextLink href={text}>{text}</actions.TextLink>,
    Logo: <brand.Logo />,
    Mark: <brand.Mark />,
    AppIcon: <brand.AppIcon name={text} icon={text} />,
    Alert: (
      <feedback.Alert tone="error" title={text}>
        {text}
      </feedback.Alert>
    ),
    Badge: <feedback.Badge>{text}</feedback.Badge>,
    ErrorSummary: <feedback.ErrorSummary title={text} errors={errors} />,
    Processing: (
      <feedback.Processing title={text} href={text}>
        {text}
      </feedback.Processing>
    ),
    RedirectNotice: <feedback.RedirectNotice url={text} seconds={9} destination={text} />,
    Spinner: <feedback.Spinner />,
    StatusBadge: <feedback.StatusBadge status={text} />,
    CheckboxField: <forms.CheckboxField name="terms" label={text} hint={text} error={text} />,
    CsrfField: <forms.CsrfField token={text} />,
    FileField: <forms.FileField name="file" label={text} hint={text} error={text} accept={text} />,
    Field: (
      <forms.Field
        name="email"
        label={text}
        value={text}
        hint={text}
        error={text}
        placeholder={text}
        format="card"
        icon="card"
      />
    ),
    FieldRow: <forms.FieldRow>{text}</forms.FieldRow>,
    Form: (
      <forms.Form action={text} csrf_token={text}>
        {text}
      </forms.Form>
    ),
    SelectField: (
      <forms.SelectField
        name="country"
        label={text}
        value={text}
        options={[{ value: text, label: text }]}
      />
    ),
    TextareaField: <forms.TextareaField name="note" label={text} value={text} optional />,
    NewPasswordField: <forms.NewPasswordField label={text} error={text} />,
    UsernameField: <forms.UsernameField value={text} />,
    Icon: <icons.Icon name="external" />,
    FocusLayout: (
      <layout.FocusLayout {...page} app_name={text} app_url={text} summary={text} selling />
    ),
    Page: (
      <layout.Page
        {...page}
        // The service's own address, never a visitor's text.
        canonical_url="https://purser.example/"
        structured_data={[{ name: text }]}
        refresh_seconds={3}
        listed
      />
    ),
    SiteLayout: (
      <layout.SiteLayout {...page} site_nav={[{ label: text, href: text, current: true }]}>
        {text}
      </layout.SiteLayout>
    ),
    Day: <money.Day date="2026-06-30" />,
    Money: <money.Money amount={cents(1200)} />,
    Price: <money.Price amount={cents(1200)} frequency="month" />,
    LineItems: <order.LineItems {...figures} items={items} tax_label={text} renewal={text} />,
    OrderSummary: (
      <order.OrderSummary
        {...figures}
        items={items}
        product_name={text}
        description={text}
        amount={cents(1200)}
        frequency={null}
      />
    ),
    Steps: <order.Steps current="confirm" />,
    Total: <order.Total amount={cents(1200)} taxed={false} />,
    DescriptionList: <panels.DescriptionList items={[{ term: text, detail: text }]} />,
    Disclosure: (
      <panels.Disclosure summary={text} id={text} open>
        {text}
      </panels.Disclosure>
    ),
    EmptyState: (
      <panels.EmptyState title={text} action={text}>
        {text}
      </panels.EmptyState>
    ),
    Heading: (
      <panels.Heading title={text} done>
        {text}
      </panels.Heading>
    ),
    Mailbox: <panels.Mailbox address={text} />,
    Panel: (
      <panels.Panel title={text} aside={text}>
        {text}
      </panels.Panel>
    ),
    RecordCards: (
      <panels.RecordCards
        records={[
          { key: 'one', href: text, title: text, details: [text], mark: text, aside: text },
        ]}
      />
    ),
    RecordRows: (
      <panels.RecordRows
        records={[{ key: text, title: text, details: [text], aside: text, action: text }]}
      />
    ),
    RecordTable: (
      <panels.RecordTable
        caption={text}
        columns={[{ label: text }]}
        rows={[{ key: 'one', cells: [text] }]}
      />
    ),
    InvitePanel: (
      <invite.InvitePanel
        title={text}
        action={text}
        csrf_token={text}
        form={{ email: text, role: text }}
        fault={text}
        roles={[{ value: text, label: text }]}
        usual_role={text}
      >
        {text}
      </invite.InvitePanel>
    ),
    Truncated: <panels.Truncated text={text} href={text} />,
    Totals: <panels.Totals items={[{ term: text, detail: text }]} />,
    FeatureTable: (
      <plans.FeatureTable
        plans={[{ id: 'pro', name: text }]}
        features={[{ name: text, description: text, plan_ids: ['pro'] }]}
      />
    ),
    PasskeyForm: (
      <passkey.PasskeyForm ceremony="get" action={text} options_url={text} csrf_token={text}>
        {text}
      </passkey.PasskeyForm>
    ),
    WithoutPasskeys: <passkey.WithoutPasskeys>{text}</passkey.WithoutPasskeys>,
    PlanCard: (
      <plans.PlanCard
        id="pro"
        name={text}
        prices={[{ ...price, note: text }]}
        description={text}
        featured={text}
        points={[text]}
      />
    ),
    PlanGrid: <plans.PlanGrid>{text}</plans.PlanGrid>,
    Comparison: <comparison.Comparison differences={[{ what: text, before: text, after: text }]} />,
    Moment: <money.Moment at={new Date('2026-06-30T16:05:00Z')} />,
    PageNav: <navigation.PageNav label={text} page={2} last={3} href={() => text} />,
    Pager: <navigation.Pager newest={text} older={text} />,
    LinkList: (
      <navigation.LinkList
        label={text}
        links={[{ label: text, href: text, current: true }]}
        list_class="flex"
        link_class="underline"
      />
    ),
    LinkRow: <navigation.LinkRow label={text} links={[{ label: text, href: text }]} />,
    PermittedNav: (
      <navigation.PermittedNav
        label={text}
        pages={[{ page: 'one', label: text, href: text, needs: 'view' }]}
        current="one"
        isPermitted={() => true}
      />
    ),
    SubNav: <navigation.SubNav label={text} links={[{ label: text, href: text }]} />,
    Chapter: (
      <reading.Chapter id="one" title={text}>
        {text}
      </reading.Chapter>
    ),
    Code: <reading.Code>{text}</reading.Code>,
    CodeBlock: <reading.CodeBlock id="code" label={text} code={text} />,
    ReferenceTable: (
      <reading.ReferenceTable
        caption={text}
        columns={[text, 'Words']}
        rows={[{ key: 'one', cells: [text, text] }]}
      />
    ),
    // It takes HTML that was cleaned; that it is clean is the guarantee of the code that cleans it.
    DocText: <reading.DocText clean_html="<p>words</p>" />,
    RichText: <reading.RichText clean_html="<p>words</p>" />,
    AddRow: (
      <rows.AddRow name="do" list={text}>
        {text}
      </rows.AddRow>
    ),
    DefaultButton: <rows.DefaultButton name="do" value={text} />,
    RadioFields: (
      <rows.RadioFields
        legend={text}
        name="mode"
        value="one"
        error={text}
        options={[{ value: 'one', label: text, hint: text }]}
      />
    ),
    RowButtons: <rows.RowButtons name="do" path={text} what={text} up down />,
    RowFault: <rows.RowFault id="one" error={text} />,
    RowGroup: (
      <rows.RowGroup id="one" legend={text} tools={<b>{text}</b>} error={text}>
        {text}
      </rows.RowGroup>
    ),
  }
}

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
      comparison,
      feedback,
      forms,
      icons,
      invite,
      layout,
      money,
      navigation,
      order,
      panels,
      passkey,
      plans,
      reading,
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
    assert.equal(money.taxLabel({ state: 'TX', tax: cents(60) }), 'Sales tax (TX)')
    assert.equal(money.taxLabel({ state: 'OR', tax: ZERO }), 'Sales tax (OR, none)')
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
