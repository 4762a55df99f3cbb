import type { z } from 'zod'
import type { FieldFault } from '#platform/problem'

/**
 * Every violation of a schema: the path, such as `sections[2].title`, and what the field accepts.
 * Only an error that reports the input says that a field with a closed set of values is missing.
 */
export function faultsOf(error: z.ZodError): FieldFault[] {
  const mistyped = new Set(
    error.issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => pathOf(path)),
  )
  return error.issues.flatMap((issue) => {
    const path = pathOf(issue.path)
    // The length of an array is measured where a text is expected, too.
    if (mistyped.has(path) && LENGTHS.includes(issue.code)) return []
    if (issue.code !== 'unrecognized_keys') return [{ path, message: messageOf(issue, path) }]
    return issue.keys.map((key) => ({
      path: path === '' ? key : `${path}.${key}`,
      message: 'Unknown field.',
    }))
  })
}

const LENGTHS: readonly string[] = ['too_small', 'too_big']

function pathOf(parts: PropertyKey[]): string {
  return parts.reduce<string>((path, part) => {
    if (typeof part === 'number') return `${path}[${part}]`
    return path === '' ? String(part) : `${path}.${String(part)}`
  }, '')
}

/** Names the field, its limit and the given value; custom messages are kept. */
function messageOf(issue: z.core.$ZodIssue, path: string): string {
  const field = path === '' ? 'The request' : `\`${path}\``
  switch (issue.code) {
    case 'invalid_type': {
      const given = /received (\w+)$/.exec(issue.message)?.[1]
      if (given === 'undefined') {
        return path === '' ? 'The request must have a JSON body.' : `${field} is required.`
      }
      if (issue.expected === 'int') return `${field} must be a whole number.`
      const kind = withArticle(issue.expected)
      return `${field} must be ${kind}${given ? `, not ${withArticle(given)}` : ''}.`
    }
    case 'invalid_value':
      return `${field} ${setFault(issue)}.`
    case 'too_big':
      return `${field} must ${atMost(issue.origin, issue.maximum)}.`
    case 'too_small':
      return `${field} must ${atLeast(issue.origin, issue.minimum)}.`
    default:
      return issue.message
  }
}

function setFault(issue: z.core.$ZodIssueInvalidValue): string {
  const allowed = `must be one of ${issue.values.map(String).join(', ')}`
  if (!('input' in issue)) return allowed
  const { input } = issue
  if (input === undefined) return 'is required'
  // Otherwise the sender of the number 2 reads "one of 1, 2, 3".
  if (typeof input === 'string' || issue.values.some((value) => typeof value !== 'string')) {
    return allowed
  }
  return `must be a string, not ${withArticle(kindOf(input))}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function withArticle(kind: string): string {
  if (kind === 'null') return kind
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`
}

const UNITS: Record<string, string> = { string: 'characters', array: 'items' }

function atMost(origin: string, most: number | bigint): string {
  const unit = UNITS[origin]
  return unit ? `have at most ${most} ${unit}` : `be at most ${most}`
}

function atLeast(origin: string, least: number | bigint): string {
  const unit = UNITS[origin]
  if (!unit) return `be at least ${least}`
  return Number(least) === 1 ? 'not be empty' : `have at least ${least} ${unit}`
}
