import type { FieldFault } from '#platform/problem'

/** A fault for each text of a JSON value that contains a NUL, which PostgreSQL cannot store. */
export function faultsOfNul(value: unknown, path = ''): FieldFault[] {
  if (typeof value === 'string') return value.includes('\0') ? [faultAt(path)] : []
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => faultsOfNul(item, `${path}[${index}]`))
  }
  return Object.entries(value).flatMap(([name, item]) => {
    if (name.includes('\0')) return [faultAt(path)]
    return faultsOfNul(item, path === '' ? name : `${path}.${name}`)
  })
}

/** A JSON value without the NULs of its texts. */
export function withoutNul<Value extends object>(value: Value): Value {
  const text = JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'string' ? each.replaceAll('\0', '') : each,
  )
  return JSON.parse(text)
}

function faultAt(path: string): FieldFault {
  const field = path === '' ? 'The request' : `\`${path}\``
  return { path, message: `${field} must not contain the character U+0000.` }
}
