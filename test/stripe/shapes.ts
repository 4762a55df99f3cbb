import { readFileSync } from 'node:fs'

/** As much of JSON Schema as Stripe's description needs. */
interface Schema {
  $ref?: string
  type?: string
  enum?: unknown[]
  nullable?: boolean
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean
  items?: Schema
  anyOf?: Schema[]
}

interface Extract {
  operations: Record<string, { takes: string[]; answers: Schema }>
  schemas: Record<string, Schema>
}

const file = new URL('./openapi-extract.json', import.meta.url)
export const EXTRACT = JSON.parse(readFileSync(file, 'utf8')) as Extract

/** What the answers have since the description was written, and why it is right that they do. */
const LATER: Record<string, string[]> = {
  // The account that a payout leaves, by which the double finds it.
  payout: ['account'],
}

/** Everything about a value that its schema does not allow, each by its place. */
export function faults(schema: Schema, value: unknown, place: string): string[] {
  const { $ref } = schema
  if ($ref) return faults(EXTRACT.schemas[$ref]!, value, place)
  // What is absent or null says nothing; what must be there is among `required`.
  if (value === null) return schema.nullable || !schema.type ? [] : [`${place} is null`]
  if (schema.anyOf) {
    const tries = schema.anyOf.map((each) => faults(each, value, place))
    return tries.some((each) => each.length === 0) ? [] : tries.at(-1)!
  }
  if (schema.enum && !schema.enum.includes(value)) return [`${place} is ${value}`]
  switch (schema.type) {
    case 'array':
      if (!Array.isArray(value)) return [`${place} is no list`]
      return value.flatMap((each, index) => faults(schema.items ?? {}, each, `${place}[${index}]`))
    case 'object':
      return typeof value === 'object' ? ofObject(schema, value, place) : [`${place} is no object`]
    case 'integer':
      return Number.isInteger(value) ? [] : [`${place} is no whole number`]
    case 'string':
    case 'boolean':
    case 'number':
      return typeof value === schema.type ? [] : [`${place} is no ${schema.type}`]
    default:
      return []
  }
}

function ofObject(schema: Schema, value: object, place: string): string[] {
  const { properties, required = [], additionalProperties } = schema
  if (!properties) return []
  const missing = required
    .filter((name) => !(name in value))
    .map((name) => `${place}.${name} is missing`)
  const kind = String(Object(value).object)
  const wrong = Object.entries(value).flatMap(([name, each]) => {
    const known = properties[name]
    if (known) return each === undefined ? [] : faults(known, each, `${place}.${name}`)
    const isAllowed = additionalProperties || LATER[kind]?.includes(name) || each === undefined
    return isAllowed ? [] : [`${place}.${name} is not known`]
  })
  return [...missing, ...wrong]
}
