import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Stacked } from '#design/cells'
import { Badge, ErrorLine } from '#design/feedback'
import { CheckboxField, Field, FieldRow, Form, SelectField } from '#design/forms'
import { formatShortDay } from '#design/money'
import { PageNav } from '#design/navigation'
import { EmptyState, Panel } from '#design/panels'
import { RecordTable } from '#design/records'
import type { Product } from '#domain/catalog'
import { discountText, type ListedDiscount, type NewDiscount } from '#domain/discounts'
import { addressOf } from '#http/app-menu'
import { enteredFields, type FormFault, faultAt } from '#http/form-errors'
import type { Paging } from '#http/pagination'
import { capitalized } from '#platform/text'
import { type AppFacts, AppPage } from './layout.tsx'

type DiscountsFacts = AppFacts & {
  /** The app's time. */
  now: Date
  /** The plans that a code can be limited to. */
  products: Product[]
  codes: ListedDiscount[]
  paging: Paging
  form: NewDiscount
  faults: FormFault[]
}

const COLUMNS = [
  { label: 'Code' },
  { label: 'Discount' },
  { label: 'Status' },
  { label: 'Uses', numeric: true },
  { label: 'Valid' },
  { label: 'Action' },
]

/** The discount codes of an app, and a form for a new one. */
export function DiscountsPage(facts: DiscountsFacts): JSX.Element {
  const { codes, paging, slug } = facts
  return (
    <AppPage
      {...facts}
      current="discounts"
      intro={
        <>
          Codes that buyers enter at checkout, or that a Buy link carries as{' '}
          <span class="whitespace-nowrap">?discount=CODE</span>. Tax and fees are based on the
          discounted price.
        </>
      }
    >
      {codes.length === 0 ? (
        <EmptyState title="No discount codes yet">
          Create one below. Buyers enter it at checkout, or follow a Buy link with{' '}
          <code class="font-mono whitespace-nowrap">?discount=</code> and the code.
        </EmptyState>
      ) : (
        <Panel title="Codes">
          <RecordTable
            caption="Discount codes, newest first"
            columns={COLUMNS}
            rows={codes.map((code) => ({ key: code.id, cells: cellsOf(facts, code) }))}
          />
          <PageNav
            label="Pages of codes"
            page={paging.page}
            last={paging.last}
            href={(page) => `${addressOf(slug, 'discounts')}?page=${page}`}
          />
        </Panel>
      )}
      <NewCode {...facts} />
    </AppPage>
  )
}

function cellsOf(facts: DiscountsFacts, code: ListedDiscount) {
  const [label, tone] = statusOf(facts.now, code)
  const to = code.is_active ? 'off' : 'on'
  const limits = limitsText(facts.products, code)
  return [
    <span class="inline-block min-w-40 font-mono font-semibold break-all sm:whitespace-normal">
      {code.code}
    </span>,
    <span class="inline-block min-w-24 sm:whitespace-normal">{discountText(code)}</span>,
    <Badge tone={tone}>{label}</Badge>,
    usesText(code),
    <Stacked below={limits && <span class="sm:whitespace-normal">{limits}</span>}>
      {validText(code)}
    </Stacked>,
    <div class="w-max">
      <Form
        action={`${addressOf(facts.slug, 'discounts')}${code.id}/${to}`}
        csrf_token={facts.csrf_token}
      >
        <Button pending="One moment…">
          {code.is_active ? 'Deactivate' : 'Activate'}
          <span class="sr-only"> {code.code}</span>
        </Button>
      </Form>
    </div>,
  ]
}

function statusOf(now: Date, code: ListedDiscount): [label: string, tone?: 'good'] {
  const { valid_from, valid_until, max_uses } = code
  if (!code.is_active) return ['Inactive']
  if (valid_until && valid_until <= now) return ['Expired']
  if (max_uses !== null && code.uses >= max_uses) return ['Used up']
  return valid_from && now < valid_from ? ['Scheduled'] : ['Active', 'good']
}

function usesText({ uses, max_uses }: ListedDiscount): string {
  const count = (number: number) => number.toLocaleString('en-US')
  return max_uses === null ? count(uses) : `${count(uses)} of ${count(max_uses)}`
}

