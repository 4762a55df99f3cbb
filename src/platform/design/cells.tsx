import type { ComponentChildren, JSX } from 'preact'
import { TextLink } from './actions.tsx'

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

/** A text of this many characters fits into the width under which none is cut off, `min-w-52`. */
const NEVER_CUT = 24

/**
 * A text or a link that a table cuts off where it does not fit, with its whole in a tooltip; a
 * phone wraps it. Its column gets the width that the others leave. A long text breaks anywhere
 * within its one line, so that the table may make it narrower than it is.
 */
export function Truncated({ text, href }: { text: string; href?: string }): JSX.Element {
  const cut =
    text.length > NEVER_CUT ? 'sm:line-clamp-1 sm:min-w-52 sm:break-all sm:whitespace-normal' : ''
  const shape = `max-sm:wrap-anywhere ${cut}`
  if (href === undefined) {
    return (
      <span class={shape} title={text}>
        {text}
      </span>
    )
  }
  return (
    <a class={`textlink ${shape}`} title={text} href={href}>
      {text}
    </a>
  )
}

/** A text or a link that a table wraps, so that no column beside it is out of view. */
export function Wrapped({ text, href }: { text: string; href?: string | undefined }): JSX.Element {
  return (
    <span class="inline-block whitespace-normal wrap-anywhere sm:min-w-64">
      {href === undefined ? text : <TextLink href={href}>{text}</TextLink>}
    </span>
  )
}
