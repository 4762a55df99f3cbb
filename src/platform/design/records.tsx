import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './icons.tsx'
import type { Link } from './menu.tsx'

/** A record in a list: its link, its facts, and its status. */
export type CardFacts = {
  key: string
  href: string
  title: string
  details: ComponentChildren[]
  mark?: ComponentChildren
  aside?: ComponentChildren
}

/** Stacked records, each a link to its own page; readable on a phone. */
export function RecordCards({ records }: { records: CardFacts[] }): JSX.Element {
  return (
    <ul class="divide-y divide-base-300 rounded-box border border-base-300 bg-base-100">
      {records.map(({ key, href, title, details, mark, aside }) => (
        <li
          key={key}
          class="relative flex items-center gap-4 p-5 hover:bg-wash first:rounded-t-box last:rounded-b-box"
        >
          {mark}
          <div class="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-3">
            <div class="grid min-w-0 flex-1 basis-52 gap-0.5">
              <a class="font-semibold after:absolute after:inset-0" href={href}>
                {title}
              </a>
              <ul class="flex flex-wrap gap-x-4 text-sm text-muted">
                {details.map((detail, index) => (
                  <li key={index}>{detail}</li>
                ))}
              </ul>
            </div>
            {aside}
          </div>
          <span class="-rotate-90 text-muted">
            <Icon name="chevron" size="size-4" />
          </span>
        </li>
      ))}
    </ul>
  )
}

/**
 * What describes the link or the button of one of several records: its title and its details. A
 * screen reader would otherwise say the same word for each.
 */
export function recordDescription(key: string): string {
  return Object.values(recordIds(key)).join(' ')
}

/** The ids of a record's title and details. */
export function recordIds(key: string): { title: string; details: string } {
  return { title: `record-${key}`, details: `record-${key}-details` }
}

/** Stacked records inside a panel, each with its link or its actions. */
export function RecordRows(facts: {
  records: {
    key: string
    title: string
    /** A small picture of the record, before its title. */
    picture?: ComponentChildren
    details: ComponentChildren[]
    aside?: ComponentChildren
    /** The page of the record, or one about it. */
    link?: Link | undefined
    action?: ComponentChildren
  }[]
}): JSX.Element {
  return (
    <ul class="divide-y divide-base-300 border-y border-base-300">
      {facts.records.map(({ key, title, picture, details, aside, link, action }) => (
        <li key={key} class="flex flex-wrap items-center gap-x-4 gap-y-3 py-4">
          {picture}
          <div class="grid min-w-0 flex-1 basis-64 gap-0.5">
            <div class="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span id={recordIds(key).title} class="font-semibold wrap-anywhere">
                {title}
              </span>
              {aside}
            </div>
            <ul id={recordIds(key).details} class="flex flex-wrap gap-x-4 text-sm text-muted">
              {details.map((detail, index) => (
                <li key={index}>{detail}</li>
              ))}
            </ul>
          </div>
          {link && (
            <a
              class="textlink inline-flex min-h-11 items-center text-sm"
              href={link.href}
              aria-describedby={recordDescription(key)}
            >
              {link.label}
            </a>
          )}
          {action}
        </li>
      ))}
    </ul>
  )
}

/**
 * A table of records. On a narrow screen each record is a block with one line per column, so that
 * no amount is cut off; at medium widths the table scrolls horizontally.
 */
export function RecordTable(facts: {
  caption: string
  columns: { label: string; numeric?: boolean }[]
  rows: { key: string; cells: ComponentChildren[] }[]
}): JSX.Element {
  const side = (index: number) =>
    `first:ps-0 last:pe-0 ${facts.columns[index]?.numeric ? 'text-end tabular-nums' : 'text-start'}`
  const line =
    'max-sm:flex max-sm:justify-between max-sm:gap-x-4 max-sm:border-0 max-sm:px-0 max-sm:py-1'
  // Where text is enlarged, a value that does not fit beside its label is below it.
  const enlarged = 'max-sm:@max-[14rem]:flex-wrap max-sm:@max-[14rem]:text-start'
  const label =
    'max-sm:text-end max-sm:before:shrink-0 max-sm:before:text-start max-sm:before:text-muted max-sm:before:content-[attr(data-label)]'
  return (
    <section class="overflow-x-auto max-sm:@container" aria-label={facts.caption} tabindex={0}>
      <table class="table whitespace-nowrap max-sm:block max-sm:whitespace-normal">
        <caption class="sr-only">{facts.caption}</caption>
        <thead class="text-xs text-muted max-sm:sr-only">
          <tr class="border-base-300">
            {facts.columns.map(({ label }, index) => (
              <th key={label} scope="col" class={`font-medium ${side(index)}`}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody class="max-sm:block max-sm:border-t max-sm:border-base-300">
          {facts.rows.map(({ key, cells }) => (
            <tr key={key} class="border-base-300 max-sm:block max-sm:border-b max-sm:py-3">
              {cells.map((cell, index) => (
                <td
                  key={index}
                  class={`${side(index)} ${line} ${label} ${enlarged} max-sm:empty:hidden`}
                  data-label={facts.columns[index]?.label}
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