/** The days on which a code is valid; the last one ends at midnight UTC. */
function validText({ valid_from, valid_until }: ListedDiscount): string {
  const last = valid_until && formatShortDay(new Date(valid_until.getTime() - 1))
  if (valid_from && last) return `${formatShortDay(valid_from)} to ${last}`
  if (valid_from) return `From ${formatShortDay(valid_from)}`
  return last ? `Until ${last}` : 'Always'
}

/** Which purchases a code applies to. Empty if it applies to all. */
function limitsText(products: Product[], code: ListedDiscount): string {
  const names = code.product_ids.map(
    (id) => products.find((product) => product.id === id)?.name ?? 'A removed plan',
  )
  const buyers = [
    ...(code.is_first_purchase ? ['first purchase'] : []),
    ...(code.is_once_per_buyer ? ['once per buyer'] : []),
  ]
  return [...(buyers.length > 0 ? [capitalized(buyers.join(', '))] : []), ...names].join(', ')
}

function NewCode(facts: DiscountsFacts): JSX.Element {
  const { form, faults, slug, csrf_token } = facts
  const field = enteredFields(form, faults)
  return (
    <Panel title="New code">
      <Form action={addressOf(slug, 'discounts')} csrf_token={csrf_token}>
        <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
          <Field
            label="Code"
            {...field('code')}
            hint="3 to 32 characters: A to Z, digits and hyphens. Not case-sensitive."
            autocomplete="off"
            spellcheck={false}
            maxlength={32}
          />
          <FieldRow>
            <Field label="Amount" {...field('amount')} inputmode="decimal" autocomplete="off" />
            <SelectField label="Unit" name="unit" value={form.unit} options={UNITS} />
          </FieldRow>
          <Duration {...facts} />
          <FieldRow wide>
            <Field label="First day" {...field('valid_from')} type="date" optional />
            <Field label="Last day" {...field('valid_until')} type="date" optional />
          </FieldRow>
        </div>
        <Limits {...facts} />
        <p class="text-sm text-muted">
          The terms of a code cannot be changed later. You can deactivate it at any time. Days are
          in UTC.
        </p>
        <Actions>
          <Button kind="primary" pending="Creating…">
            Create code
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

const UNITS = [
  { value: 'percent', label: 'Percent' },
  { value: 'dollars', label: 'Dollars' },
]

const LASTS = [
  { value: 'once', label: 'First payment' },
  { value: 'periods', label: 'Several periods' },
  { value: 'forever', label: 'Every period' },
]

function Duration({ form, faults }: DiscountsFacts): JSX.Element {
  const field = enteredFields(form, faults)
  return (
    <FieldRow wide>
      <SelectField label="Applies to" name="lasts" value={form.lasts} options={LASTS} />
      <Field
        label="Periods"
        {...field('periods')}
        hint="Only if the code applies to several periods."
        inputmode="numeric"
        autocomplete="off"
        optional
      />
    </FieldRow>
  )
}

function Limits({ form, faults, products }: DiscountsFacts): JSX.Element {
  const field = enteredFields(form, faults)
  const fault = faultAt(faults, 'product_ids')
  const described = fault ? 'product-ids-hint product-ids-error' : 'product-ids-hint'
  return (
    <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
      <div class="grid gap-1">
        <Field
          label="Maximum uses"
          {...field('max_uses')}
          hint="Across all buyers."
          inputmode="numeric"
          autocomplete="off"
          optional
        />
        <CheckboxField
          name="is_once_per_buyer"
          label="One use per buyer"
          checked={form.is_once_per_buyer}
          optional
        />
        <CheckboxField
          name="is_first_purchase"
          label="First purchase of this app only"
          checked={form.is_first_purchase}
          optional
        />
      </div>
      {products.length > 0 && (
        <fieldset id="product_ids" aria-describedby={described}>
          <legend class="text-sm font-medium">Plans</legend>
          <p id="product-ids-hint" class="text-sm text-muted">
            If none is selected, the code applies to every plan.
          </p>
          {products.map(({ id, name }) => (
            <CheckboxField
              key={id}
              name={id}
              label={name}
              checked={form.product_ids.includes(id)}
              optional
            />
          ))}
          {fault && <ErrorLine id="product-ids-error">{fault}</ErrorLine>}
        </fieldset>
      )}
    </div>
  )
}
