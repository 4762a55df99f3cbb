import type { ComponentChildren, JSX } from 'preact'

/**
 * Two facts in one cell of a table, the second one small and below the first: a table with a
 * column for each would not fit its page.
 */
export function Stacked(facts: {
  /** Whether the column is numeric, and so aligned at its end. */
  numeric?: boolean
  below?: ComponentChildren
  children: ComponentChildren
}): JSX.Element {
  const side = facts.numeric ? 'justify-items-end' : 'justify-items-start max-sm:justify-items-end'
  return (
    <span class={`grid min-w-0 ${side}`}>
      {facts.children}
      {facts.below && <span class="text-xs text-muted"> {facts.below}</span>}
    </span>
  )
}
