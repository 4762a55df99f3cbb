import type { ComponentChildren, JSX } from 'preact'
import { CopyButton } from './copy.tsx'

/** A command or a file to copy: shown verbatim, copied with one press. */
export function CodeBlock(facts: {
  id: string
  label: string
  code: string
  /** The code as HTML, with its tokens marked. */
  clean_html?: string
}): JSX.Element {
  const { clean_html } = facts
  const shown = 'px-4 py-3 font-mono text-xs leading-6 wrap-anywhere whitespace-pre-wrap'
  return (
    <figure class="grid grid-cols-1 overflow-hidden rounded-field border border-base-300 bg-base-200">
      <figcaption class="flex min-h-11 items-center justify-between gap-x-4 border-b border-base-300 bg-base-100 py-1 ps-4 pe-1.5 text-xs text-muted">
        <span class="min-w-0 wrap-anywhere">{facts.label}</span>
        <span class="shrink-0">
          <CopyButton
            id={facts.id}
            label={`Copy: ${facts.label}`}
            look="btn-ghost text-base-content"
          />
        </span>
      </figcaption>
      {clean_html === undefined ? (
        <pre id={facts.id} class={shown}>
          {facts.code}
        </pre>
      ) : (
        <pre id={facts.id} class={shown} dangerouslySetInnerHTML={{ __html: clean_html }} />
      )}
    </figure>
  )
}

/** Inline code. */
export function Code({ children }: { children: ComponentChildren }): JSX.Element {
  return <code class="rounded-sm bg-wash px-1 py-0.5 font-mono text-[0.9em]">{children}</code>
}

/** A section of a long page, with a heading that a link can lead to. */
export function Chapter(facts: {
  id: string
  title: string
  children: ComponentChildren
}): JSX.Element {
  return (
    <section aria-labelledby={facts.id} class="grid grid-cols-1 gap-4">
      <h2 id={facts.id} class="scroll-mt-6 text-xl font-semibold">
        {facts.title}
      </h2>
      {facts.children}
    </section>
  )
}

/** A seller's own text as HTML, rendered as it is: the caller must have sanitized it. */
export function RichText({ clean_html }: { clean_html: string }): JSX.Element {
  return <div class="richtext" dangerouslySetInnerHTML={{ __html: clean_html }} />
}

/** A page of the documentation as HTML, rendered from Markdown of the project. */
export function DocText({ clean_html }: { clean_html: string }): JSX.Element {
  return <div class="doctext" dangerouslySetInnerHTML={{ __html: clean_html }} />
}

/** A reference table: its text wraps; on a phone the cells of a row are one below the other. */
export function ReferenceTable(facts: {
  caption: string
  columns: string[]
  rows: { key: string; cells: ComponentChildren[] }[]
}): JSX.Element {
  return (
    <section class="overflow-x-auto" aria-label={facts.caption} tabindex={0}>
      <table class="table max-sm:block sm:min-w-160">
        <caption class="sr-only">{facts.caption}</caption>
        <thead class="text-xs text-muted max-sm:block">
          <tr class="border-base-300 max-sm:block">
            {facts.columns.map((label) => (
              <th
                key={label}
                scope="col"
                class="font-medium first:ps-0 last:pe-0 max-sm:block max-sm:border-0 max-sm:not-first:sr-only"
              >
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody class="max-sm:block max-sm:border-t max-sm:border-base-300">
          {facts.rows.map(({ key, cells: [head, ...cells] }) => (
            <tr
              key={key}
              class="border-base-300 align-top max-sm:grid max-sm:gap-1 max-sm:border-b max-sm:py-3"
            >
              <th
                scope="row"
                class="ps-0 text-start font-medium max-sm:border-0 max-sm:p-0 max-sm:wrap-anywhere"
              >
                {head}
              </th>
              {cells.map((cell, index) => (
                <td
                  key={index}
                  class="last:pe-0 max-sm:border-0 max-sm:p-0 max-sm:wrap-anywhere max-sm:empty:hidden sm:min-w-28 sm:first-of-type:min-w-64"
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
