import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { CheckboxField, Field, Form, HiddenFields, SelectField, TextareaField } from '#design/forms'
import { frequencyText } from '#design/money'
import { EmptyState, Panel } from '#design/panels'
import { Proceeds, type ProceedsRates } from '#design/proceeds'
import { RecordCards } from '#design/records'
import { AddRow, DefaultButton, RowButtons, RowFault, RowGroup } from '#design/rows'
import { PRODUCT_DESCRIPTION } from '#domain/catalog'
import { addressOf } from '#http/app-menu'
import { enteredFields, type FormFault, faultAt } from '#http/form-errors'
import type { ProductId } from '#platform/ids'
import { counted } from '#platform/text'
import { type AppFacts, AppPage } from './layout.tsx'
import type { PlanRow, PriceRow } from './plans-form.ts'

type EditorFacts = AppFacts & {
  rows: PlanRow[]
  /** A digest of the plans that were saved when the form was opened. */
  opened: string
  faults: FormFault[]
  focus: string | undefined
  /** A message above the form: nothing would change, or another change came first. */
  hint?: string | undefined
  /** The saved plans, and the highlighted one among them. */
  saved: { id: ProductId; name: string }[]
  highlighted: ProductId | undefined
  /** The fees of a sale of this app. */
  fees: ProceedsRates
  /** Whether changes reach buyers at once, and are reviewed before. */
  is_live: boolean
  /** Whether there is a live mode to copy plans from. */
  can_copy: boolean
}

const FREQUENCY_OPTIONS = (['month', 'year', 'week', 'day', null] as const).map((frequency) => ({
  value: frequency ?? 'once',
  label: frequencyText(frequency),
}))

const COPY = {
  key: 'copy',
  title: 'Copy plans from live mode',
  details: ['You review the differences first'],
}

/** The form of plans and prices. */
export function PlansPage(facts: EditorFacts): JSX.Element {
  const { rows, faults, slug } = facts
  const base = addressOf(slug, 'plans')
  return (
    <AppPage
      {...facts}
      current="plans"
      intro="Plans and prices. Changes apply immediately to unpaid checkouts."
    >
      {facts.hint && <Alert tone="info">{facts.hint}</Alert>}
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
        <div id="versions">
          <Form action={base} csrf_token={facts.csrf_token}>
            <HiddenFields values={{ opened: facts.opened }} />
            <DefaultButton name="do" value="review" />
            <RowFault id="versions" error={faultAt(faults, 'versions')} />
            {rows.length === 0 && (
              <EmptyState title="No plans yet">
                Add a plan: free, monthly, or a one-time purchase.
              </EmptyState>
            )}
            {rows.map((row, index) => (
              <Plan key={index} facts={facts} row={row} index={index} />
            ))}
            <AddRow name="do" list="versions">
              Add plan
            </AddRow>
            <Actions>
              <Button kind="primary" name="do" value="review" pending="Checking…">
                {facts.is_live ? 'Review changes' : 'Save'}
              </Button>
            </Actions>
          </Form>
        </div>
        <div class="grid grid-cols-1 gap-5">
          <RecordCards
            records={[
              {
                key: 'preview',
                href: `/dashboard/apps/${slug}/preview/`,
                title: 'Product page',
                details: ['As buyers see it'],
              },
              {
                key: 'features',
                href: `${addressOf(slug, 'listing')}features/`,
                title: 'Feature table',
                details: ['Features of each plan'],
              },
              ...(facts.can_copy ? [COPY] : []).map((card) => ({
                ...card,
                href: `${base}copy/`,
              })),
            ]}
          />
          {facts.saved.length > 1 && <Highlight {...facts} />}
        </div>
      </div>
    </AppPage>
  )
}

function Highlight({ saved, highlighted, slug, csrf_token }: EditorFacts): JSX.Element {
  const options = [
    { value: '', label: 'None' },
    ...saved.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return (
    <Panel title="Highlighted plan">
      <Form action={`${addressOf(slug, 'plans')}highlight`} csrf_token={csrf_token}>
        <SelectField
          label="Plan"
          name="product_id"
          optional
          value={highlighted ?? ''}
          options={options}
          hint="The product page recommends it."
        />
        <Actions>
          <Button pending="Saving…">Highlight</Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function Plan(given: { facts: EditorFacts; row: PlanRow; index: number }): JSX.Element {
  const { facts, row, index } = given
  const path = `versions.${index}`
  const field = enteredFields(row, facts.faults, path)
  const what = `plan ${index + 1}`
  return (
    <RowGroup
      id={path}
      legend={row.name.trim() || 'New plan'}
      error={faultAt(facts.faults, path)}
      tools={
        <RowButtons
          name="do"
          path={path}
          what={what}
          up={index > 0}
          down={index < facts.rows.length - 1}
        />
      }
    >
      <input type="hidden" name={`${path}.product_id`} value={row.product_id} />
      <Field label="Name" {...field('name')} autofocus={facts.focus === path} />
      <TextareaField
        label="Description"
        {...field('description')}
        optional
        rows={2}
        hint={`Plain text below the name, at most ${counted(PRODUCT_DESCRIPTION.most, 'character')}.`}
      />
      <CheckboxField
        label="Free plan. No prices."
        name={`${path}.is_free`}
        optional
        checked={row.is_free}
        error={faultAt(facts.faults, `${path}.is_free`)}
      />
      {(!row.is_free || row.prices.length > 0) && (
        <fieldset id={`${path}.prices`} class="grid grid-cols-1 gap-3">
          <legend class="mb-1.5 text-sm font-medium">Prices in US dollars, before tax</legend>
          <RowFault id={`${path}.prices`} error={faultAt(facts.faults, `${path}.prices`)} />
          {row.prices.map((price, at) => (
            <PriceFields key={at} facts={facts} price={price} plan={path} at={at} what={what} />
          ))}
          <AddRow name="do" list={`${path}.prices`}>
            Add price<span class="sr-only"> to {what}</span>
          </AddRow>
        </fieldset>
      )}
      {!row.is_free && (
        <Field
          label="Free trial, in days"
          {...field('trial_days')}
          inputmode="numeric"
          optional
          autocomplete="off"
          hint="0 to 90. The card is verified at checkout and charged when the trial ends. One-time prices have no trial."
        />
      )}
    </RowGroup>
  )
}

function PriceFields(given: {
  facts: EditorFacts
  price: PriceRow
  plan: string
  at: number
  what: string
}): JSX.Element {
  const { facts, price, plan, at, what } = given
  const path = `${plan}.prices.${at}`
  const field = enteredFields(price, facts.faults, path)
  return (
    <div
      id={path}
      class="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto]"
    >
      <div class="col-span-2 grid sm:col-span-1">
        <Field
          label="Amount"
          {...field('amount')}
          inputmode="decimal"
          autocomplete="off"
          placeholder="12.00"
          hint={<Proceeds id={`${path}.amount`} amount={price.amount} rates={facts.fees} />}
          error={field('amount').error ?? faultAt(facts.faults, path)}
          autofocus={facts.focus === path}
        />
      </div>
      <SelectField label="Billing" {...field('frequency')} options={FREQUENCY_OPTIONS} />
      <div class="pt-7">
        <RowButtons name="do" path={path} what={`price ${at + 1} of ${what}`} />
      </div>
    </div>
  )
}
