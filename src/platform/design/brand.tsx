import type { JSX } from 'preact'
import { renderToString } from 'preact-render-to-string'

/** The strokes of the logo: a P whose bowl is a coin. */
function MarkStrokes(): JSX.Element {
  return (
    <>
      <path d="M7 4.5v15.5" stroke-width="3" stroke-linecap="round" />
      <circle cx="13" cy="10" r="5.5" stroke-width="3" />
      <path d="M13 10v.01" stroke-width="2.5" stroke-linecap="round" />
    </>
  )
}

/** Purser's logo mark, in the color of the text around it. */
export function Mark(): JSX.Element {
  return (
    <svg
      class="size-6 shrink-0"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      aria-hidden="true"
      focusable="false"
    >
      <MarkStrokes />
    </svg>
  )
}

/** Purser's mark and name. */
export function Logo(): JSX.Element {
  return (
    <span class="inline-flex items-center gap-2 text-lg font-semibold tracking-tight">
      <span class="text-primary">
        <Mark />
      </span>
      Purser
    </span>
  )
}

/** An app's icon, or the first character of its name on a tile if it has none. */
export function AppIcon(facts: {
  name: string
  /** The path of the icon; undefined if the app has none. */
  icon: string | undefined
  large?: boolean
}): JSX.Element {
  const { name, icon, large = false } = facts
  if (icon === undefined) return <Monogram name={name} large={large} />
  const pixels = large ? 56 : 36
  return (
    <img
      class={`${large ? 'size-14 rounded-box' : 'size-9 rounded-field'} shrink-0`}
      src={icon}
      width={pixels}
      height={pixels}
      alt=""
    />
  )
}

/** The first character of an app's name on a tile. */
function Monogram({ name, large }: { name: string; large?: boolean }): JSX.Element {
  const look = large ? 'size-14 rounded-box text-2xl' : 'size-9 rounded-field'
  const initial = Array.from(name.trim())[0]?.toLocaleUpperCase('en-US') ?? ''
  return (
    <span
      class={`inline-grid ${look} shrink-0 place-items-center bg-primary text-primary-content`}
      aria-hidden="true"
    >
      <b class="font-semibold">{initial}</b>
    </span>
  )
}

/** The favicon, as an SVG document. */
export function favicon(): string {
  return renderToString(
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none">
      <title>Purser</title>
      <rect width="24" height="24" rx="5.5" fill="#0d4f46" />
      <g stroke="#fbfaf5" transform="translate(3.1 2.9) scale(.74)">
        <MarkStrokes />
      </g>
    </svg>,
  )
}
