import type { ComponentChildren, JSX } from 'preact'
import { ErrorLine } from './feedback.tsx'
import { Icon, type IconName } from './icons.tsx'

/** One row of a list in a form. */
export interface RowFacts {
  /** The field that names the pressed button, such as `do`. */
  name: string
  /** The path of the row in the form, `sections.2`. */
  path: string
  /** The row in words, `section 3`. */
  what: string
  /** Where it may be moved to; rows with a fixed position have no such buttons. */
  up?: boolean
  down?: boolean
}

function Tool(facts: { name: string; value: string; icon: IconName; label: string }): JSX.Element {
  return (
    <button
      type="submit"
      class="btn btn-square btn-ghost size-11"
      name={facts.name}
      value={facts.value}
      title={facts.label}
    >
      <Icon name={facts.icon} size="size-4.5" />
      <span class="sr-only">{facts.label}</span>
    </button>
  )
}

/** The buttons that move and remove a row; each submits the whole form. */
export function RowButtons({ name, path, what, up, down }: RowFacts): JSX.Element {
  return (
    <span class="flex">
      {up && <Tool name={name} value={`up:${path}`} icon="arrow-up" label={`Move ${what} up`} />}
      {down && (
        <Tool name={name} value={`down:${path}`} icon="arrow-down" label={`Move ${what} down`} />
      )}
      <Tool name={name} value={`remove:${path}`} icon="trash" label={`Remove ${what}`} />
    </span>
  )
}

/** Fields that belong together, as one row of a list in a form. */
export function RowGroup(facts: {
  id: string
  legend: string
  tools: JSX.Element
  error?: string | undefined
  children: ComponentChildren
}): JSX.Element {
  return (
    <fieldset
      id={facts.id}
      class="relative grid grid-cols-1 gap-5 rounded-box border border-base-300 bg-base-100 p-5 pt-3 sm:p-6 sm:pt-4"
      aria-describedby={facts.error ? `${facts.id}-error` : undefined}
    >
      <legend class="float-start flex min-h-11 w-full items-center pe-36 text-base font-semibold">
        {facts.legend}
      </legend>
      <div class="absolute inset-e-3 top-3 sm:inset-e-4 sm:top-4">{facts.tools}</div>
      <RowFault id={facts.id} error={facts.error} />
      {facts.children}
    </fieldset>
  )
}

/** The error of a row as a whole, or of a list. */
export function RowFault({ id, error }: { id: string; error?: string | undefined }) {
  return error ? <ErrorLine id={`${id}-error`}>{error}</ErrorLine> : null
}

/** The button that adds a row. */
export function AddRow(facts: { name: string; list: string; children: ComponentChildren }) {
  return (
    <div>
      <button
        type="submit"
        class="btn h-auto min-h-11 gap-2 border-dashed border-edge bg-transparent py-1.5 text-sm font-semibold hover:border-base-content"
        name={facts.name}
        value={`add:${facts.list}`}
      >
        <Icon name="plus" size="size-4.5" />
        {facts.children}
      </button>
    </div>
  )
}

/**
 * What the Enter key presses in a form whose first visible button is another: browsers use the
 * first button of a form, visible or not.
 */
export function DefaultButton({ name, value }: { name: string; value: string }): JSX.Element {
  return <button type="submit" name={name} value={value} hidden tabindex={-1} />
}

/** Radio buttons, each with an explanation. */
export function RadioFields(facts: {
  legend: string
  name: string
  value: string
  error?: string | undefined
  options: { value: string; label: string; hint: ComponentChildren; disabled?: boolean }[]
}): JSX.Element {
  return (
    <fieldset
      id={facts.name}
      class="grid grid-cols-1 gap-1.5"
      aria-describedby={facts.error ? `${facts.name}-error` : undefined}
    >
      <legend class="mb-1.5 text-sm font-medium">{facts.legend}</legend>
      <div class="divide-y divide-base-300 rounded-field border border-base-300">
        {facts.options.map(({ value, label, hint, disabled }) => (
          <div key={value} class="flex gap-3 px-4 py-3 text-sm">
            <input
              id={`${facts.name}-${value}`}
              type="radio"
              class="radio radio-sm mt-0.5 border-edge radio-primary"
              name={facts.name}
              value={value}
              checked={value === facts.value}
              disabled={disabled ?? false}
              aria-describedby={`${facts.name}-${value}-hint`}
            />
            <div class="grid gap-0.5">
              <label for={`${facts.name}-${value}`} class="font-medium">
                {label}
              </label>
              <p id={`${facts.name}-${value}-hint`} class="text-muted">
                {hint}
              </p>
            </div>
          </div>
        ))}
      </div>
      <RowFault id={facts.name} error={facts.error} />
    </fieldset>
  )
}
