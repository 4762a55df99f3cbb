import type { VNode } from 'preact'
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
import { cents } from '#platform/money'

const figures = {
  subtotal: cents(1200),
  tax: cents(107),
  total: cents(1307),
}

/** One use of every exported component, with `text` wherever a component takes words. */
export function everyComponent(text: string): Record<string, VNode> {
  const errors = [{ id: 'email', message: text }]
  const items = [{ label: text, amount: cents(1200) }]
  const price = { amount: cents(1200), frequency: 'month' as const, href: text, action: text }
  const page = { title: text, description: text, notice: text, children: text }
  return {
    Actions: <actions.Actions>{text}</actions.Actions>,
    SearchActions: <actions.SearchActions path={text} search={{ q: text }} />,
    BackLink: <actions.BackLink href="/back/">{text}</actions.BackLink>,
    Button: (
      <actions.Button kind="primary" icon="lock" pending={text} name="a" value={text} wide>
        {text}
      </actions.Button>
    ),
    TextLink: <actions.TextLink href={text}>{text}</actions.TextLink>,
    CopyButton: <copy.CopyButton id="key" label={text} look="btn-ghost" />,
    CopyField: <copy.CopyField id="key" label={text} value={text} />,
    Logo: <brand.Logo />,
    Mark: <brand.Mark />,
    AppIcon: <brand.AppIcon name={text} icon={text} />,
    Alert: (
      <feedback.Alert tone="error" title={text}>
        {text}
      </feedback.Alert>
    ),
    Badge: <feedback.Badge>{text}</feedback.Badge>,
    ErrorLine: <feedback.ErrorLine id="one-error">{text}</feedback.ErrorLine>,
    ErrorSummary: <feedback.ErrorSummary title={text} errors={errors} />,
    NoteAlert: <feedback.NoteAlert note={{ tone: 'success', title: text, text }} />,
    Processing: (
      <feedback.Processing title={text} href={text}>
        {text}
      </feedback.Processing>
    ),
    RedirectNotice: <feedback.RedirectNotice url={text} destination={text} />,
    Spinner: <feedback.Spinner />,
    StatusBadge: <feedback.StatusBadge status={text} />,
    CheckboxField: <forms.CheckboxField name="terms" label={text} hint={text} error={text} />,
    HiddenFields: <forms.HiddenFields values={{ name: text }} />,
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
        amount={cents(1200)}
        frequency={null}
      />
    ),
    Steps: <order.Steps current="confirm" />,
    Total: <order.Total amount={cents(1200)} taxed={false} />,
    DescriptionList: <panels.DescriptionList items={[{ term: text, detail: text }]} />,
    PhoneFold: (
      <panels.PhoneFold label={text} open>
        {text}
      </panels.PhoneFold>
    ),
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
    PageHeader: (
      <pageHeader.PageHeader title={text} back={{ label: text, href: text }} aside={text}>
        {text}
      </pageHeader.PageHeader>
    ),
    Mailbox: <panels.Mailbox address={text} />,
    Panel: (
      <panels.Panel title={text} aside={text}>
        {text}
      </panels.Panel>
    ),
    RecordCards: (
      <recordLists.RecordCards
        records={[
          { key: 'one', href: text, title: text, details: [text], mark: text, aside: text },
        ]}
      />
    ),
    RecordRows: (
      <recordLists.RecordRows
        records={[
          {
            key: text,
            title: text,
            details: [text],
            aside: text,
            link: { label: text, href: text },
            action: text,
          },
        ]}
      />
    ),
    RecordTable: (
      <recordLists.RecordTable
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
    Stacked: <cells.Stacked below={text}>{text}</cells.Stacked>,
    Truncated: <cells.Truncated text={text} href={text} />,
    Wrapped: <cells.Wrapped text={text} href={text} />,
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
      />
    ),
    PlanGrid: <plans.PlanGrid>{text}</plans.PlanGrid>,
    Comparison: <comparison.Comparison differences={[{ what: text, before: text, after: text }]} />,
    ShortDay: <money.ShortDay date={new Date('2026-06-30')} />,
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
    SmallLinks: <navigation.SmallLinks links={[{ label: text, href: text }]} />,
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
