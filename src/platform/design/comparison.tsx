import type { JSX } from 'preact'

/** One thing that differs; null: it is absent on that side. */
export interface ComparisonRow {
  what: string
  before: string | null
  after: string | null
}

/** A comparison row by row: stacked on a phone, side by side on a wide screen. */
export function Comparison(facts: {
  differences: ComparisonRow[]
  /** The headings of the two sides; "Before" and "After" by default. */
  sides?: [string, string]
}): JSX.Element {
  const [left, right] = facts.sides ?? ['Before', 'After']
  return (
    <dl class="divide-y divide-base-300 rounded-field border border-base-300 text-sm">
      {facts.differences.map(({ what, before, after }) => (
        <div key={what} class="grid gap-x-6 gap-y-1.5 px-4 py-3 sm:grid-cols-2">
          <dt class="font-medium sm:col-span-2">{what}</dt>
          <Side name={left} text={before} old />
          <Side name={right} text={after} />
        </div>
      ))}
    </dl>
  )
}

function Side(facts: { name: string; text: string | null; old?: boolean }): JSX.Element {
  return (
    <dd class="grid content-start gap-0.5">
      <span class="text-xs text-muted">{facts.name}</span>
      {facts.text === null ? (
        <span class="text-muted">None</span>
      ) : (
        <span class={`whitespace-pre-line ${facts.old ? 'text-muted' : ''}`}>{facts.text}</span>
      )}
    </dd>
  )
}
