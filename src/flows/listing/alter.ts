import type { Altered } from './written.ts'

/** Every field in which two states differ, each at its place: `sections[2].title`. */
export function differences(before: unknown, after: unknown, path = ''): Altered[] {
  if (isSame(before, after)) return []
  if (isList(before) && isList(after)) {
    const length = Math.max(before.length, after.length)
    return Array.from({ length }, (_, index) =>
      differences(before[index], after[index], `${path}[${index}]`),
    ).flat()
  }
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) =>
      differences(before[key], after[key], path === '' ? key : `${path}.${key}`),
    )
  }
  return [{ path, before: before ?? null, after: after ?? null }]
}

/** What is in a list before and not after, counted: of two equal ones one may have gone. */
export function gone<Entry>(
  before: readonly Entry[],
  after: readonly Entry[],
  nameOf: (entry: Entry) => string,
): Entry[] {
  const left = after.map(nameOf)
  return before.filter((entry) => {
    const place = left.indexOf(nameOf(entry))
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** A list whose entries are told apart; one of plain words is told whole. */
function isList(value: unknown): value is unknown[] {
  return Array.isArray(value) && !value.some((entry) => typeof entry === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
