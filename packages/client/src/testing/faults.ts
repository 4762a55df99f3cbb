/** What the service finds in the body of a request. */
import type { FieldFault } from '../errors.ts'
import { refuse } from './answers.ts'

/** The faults of a field, by its path. */
type Rule = (value: unknown, path: string) => FieldFault[]

const MAX_BYTES = 65_536

/**
 * The JSON body of a request; undefined without one. Throws the refusal of a body that is not
 * JSON, is too large, or breaks the rules of its fields.
 */
export async function readBody(
  request: Request,
  rules: Record<string, Rule>,
  { optional = false } = {},
): Promise<Record<string, unknown>> {
  const text = await request.text()
  const type = request.headers.get('content-type') ?? ''
  if (text !== '' && !/^application\/json *(;|$)/i.test(type)) {
    throw refuse('unsupported_media_type')
  }
  if (new TextEncoder().encode(text).length > MAX_BYTES) throw refuse('payload_too_large')
  const body = text === '' ? (optional ? {} : undefined) : parse(text)
  const nuls = nulFaults(body, '')
  const fields = nuls.length > 0 ? nuls : object(rules)(body, '')
  if (fields.length > 0) throw refuse('invalid_request', { fields })
  return body as Record<string, unknown>
}

/** The form of a request; null if its body has another type. */
export async function formOf(request: Request): Promise<URLSearchParams | null> {
  const text = await request.text()
  const type = request.headers.get('content-type') ?? ''
  const isForm = text === '' || /^application\/x-www-form-urlencoded *(;|$)/i.test(type)
  return isForm ? new URLSearchParams(text) : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('The request body could not be read as JSON.')
  }
}

/** The refusal of a request for a fault that is in none of its fields. */
export function malformed(message: string): Response {
  return refuse('invalid_request', { message, fields: [{ path: '', message }] })
}

/** An object with these fields and no others. */
export function object(rules: Record<string, Rule>): Rule {
  return (value, path) => {
    if (value === undefined) return [fault(path, 'must have a JSON body')]
    if (kindOf(value) !== 'object') return [typeFault(path, 'object', value)]
    const fields = value as Record<string, unknown>
    const at = (name: string) => (path === '' ? name : `${path}.${name}`)
    const known = Object.entries(rules).flatMap(([name, rule]) => rule(fields[name], at(name)))
    const unknown = Object.keys(fields).filter((name) => !Object.hasOwn(rules, name))
    return [...known, ...unknown.map((name) => ({ path: at(name), message: 'Unknown field.' }))]
  }
}

/** A field that may be missing. */
export function optional(rule: Rule): Rule {
  return (value, path) => (value === undefined ? [] : rule(value, path))
}

/** A text with so many characters. */
export function text({ least = 0, most = Number.POSITIVE_INFINITY } = {}): Rule {
  return (value, path) => {
    if (value === undefined) return [fault(path, 'is required')]
    if (typeof value !== 'string') return [typeFault(path, 'string', value)]
    if (value.length < least) return [fault(path, 'must not be empty')]
    return value.length > most ? [fault(path, `must have at most ${most} characters`)] : []
  }
}

/** A text that is valid Unicode. */
export function wellFormed(rule: Rule): Rule {
  return (value, path) => {
    const faults = rule(value, path)
    if (faults.length > 0 || (value as string).isWellFormed()) return faults
    return [fault(path, 'must be valid Unicode')]
  }
}

/** Every text with a NUL, which the service stores nowhere. */
function nulFaults(value: unknown, path: string): FieldFault[] {
  const faults = [fault(path, 'must not contain the character U+0000')]
  if (typeof value === 'string') return value.includes('\0') ? faults : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => {
    if (Array.isArray(value)) return nulFaults(item, `${path}[${name}]`)
    if (name.includes('\0')) return faults
    return nulFaults(item, path === '' ? name : `${path}.${name}`)
  })
}

/** A whole number in its limits. */
export function integer(least: number, most: number): Rule {
  return (value, path) => {
    if (typeof value !== 'number') return [typeFault(path, 'number', value)]
    if (!Number.isInteger(value)) return [fault(path, 'must be a whole number')]
    if (value < least) return [fault(path, `must be at least ${least}`)]
    return value > most ? [fault(path, `must be at most ${most}`)] : []
  }
}

function fault(path: string, what: string): FieldFault {
  return { path, message: `${path === '' ? 'The request' : `\`${path}\``} ${what}.` }
}

function typeFault(path: string, expected: string, value: unknown): FieldFault {
  return fault(path, `must be ${withArticle(expected)}, not ${withArticle(kindOf(value))}`)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function withArticle(kind: string): string {
  if (kind === 'null') return kind
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`
}

/** What is wrong with a body that is no form, at an endpoint such as `/token`. */
export function notForm(path: string): string {
  return `only application/x-www-form-urlencoded content-type bodies are supported on POST ${path}`
}
