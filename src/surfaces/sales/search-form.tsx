import type { ComponentChildren, JSX } from 'preact'
import { Button, SearchActions } from '#design/actions'
import { Alert } from '#design/feedback'
import { CsrfField, Field, FieldRow, Form, HiddenFields, SelectField } from '#design/forms'
import { Panel, PhoneFold } from '#design/panels'
import * as identity from '#domain/identity'
import { MAX_FOUND } from '#domain/payments'

const HINT = `The beginning of an email (at least ${identity.SHORTEST_EMAIL_START} characters), or a license key, order ID, license ID or invoice number`
const COMMON = { in_search: true, autocomplete: 'off', spellcheck: false } as const

/** A select field of a search. */
export interface Choice {
  label: string
  name: string
  options: { value: string; label: string }[]
}

/** The option of a select field that does not filter. */
export const ANY = { value: '', label: 'Any' }

/** What is searched for: the text, the dates, and the choice in each select field. */
export type ListSearch = { q: string; from: string; to: string } & Record<string, string>

/**
 * The search above a list, with a text field, select fields and dates, and the export of its
 * results.
 */
export function SearchForm(facts: {
  path: string
  csrf_token: string
  search: ListSearch
  /** Whether the search matches more than is listed. */
  is_cut: boolean
  choices: Choice[]
}): JSX.Element {
  const { path, search, choices } = facts
  const { q, ...filters } = search
  return (
    <Panel title="Search" aside={<ExportForm {...facts} />}>
      {/* Not `Form`, whose fields are disabled for staff who are viewing: it changes nothing. */}
      <form method="post" action={`${path}search`} class="grid grid-cols-1 gap-5">
        <CsrfField token={facts.csrf_token} />
        <Field label="Find" name="q" type="search" value={q} {...COMMON} hint={HINT} />
        <PhoneFold label="Filters" open={Object.values(filters).some((value) => value !== '')}>
          <div class="grid grid-cols-2 gap-4 *:min-w-0 lg:grid-cols-5">
            {choices.map((choice) => (
              <SelectField key={choice.name} {...choice} value={search[choice.name]} in_search />
            ))}
            <div class="col-span-2">
              <FieldRow wide>
                <Field label="From" name="from" type="date" value={search.from} {...COMMON} />
                <Field label="To" name="to" type="date" value={search.to} {...COMMON} />
              </FieldRow>
            </div>
          </div>
        </PhoneFold>
        <SearchActions path={path} search={search} />
      </form>
      {facts.is_cut && (
        <Alert tone="info">
          Only the first {MAX_FOUND} matches are listed. Enter more of the email.
        </Alert>
      )}
    </Panel>
  )
}

function ExportForm(facts: {
  path: string
  csrf_token: string
  search: Record<string, string>
}): ComponentChildren {
  return (
    <Form action={`${facts.path}export`} csrf_token={facts.csrf_token}>
      <HiddenFields values={facts.search} />
      <Button pending="Exporting…">Export CSV</Button>
    </Form>
  )
}
