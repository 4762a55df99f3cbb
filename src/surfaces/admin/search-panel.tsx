import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Field, SelectField } from '#design/forms'
import { Panel } from '#design/panels'

/** The search of a list, with a filter by state; both are in the address. */
export function SearchPanel(facts: {
  path: string
  q: string
  hint: string
  state: string | undefined
  /** Each state with its label. */
  states: Record<string, string>
}): JSX.Element {
  const options = Object.entries(facts.states).map(([value, label]) => ({ value, label }))
  return (
    <Panel title="Search">
      <form method="get" action={facts.path} class="grid items-start gap-4 sm:grid-cols-[2fr_1fr]">
        <Field
          label="Find"
          name="q"
          type="search"
          value={facts.q}
          hint={facts.hint}
          autocomplete="off"
          spellcheck={false}
          in_search
        />
        <SelectField
          label="Status"
          name="state"
          value={facts.state ?? ''}
          options={[{ value: '', label: 'All' }, ...options]}
          in_search
        />
        <div>
          <Button kind="primary">Search</Button>
        </div>
      </form>
    </Panel>
  )
}
