import { placeOf } from '#http/field-places'
import type { FormFault } from '#http/form-errors'
import { ownValue } from '#platform/record'
import { EMPTY_TEXT } from '#platform/text'

/** The fields of a form, or of one of its rows. */
export type Fields = Record<string, string>

/** The rows of a list in a form, in order; their fields are named like `sections.0.title`. */
export function rowsOf(form: Fields, list: string): Fields[] {
  const rows = new Map<number, Fields>()
  for (const [name, value] of Object.entries(form)) {
    const [, index, field] = /^(\d{1,3})\.(.+)$/.exec(after(name, `${list}.`)) ?? []
    if (index === undefined || field === undefined) continue
    const row = rows.get(Number(index)) ?? {}
    row[field] = value
    rows.set(Number(index), row)
  }
  return [...rows].sort(([one], [other]) => one - other).map(([, row]) => row)
}

function after(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : ''
}

/** A button of a list: `up:sections.2`, `add:sections`. */
export interface RowAction {
  act: 'add' | 'remove' | 'up' | 'down'
  list: string
  /** The index of the row; undefined for a new row. */
  index: number
}

/** Reads the pressed button; undefined if it does not belong to a list. */
export function readRowAction(text: string | undefined): RowAction | undefined {
  const [, add] = /^add:([a-z0-9.]+)$/.exec(text ?? '') ?? []
  if (add !== undefined) return { act: 'add', list: add, index: -1 }
  const [, act, list, index] = /^(remove|up|down):([a-z0-9.]+)\.(\d{1,2})$/.exec(text ?? '') ?? []
  if (act === undefined || list === undefined) return undefined
  return { act: act as RowAction['act'], list, index: Number(index) }
}

/** The rows after an action: with one more, one less, or two swapped. */
export function applyRowAction<Row>(rows: Row[], { act, index }: RowAction, blank: Row): Row[] {
  if (act === 'add') return [...rows, blank]
  if (act === 'remove') return rows.filter((_row, at) => at !== index)
  const other = act === 'up' ? index - 1 : index + 1
  const [one, two] = [rows[index], rows[other]]
  if (one === undefined || two === undefined) return rows
  return rows.map((row, at) => (at === index ? two : at === other ? one : row))
}

/** The path of the row to focus after an action; undefined if no row is left. */
export function rowInFocus({ act, list, index }: RowAction, rows: unknown[]): string | undefined {
  const at = { add: rows.length - 1, remove: index, up: index - 1, down: index + 1 }[act]
  const last = rows.length - 1
  return last < 0 ? undefined : `${list}.${Math.max(0, Math.min(at, last))}`
}

/** The form field of an error's path: `sections.2.title` for `sections[2].title`. */
function fieldOfPath(path: string): string {
  return path.replaceAll(/\[(\d+)\]/g, '.$1')
}

/** An API error message for people: paths become labels, and versions become plans. */
export function plainMessage(message: string): string {
  return message
    .replaceAll(/ [^.]*\bproduct_id\b[^.]*\./g, '')
    .replaceAll(/ \(pr(?:od|c)_\w+\)/g, '')
    .replaceAll(/\w+\[\d+\][\w.[\]]*/g, (path) => placeOf(fieldOfPath(path)))
    .replaceAll(/\b([Vv])ersion(s?)\b/g, (_word, initial, end) =>
      initial === 'V' ? `Plan${end}` : `plan${end}`,
    )
}

/** The messages about a change that was not made with a form, for people, without repeats. */
export function plainMessages(faults: readonly { message: string }[]): string[] {
  return [...new Set(faults.map(({ message }) => plainMessage(message)))]
}

const MISSING: Record<string, string> = {
  name: 'Enter a name.',
  title: 'Enter a title.',
  body: 'Enter the text.',
}

/** Names what is missing in an empty field; other messages are unchanged. */
function messageForField(id: string, message: string): string {
  if (message !== EMPTY_TEXT) return message
  return ownValue(MISSING, id.split('.').at(-1)) ?? message
}

/** Errors for a form, each with its field. */
export function formFaults(
  faults: readonly { path: string; message: string }[] = [],
  at: (path: string) => string = fieldOfPath,
): FormFault[] {
  return faults.map(({ path, message }) => {
    const id = at(path)
    return { id, message: plainMessage(messageForField(id, message)) }
  })
}
