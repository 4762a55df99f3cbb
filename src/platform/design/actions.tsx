import type { ComponentChildren, JSX } from 'preact'
import { Icon, type IconName } from './icons.tsx'

const looks = {
  primary: 'btn-primary disabled:border-primary disabled:bg-primary disabled:text-primary-content',
  plain: 'border-edge bg-base-100 hover:border-base-content disabled:text-base-content',
  ghost: 'btn-ghost',
  danger: 'btn-outline btn-error',
} as const

/**
 * An action: a link if it has an `href`, otherwise the submit button of its form. `pending` is the
 * button's text while the form is being submitted.
 */
export function Button(facts: {
  children: ComponentChildren
  kind?: keyof typeof looks
  href?: string | undefined
  pending?: string
  icon?: IconName
  icon_after?: IconName
  wide?: boolean
  name?: string
  value?: string
  describedby?: string
}): JSX.Element {
  const look = looks[facts.kind ?? 'plain']
  const size = facts.wide ? 'w-full text-base' : 'text-sm'
  const style = `btn ${look} ${size} h-auto min-h-11 max-w-full gap-2 py-1.5 font-semibold`
  const content = (
    <>
      {facts.icon && <Icon name={facts.icon} size="size-4.5" />}
      {facts.children}
      {facts.icon_after && <Icon name={facts.icon_after} size="size-4.5" />}
    </>
  )
  if (facts.href !== undefined) {
    return (
      <a class={style} href={facts.href} aria-describedby={facts.describedby}>
        {content}
      </a>
    )
  }
  return (
    <button
      class={style}
      type="submit"
      name={facts.name}
      value={facts.value}
      data-pending={facts.pending}
      aria-describedby={facts.describedby}
    >
      {content}
    </button>
  )
}

/** A link within a sentence. */
export function TextLink(facts: { href: string; children: ComponentChildren }): JSX.Element {
  return (
    <a class="textlink" href={facts.href}>
      {facts.children}
    </a>
  )
}

/** A link back to the previous step. */
export function BackLink(facts: { href: string; children: ComponentChildren }): JSX.Element {
  return (
    <a
      class="-ms-1 inline-flex min-h-11 items-center gap-1.5 rounded-field px-1 py-2 text-sm text-muted hover:text-base-content"
      href={facts.href}
    >
      <Icon name="arrow-left" size="size-4" />
      {facts.children}
    </a>
  )
}

/** The main action of a page, with the secondary ones beside or under it. */
export function Actions({ children }: { children: ComponentChildren }): JSX.Element {
  return <div class="flex flex-wrap items-center gap-3">{children}</div>
}

/** The buttons of a search of a list: the list without a search only if there is one. */
export function SearchActions(facts: {
  path: string
  search: Record<string, string>
}): JSX.Element {
  const isSearched = Object.values(facts.search).some((value) => value !== '')
  return (
    <Actions>
      <Button kind="primary">Search</Button>
      {isSearched && <Button href={facts.path}>Clear</Button>}
    </Actions>
  )
}
