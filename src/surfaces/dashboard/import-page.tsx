import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Form, SelectField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { priceText } from '#design/money'
import { Heading, Panel } from '#design/panels'
import {
  type FilePlan,
  fieldsOf,
  type Import,
  isDeletable,
  MAX_FILE_PLANS,
  SOURCE_READERS,
  unusedColumns,
} from '#domain/imports'
import { faultAt } from '#http/form-errors'
import { counted, nameKey } from '#platform/text'
import { FIELD_LABELS } from './import-labels.ts'
import { FaultPanel, type ImportPageFacts, ReportPanel, RunPanel } from './import-report.tsx'
import { AppPage } from './layout.tsx'

/** One import: its columns, its plans, the dry run with its report, and the import. */
export function ImportPage(facts: ImportPageFacts): JSX.Element {
  const { read } = facts
  const { status } = read
  const isOver = status === 'done' || (facts.is_expired && !facts.running_url)
  const isKnown = status === 'checked' || status === 'importing' || status === 'done'
  return (
    <AppPage
      {...facts}
      current="customers"
      heading="import"
      intro={`${read.file_name}, from ${SOURCE_READERS[read.source].label}`}
      back={{ label: 'Imports', href: facts.back }}
    >
      <div class="grid grid-cols-1 gap-6">
        {facts.running_url && (
          <Alert tone="info" title="In progress">
            <TextLink href={facts.running_url}>View progress</TextLink>
          </Alert>
        )}
        {isOver && status !== 'done' && (
          <Alert tone="warning" title="The rows of this file were deleted">
            They are kept for 30 days after the upload. What was imported is kept. Upload the file
            again to continue.
          </Alert>
        )}
        {status === 'uploaded' && <Columns {...facts} />}
        {isKnown && <ReportPanel {...facts} />}
        {isKnown && !isOver && !facts.running_url && <RunPanel {...facts} />}
        {(status === 'read' || status === 'checked') && !isOver && <Plans {...facts} />}
        {read.faults > 0 && <FaultPanel {...facts} />}
        {isDeletable(read) && !facts.running_url && <DeletePanel {...facts} />}
      </div>
    </AppPage>
  )
}

function DeletePanel({ address }: ImportPageFacts): JSX.Element {
  return (
    <Panel title="Delete import">
      <p class="text-sm text-muted">
        Nothing of this file was imported. Delete it if you do not need it, or to upload others.
      </p>
      <Actions>
        <Button kind="danger" href={`${address}delete`}>
          Delete import
        </Button>
      </Actions>
    </Panel>
  )
}

/** Asks for confirmation before an import is deleted. */
export function DeleteImportPage(facts: {
  app_name: string
  app_icon: string | undefined
  read: Import
  address: string
  csrf_token: string
}): JSX.Element {
  const { app_name, app_icon, read, address, csrf_token } = facts
  return (
    <FocusLayout title={`Delete import · ${app_name}`} app_name={app_name} app_icon={app_icon}>
      <Heading title="Delete this import?">
        {read.file_name}, with its rows and errors. Nothing of it was imported. To import it later,
        upload the file again.
      </Heading>
      <Form action={`${address}delete`} csrf_token={csrf_token}>
        <Button kind="danger" pending="Deleting…" wide>
          Delete import
        </Button>
      </Form>
      <Button href={address} wide>
        Cancel
      </Button>
    </FocusLayout>
  )
}

function Columns({ read, address, csrf_token, faults }: ImportPageFacts): JSX.Element {
  const options = [
    { value: '', label: 'Not in the file' },
    ...read.columns.map((name, index) => ({
      value: String(index),
      label: name || `Column ${index + 1}`,
    })),
  ]
  const { required } = SOURCE_READERS[read.source]
  const unused = unusedColumns(read.columns, read.matched)
  return (
    <Panel title="1. Match columns">
      <p class="text-sm text-muted">
        Columns were matched by name. Correct any that are wrong.
        {unused.length > 0 && ` Not imported: ${unused.join(', ')}.`}
      </p>
      <Form action={`${address}columns`} csrf_token={csrf_token}>
        <div class="grid gap-4 sm:grid-cols-2">
          {fieldsOf(read.source).map(([field]) => (
            <SelectField
              key={field}
              label={FIELD_LABELS[field]}
              name={field}
              options={options}
              value={read.matched[field] === undefined ? '' : String(read.matched[field])}
              optional={!required.includes(field)}
              error={faultAt(faults, field)}
            />
          ))}
        </div>
        <Actions>
          <Button kind="primary" pending="Reading…">
            Read file
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function Plans(facts: ImportPageFacts): JSX.Element {
  const { read, address, csrf_token, faults, file_plans, products } = facts
  if (file_plans.length === 0) {
    return (
      <Alert tone="warning" title="Nothing to import">
        {read.faults > 0
          ? 'No row of the file could be read. The errors below say why.'
          : 'The file has no rows that can be imported.'}
      </Alert>
    )
  }
  if (file_plans.length > MAX_FILE_PLANS) {
    return (
      <Alert tone="warning" title={`The file has more than ${MAX_FILE_PLANS} products`}>
        Probably a column was matched as the product or its variant that is something else. Upload
        the file again, and correct the columns.
      </Alert>
    )
  }
  const options = [
    { value: '', label: 'Choose a plan' },
    ...products,
    { value: 'create', label: 'Create a plan with this name and price' },
    { value: 'skip', label: 'Do not import' },
  ]
  const isFirst = read.status === 'read'
  const note = read.matched.key === undefined && SOURCE_READERS[read.source].keyless_note
  return (
    <Panel title={isFirst ? '2. Match plans' : 'Match plans again'}>
      <p class="text-sm text-muted">
        Choose the {facts.app_name} plan for each product in the file. A plan that you create goes
        on sale with the app’s other plans.
      </p>
      {note && file_plans.some(({ lasting }) => lasting > 0) && (
        <Alert tone="warning" title="Some rows have no end">
          {note}
        </Alert>
      )}
      <Form action={`${address}plans`} csrf_token={csrf_token}>
        {file_plans.map((each, index) => (
          <SelectField
            key={each.plan}
            label={each.plan || 'Rows without a product'}
            name={`plan-${index}`}
            options={options}
            value={facts.form[`plan-${index}`] ?? chosenFor(read, each, products)}
            hint={hintOf(each)}
            error={faultAt(faults, `plan-${index}`)}
          />
        ))}
        <Actions>
          <Button kind={isFirst ? 'primary' : 'plain'} pending="Checking…">
            Start dry run
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

/** The plan that was chosen before, or the one with the same name. */
function chosenFor(
  { plans }: Import,
  { plan }: FilePlan,
  products: ImportPageFacts['products'],
): string | undefined {
  // A product may be named as a property that every object has.
  if (Object.hasOwn(plans, plan)) return plans[plan] ?? 'skip'
  return products.find(({ label }) => nameKey(label) === nameKey(plan))?.value
}

function hintOf({ rows, lasting, amount, frequency }: FilePlan): string {
  const parts = [counted(rows, 'row')]
  if (lasting > 0) parts.push(`${lasting.toLocaleString('en-US')} with no end date`)
  if (amount !== null) parts.push(priceText(amount, frequency))
  return parts.join(', ')
}
