import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './icons.tsx'

/** A panel with a heading and an optional badge or action beside it. */
export function Panel(facts: {
  /** Links lead to it by this name. */
  id?: string
  title?: string
  aside?: ComponentChildren
  children: ComponentChildren
}): JSX.Element {
  return (
    <section id={facts.id} class="rounded-box border border-base-300 bg-base-100 p-5 sm:p-6">
      {facts.title && (
        <div class="mb-4 flex flex-wrap items-center justify-between gap-3">
          <h2 class="text-lg font-semibold">{facts.title}</h2>
          {facts.aside}
        </div>
      )}
      <div class="grid grid-cols-1 gap-5">{facts.children}</div>
    </section>
  )
}

/** The heading of a page and a sentence under it; `done` marks something that has succeeded. */
export function Heading(facts: {
  title: string
  done?: boolean
  children?: ComponentChildren
}): JSX.Element {
  // An email address has no space to wrap at.
  const size = facts.title.includes('@') ? 'text-xl sm:text-2xl' : 'text-2xl'
  return (
    <div class="grid gap-2">
      {facts.done && (
        <span class="mb-2 grid size-11 place-items-center rounded-full border border-primary bg-wash text-primary">
          <Icon name="check" />
        </span>
      )}
      <h1 class={`${size} font-semibold wrap-anywhere`}>{facts.title}</h1>
      {facts.children && <div class="text-muted">{facts.children}</div>}
    </div>
  )
}

/** An email address in a sentence: it wraps as a whole, and breaks only if it must. */
export function Mailbox({ address }: { address: string }): JSX.Element {
  // Up to 28 characters fit on the narrowest phone, but browsers break after their hyphens.
  const isWhole = address.length <= 28 && address.includes('-')
  const nowrap = isWhole ? '@min-[14rem]:whitespace-nowrap' : ''
  return <span class={`wrap-anywhere ${nowrap}`}>{address}</span>
}

/** Facts with their names, one per line. */
export function DescriptionList(facts: {
  items: { term: string; detail: ComponentChildren }[]
}): JSX.Element {
  return (
    <dl class="divide-y divide-base-300 border-y border-base-300 text-sm">
      {facts.items.map(({ term, detail }) => (
        <div key={term} class="flex flex-wrap justify-between gap-x-6 gap-y-0.5 py-3">
          <dt class="text-muted">{term}</dt>
          <dd class="min-w-0 font-medium break-words">{detail}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The totals of a list, above it. */
export function Totals(facts: {
  items: { term: string; detail: ComponentChildren }[]
}): JSX.Element {
  return (
    <dl class="grid grid-cols-[repeat(auto-fit,minmax(min(8rem,100%),1fr))] items-end gap-x-4 gap-y-3 sm:flex sm:flex-wrap sm:gap-x-8">
      {facts.items.map(({ term, detail }) => (
        <div key={term} class="grid gap-0.5">
          <dt class="text-sm text-muted">{term}</dt>
          <dd class="text-xl font-semibold tabular-nums">{detail}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The message for an empty list, and what to do about it. */
export function EmptyState(facts: {
  title: string
  children?: ComponentChildren
  action?: ComponentChildren
}): JSX.Element {
  return (
    <div class="grid justify-items-center gap-2 rounded-box border border-dashed border-edge px-6 py-12 text-center">
      <p class="font-semibold">{facts.title}</p>
      {facts.children && <div class="max-w-prose text-sm text-muted">{facts.children}</div>}
      {facts.action && <div class="mt-3">{facts.action}</div>}
    </div>
  )
}

/** Content that a press on its summary shows or hides. */
export function Disclosure(facts: {
  summary: ComponentChildren
  id?: string
  open?: boolean
  children: ComponentChildren
}): JSX.Element {
  return (
    <details id={facts.id} class="group" open={facts.open}>
      <Summary>{facts.summary}</Summary>
      {facts.children}
    </details>
  )
}

/** The line that is pressed to open a `details` with the class `group`. */
function Summary({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <summary class="inline-flex min-h-11 items-center gap-1.5 rounded-field text-sm font-medium">
      {children}
      <span class="group-open:rotate-180">
        <Icon name="chevron" size="size-4" />
      </span>
    </summary>
  )
}

/** What a phone would show for long before a list, as filters or a menu: folded behind a line. */
export function PhoneFold(facts: {
  label: string
  /** Whether the phone shows it at first, such as filters of which one is set. */
  open?: boolean
  children: ComponentChildren
}): JSX.Element {
  return (
    <div class="grid grid-cols-1">
      <details class="peer group sm:hidden" open={facts.open}>
        <Summary>{facts.label}</Summary>
      </details>
      <div class="hidden grid-cols-1 gap-5 peer-open:grid sm:grid">{facts.children}</div>
    </div>
  )
}
