/** The fields of a form, or of one row of it. */
export type Fields = Record<string, string>

/** The rows of a list in a form, whose fields are named `sections.0.title`, in their order. */
export function rowsOf(form: Fields, list: string): Fields[] {
  const rows = new Map<number, Fields>()
  for (const [name, value] of Object.entries(form)) {
    const [, index, field] = /^(\d{1,2})\.(.+)$/.exec(after(name, `${list}.`)) ?? []
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

/** What a button of a list was pressed for: `up:sections.2`, `add:sections`. */
export interface Press {
  act: 'add' | 'remove' | 'up' | 'down'
  list: string
  /** The row in question; none for a new one. */
  index: number
}

/** Reads what was pressed; undefined for a button that is none of a list's. */
export function pressOf(text: string | undefined): Press | undefined {
  const [, add] = /^add:([a-z0-9.]+)$/.exec(text ?? '') ?? []
  if (add !== undefined) return { act: 'add', list: add, index: -1 }
  const [, act, list, index] = /^(remove|up|down):([a-z0-9.]+)\.(\d{1,2})$/.exec(text ?? '') ?? []
  if (act === undefined || list === undefined) return undefined
  return { act: act as Press['act'], list, index: Number(index) }
}

/** The rows after a press: one more, one less, or two in each other's place. */
export function arranged<Row>(rows: Row[], { act, index }: Press, blank: Row): Row[] {
  if (act === 'add') return [...rows, blank]
  if (act === 'remove') return rows.filter((_row, at) => at !== index)
  const other = act === 'up' ? index - 1 : index + 1
  const [one, two] = [rows[index], rows[other]]
  if (one === undefined || two === undefined) return rows
  return rows.map((row, at) => (at === index ? two : at === other ? one : row))
}

/** The row that a press is about as the list stands afterwards, for the focus to go to. */
export function rowInFocus({ act, list, index }: Press, rows: unknown[]): string | undefined {
  const at = { add: rows.length - 1, remove: index, up: index - 1, down: index + 1 }[act]
  const last = rows.length - 1
  return last < 0 ? undefined : `${list}.${Math.max(0, Math.min(at, last))}`
}

/** The field of a form for the place of a fault: `sections.2.title` for `sections[2].title`. */
export function fieldAt(path: string): string {
  return path.replaceAll(/\[(\d+)\]/g, '.$1')
}

const ROWS: Record<string, string> = {
  sections: 'section',
  features: 'feature',
  versions: 'plan',
  prices: 'price',
  product_ids: 'plan',
}

const FIELDS: Record<string, string> = { body: 'text', listing_mode: 'listing mode' }
const ALONE = /^(tagline|description|categories|industries|tags|listing_mode)$/

/**
 * A field's place in words: `sections.2.title` is "Section 3, title". None for a whole list, and
 * for fields whose faults name them.
 */
export function placeOf(id: string): string {
  if (!id.includes('.') && !ALONE.test(id)) return ''
  const intro = id.split('.').flatMap((part, at, parts) => {
    if (/^\d+$/.test(part)) return []
    const index = parts[at + 1]
    if (index !== undefined && /^\d+$/.test(index)) {
      return [`${ROWS[part] ?? part} ${Number(index) + 1}`]
    }
    return part in ROWS ? [] : [FIELDS[part] ?? part]
  })
  const place = intro.join(', ')
  return place.charAt(0).toUpperCase() + place.slice(1)
}

/**
 * A fault as people read it. Those who tell of it name places and ids as programs write them, and a
 * version is what the pages call a plan.
 */
export function plainly(message: string): string {
  return message
    .replaceAll(/ [^.]*\bproduct_id\b[^.]*\./g, '')
    .replaceAll(/ \(pr(?:od|c)_\w+\)/g, '')
    .replaceAll(/\w+\[\d+\][\w.[\]]*/g, (path) => placeOf(fieldAt(path)))
    .replaceAll(/\b([Vv])ersion(s?)\b/g, (_word, letter, end) =>
      letter === 'V' ? `Plan${end}` : `plan${end}`,
    )
}

/** Faults as a form tells them, each at the field that it stands in. */
export function formFaults(
  faults: readonly { path: string; message: string }[] = [],
  at: (path: string) => string = fieldAt,
): { id: string; message: string }[] {
  return faults.map(({ path, message }) => ({ id: at(path), message: plainly(message) }))
}
