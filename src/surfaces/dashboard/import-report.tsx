import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Truncated, Wrapped } from '#design/cells'
import { CheckboxField, Form } from '#design/forms'
import { Day } from '#design/money'
import { Panel, Totals } from '#design/panels'
import { RecordTable } from '#design/records'
import {
  CREATING,
  type FilePlan,
  type Import,
  type ImportFault,
  type ReportedRow,
  ROW_OUTCOMES,
  type RowOutcome,
  UPDATING,
} from '#domain/imports'
import type { FormFault } from '#http/form-errors'
import { counted } from '#platform/text'
import { OUTCOME_LABELS } from './import-labels.ts'
import type { AppFacts } from './layout.tsx'

/** What the page of an import shows. */
export type ImportPageFacts = AppFacts & {
  /** Whether this is the test mode beside live mode. */
  is_test_mode: boolean
  /** Whether staff enabled external sales of the app. */
  is_approved: boolean
  read: Import
  /** Whether its rows are deleted. */
  is_expired: boolean
  address: string
  back: string
  /** The progress of a step that runs now. */
  running_url: string | undefined
  products: { value: string; label: string }[]
  file_plans: FilePlan[]
  /** The first faults, and the first rows of the report. */
  file_faults: ImportFault[]
  /** How many faults are stored: the rest of a file with very many are only counted. */
  stored_faults: number
  rows: ReportedRow[]
  /** How many buyers of the service continued their license with a card. */
  continued: number
  /** The plans of a form that was refused, by field. */
  form: Record<string, string>
  faults: FormFault[]
}

/** What would be done, or was done, with the rows of a file. */
export function ReportPanel({ read, rows, address, continued }: ImportPageFacts): JSX.Element {
  const isDone = read.status === 'done'
  const count = (number: number) => number.toLocaleString('en-US')
  const sums = ROW_OUTCOMES.filter((outcome) => read.counts[outcome]).map((outcome) => ({
    term: OUTCOME_LABELS[outcome],
    detail: count(read.counts[outcome] ?? 0),
  }))
  return (
    <Panel title={isDone ? 'Report' : '3. Dry run'}>
      <p class="text-sm text-muted">
        {isDone ? 'What the import did.' : 'What the import would do. Nothing has been changed.'}
      </p>
      <Totals
        items={[
          { term: 'Rows', detail: count(read.rows) },
          ...sums,
          ...(isDone ? [{ term: 'Continued with a card', detail: count(continued) }] : []),
        ]}
      />
      <RecordTable
        caption="The first rows"
        columns={[
          { label: 'Line', numeric: true },
          { label: 'Email' },
          { label: 'Product' },
          { label: 'Ends' },
          { label: 'Result' },
        ]}
        rows={rows.map((row) => ({
          key: String(row.line),
          cells: [
            String(row.line),
            <Truncated text={row.email} />,
            <Truncated text={row.plan} />,
            row.ends_at ? <Day date={row.ends_at} /> : row.over ? '' : 'Never',
            OUTCOME_LABELS[row.outcome],
          ],
        }))}
      />
      <p class="text-sm">
        <TextLink href={`${address}report.csv`}>Download the report as CSV</TextLink>
      </p>
    </Panel>
  )
}

/** The outcomes of rows that change something. */
const CHANGING: readonly RowOutcome[] = [
  ...CREATING,
  ...UPDATING,
  'end',
  'add_key',
  'add_key_ends_earlier',
]

/** The confirmation of an import, or of its continuation. */
export function RunPanel(facts: ImportPageFacts): JSX.Element {
  const { read, address, csrf_token } = facts
  const isFirst = read.status === 'checked'
  const changes = CHANGING.reduce((sum, outcome) => sum + (read.counts[outcome] ?? 0), 0)
  return (
    <Panel title={isFirst ? '4. Import' : 'The import stopped'}>
      <p class="text-sm text-muted">
        {isFirst
          ? `${counted(changes, 'row')} would make a change. Imported licenses cost nothing here and are not in your revenue.`
          : 'What was imported is kept. The import continues with the next row.'}
      </p>
      <Form action={`${address}run`} csrf_token={csrf_token}>
        {isFirst && <EmailChoice {...facts} />}
        {!isFirst && read.notifies && <input type="hidden" name="notify" value="yes" />}
        <Actions>
          <Button kind="primary" pending="Importing…">
            {isFirst ? 'Import' : 'Resume'}
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

/** Whether an import emails the license holders, or why it does not. */
function EmailChoice({
  is_test_mode,
  is_approved,
}: Pick<ImportPageFacts, 'is_test_mode' | 'is_approved'>): JSX.Element {
  if (is_test_mode) {
    return (
      <p class="text-sm text-muted">Imported buyers get no email from test mode, now or later.</p>
    )
  }
  if (!is_approved) {
    return (
      <p class="text-sm text-muted">
        No email is sent. To email each license holder their key, import after Purser has enabled
        external sales of this app.
      </p>
    )
  }
  return (
    <CheckboxField
      label="Email each new license holder their key"
      name="notify"
      hint="If you leave this off, no email is sent. Old keys keep working either way."
      optional
    />
  )
}

/** What is wrong with lines of the file, and what to do. */
export function FaultPanel(facts: ImportPageFacts): JSX.Element {
  const { read, file_faults, stored_faults, address } = facts
  const left_out = facts.is_expired ? 0 : read.faults - stored_faults
  return (
    <Panel title={`${counted(read.faults, 'line')} not read`}>
      <p class="text-sm text-muted">
        {read.status !== 'done' && 'The other lines can be imported. '}
        Correct the file and import it again. Rows that were already imported do not change.
      </p>
      <RecordTable
        caption="The first errors"
        columns={[
          { label: 'Line', numeric: true },
          { label: 'Column' },
          { label: 'Value' },
          { label: 'What to do' },
        ]}
        rows={file_faults.map((fault) => ({
          key: String(fault.place),
          cells: [
            String(fault.line),
            fault.column_name ?? '',
            <Truncated text={fault.value} />,
            <Wrapped text={fault.message} />,
          ],
        }))}
      />
      <p class="text-sm">
        {left_out > 0 && `The file has ${counted(left_out, 'more error')}, only counted. `}
        <TextLink href={`${address}faults.csv`}>
          {left_out > 0
            ? `Download the first ${counted(stored_faults, 'error')} as CSV`
            : 'Download all errors as CSV'}
        </TextLink>
      </p>
    </Panel>
  )
}
