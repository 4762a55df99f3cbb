import type { ComponentChildren, JSX } from 'preact'
import { Moment } from './money.tsx'

/** One event of a timeline. */
export type TimelineEntry = {
  key: string
  at: Date
  title: ComponentChildren
  details?: ComponentChildren[]
  aside?: ComponentChildren
}

/** Events in order, each with its time; readable on a phone. */
export function Timeline({ entries }: { entries: TimelineEntry[] }): JSX.Element {
  return (
    <ol class="grid grid-cols-1 border-s border-base-300">
      {entries.map(({ key, at, title, details = [], aside }) => (
        <li key={key} class="relative grid gap-1 py-2.5 ps-5">
          <span
            class="absolute -start-[5px] top-4.5 size-2.5 rounded-full border border-base-100 bg-primary"
            aria-hidden="true"
          />
          <p class="text-xs text-muted tabular-nums">
            <Moment at={at} />
          </p>
          <div class="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <span class="min-w-0 font-medium break-words">{title}</span>
            {aside}
          </div>
          {details.length > 0 && (
            <ul class="flex flex-wrap gap-x-4 text-sm text-muted">
              {details.map((detail, index) => (
                <li key={index} class="min-w-0 break-words">
                  {detail}
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  )
}
