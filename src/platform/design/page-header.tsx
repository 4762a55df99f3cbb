import type { ComponentChildren, JSX } from 'preact'
import { BackLink } from './actions.tsx'
import type { Link } from './menu.tsx'
import { Heading } from './panels.tsx'

/**
 * The top of a page: its heading, a sentence under it, and a status or actions beside it. The page
 * of a record has a link back to its list above.
 */
export function PageHeader(facts: {
  title: string
  /** The page to go back to. */
  back?: Link | undefined
  /** A badge or buttons beside the heading; on a phone they are under it. */
  aside?: ComponentChildren
  children?: ComponentChildren
}): JSX.Element {
  const { title, back, aside, children } = facts
  const heading = <Heading title={title}>{children}</Heading>
  return (
    <div class="grid grid-cols-1 gap-2">
      {back && <BackLink href={back.href}>{back.label}</BackLink>}
      {aside ? (
        <div class="flex flex-wrap items-center justify-between gap-4">
          {heading}
          {aside}
        </div>
      ) : (
        heading
      )}
    </div>
  )
}
