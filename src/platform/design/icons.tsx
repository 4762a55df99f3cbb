import type { JSX } from 'preact'

/** Strokes of the hand-drawn icons, on a grid of 20 by 20. */
const strokes = {
  'arrow-down': 'M10 4v11.5M5.25 11 10 15.75 14.75 11',
  'arrow-left': 'M16 10H4.5M9 5.25 4.25 10 9 14.75',
  'arrow-right': 'M4 10h11.5M11 5.25 15.75 10 11 14.75',
  'arrow-up': 'M10 16V4.5M5.25 9 10 4.25 14.75 9',
  card: 'M3.5 5h13A1.5 1.5 0 0 1 18 6.5v7a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 2 13.5v-7A1.5 1.5 0 0 1 3.5 5ZM2 8.5h16M5 12h3',
  check: 'm4.25 10.75 3.75 3.75 7.75-9',
  chevron: 'm5.5 7.75 4.5 4.5 4.5-4.5',
  copy: 'M8.5 7H15a1.5 1.5 0 0 1 1.5 1.5V15a1.5 1.5 0 0 1-1.5 1.5H8.5A1.5 1.5 0 0 1 7 15V8.5A1.5 1.5 0 0 1 8.5 7ZM13 4.5A1.5 1.5 0 0 0 11.5 3.5H5A1.5 1.5 0 0 0 3.5 5v6.5A1.5 1.5 0 0 0 4.5 13',
  error: 'M10 2.5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15ZM10 6v4.75M10 13.75v.01',
  external:
    'M8.5 4.5H5A1.5 1.5 0 0 0 3.5 6v9A1.5 1.5 0 0 0 5 16.5h9a1.5 1.5 0 0 0 1.5-1.5v-3.5M12 3.5h4.5V8M16 4l-6.5 6.5',
  info: 'M10 2.5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15ZM10 9.25V14M10 6.25v.01',
  key: 'M6.75 9.25a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM9.75 10.5l6.75-7M13 7l2.5 2.5',
  lock: 'M5.5 8.75h9A1.25 1.25 0 0 1 15.75 10v5.75A1.25 1.25 0 0 1 14.5 17h-9a1.25 1.25 0 0 1-1.25-1.25V10A1.25 1.25 0 0 1 5.5 8.75ZM6.75 8.75V6.25a3.25 3.25 0 0 1 6.5 0v2.5M10 12v1.75',
  mail: 'M3.5 4.5h13A1.5 1.5 0 0 1 18 6v8a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 2 14V6a1.5 1.5 0 0 1 1.5-1.5ZM2.5 6l7.5 5 7.5-5',
  menu: 'M3 6h14M3 10h14M3 14h14',
  minus: 'M5.5 10h9',
  plus: 'M10 4.5v11M4.5 10h11',
  trash: 'M4 6h12M8 6V4.25h4V6M5.5 6l.75 10.25h7.5L14.5 6M8.5 9v4.5M11.5 9v4.5',
  warning: 'M10 3.25 17.75 16.5H2.25ZM10 8v4M10 14.25v.01',
} as const

/** The name of a drawn icon. */
export type IconName = keyof typeof strokes

/** A small decorative icon, hidden from screen readers. */
export function Icon({ name, size = 'size-5' }: { name: IconName; size?: string }): JSX.Element {
  return (
    <svg
      class={`${size} shrink-0`}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={strokes[name]} />
    </svg>
  )
}
