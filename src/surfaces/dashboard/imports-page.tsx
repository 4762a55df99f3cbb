import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { FileField, Form, SelectField } from '#design/forms'
import { Day } from '#design/money'
import { PageNav } from '#design/navigation'
import { Disclosure, Panel } from '#design/panels'
import { RecordRows } from '#design/records'
import { IMPORT_SOURCES, type Import, type ImportSource, SOURCE_READERS } from '#domain/imports'
import { addressOf } from '#http/app-menu'
import { type FormFault, faultAt } from '#http/form-errors'
import type { Paging } from '#http/pagination'
import { counted } from '#platform/text'
import { type AppFacts, AppPage } from './layout.tsx'

type ImportsFacts = AppFacts & {
  address: string
  imports: Import[]
  paging: Paging
  /** The chosen service, after a refused upload. */
  source: ImportSource | undefined
  faults: FormFault[]
}

const STATUS: Record<Import['status'], string> = {
  uploaded: 'Uploaded',
  read: 'Read',
  checked: 'Dry run done',
  importing: 'Not finished',
  done: 'Imported',
}

/** The imports of an app, and the upload of a new file. */
export function ImportsPage(facts: ImportsFacts): JSX.Element {
  return (
    <AppPage
      {...facts}
      current="customers"
      heading="import customers"
      intro="Import your customers from another service, with their license keys. Nothing is charged, and nothing is imported until you review a dry run."
      back={{ label: 'Customers', href: addressOf(facts.slug, 'customers') }}
    >
      <div class="grid max-w-3xl grid-cols-1 gap-6">
        <Upload {...facts} />
        {facts.imports.length > 0 && <Earlier {...facts} />}
      </div>
    </AppPage>
  )
}

function Upload({ address, csrf_token, source, faults }: ImportsFacts): JSX.Element {
  return (
    <Panel title="New import">
      <Form action={address} csrf_token={csrf_token} uploads>
        <SelectField
          label="Service"
          name="source"
          value={source}
          options={IMPORT_SOURCES.map((value) => ({ value, label: SOURCE_READERS[value].label }))}
          error={faultAt(faults, 'source')}
        />
        <FileField
          label="CSV file"
          name="file"
          accept=".csv,text/csv"
          error={faultAt(faults, 'file')}
          hint="At most 50 MB and 200,000 rows, in UTF-8. Files that were not read yet: at most 250 MB in all."
        />
        <Actions>
          <Button kind="primary" pending="Uploading…">
            Upload file
          </Button>
        </Actions>
      </Form>
      <Disclosure summary="Which file to export">
        <dl class="grid gap-2 text-sm">
          {IMPORT_SOURCES.map((each) => (
            <div key={each}>
              <dt class="font-medium">{SOURCE_READERS[each].label}</dt>
              <dd class="text-muted">{SOURCE_READERS[each].file}</dd>
            </div>
          ))}
        </dl>
        <p class="pt-2 text-sm">
          <TextLink href="/docs/migrate/">Moving to Purser</TextLink>
        </p>
      </Disclosure>
    </Panel>
  )
}

function Earlier({ imports, paging, address }: ImportsFacts): JSX.Element {
  return (
    <Panel title="Imports">
      <RecordRows
        records={imports.map((each) => ({
          key: each.id,
          title: each.file_name,
          details: [
            SOURCE_READERS[each.source].label,
            STATUS[each.status],
            counted(each.rows, each.status === 'uploaded' ? 'line' : 'row'),
            <Day date={each.created_at} />,
          ],
          action: (
            <Button href={`${address}${each.id}/`}>
              Open<span class="sr-only"> {each.file_name}</span>
            </Button>
          ),
        }))}
      />
      <PageNav
        label="Pages of imports"
        page={paging.page}
        last={paging.last}
        href={(page) => `${address}?page=${page}`}
      />
    </Panel>
  )
}
