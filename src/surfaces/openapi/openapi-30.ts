import type { Json } from './schemas.ts'

const PROBLEM = '#/components/schemas/Problem'

/**
 * The same document in OpenAPI 3.0, for generators that do not read 3.1: `nullable` instead of a
 * type `null`, one value of `enum` instead of `const`, every error as a `Problem`, and the absolute
 * URL of the service, which clients that were generated from a file need.
 */
export function asOpenApi30(document: object, base_url: string): object {
  const { info, ...rest } = document as { info: Json }
  const { summary: _summary, ...facts } = info
  const license = {
    name: (info.license as Json).name,
    url: 'https://www.apache.org/licenses/LICENSE-2.0',
  }
  const servers = [{ url: base_url }]
  return { ...(convert(rest) as Json), openapi: '3.0.3', info: { ...facts, license }, servers }
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert)
  if (typeof value !== 'object' || value === null) return value
  const shape = value as Json
  const entries = Object.entries(shape).map(([name, inner]) => [
    name,
    // Examples are data.
    name === 'example' || name === 'examples' ? inner : convert(inner),
  ])
  return convertSchema(Object.fromEntries(entries))
}

function convertSchema(shape: Json): Json {
  const { $ref, allOf, anyOf, type, ...rest } = shape
  if ($ref && Object.keys(rest).length > 0) return { ...rest, allOf: [{ $ref }] }
  if (Array.isArray(allOf) && allOf[0]?.$ref === PROBLEM) return { $ref: PROBLEM }
  if (Array.isArray(type)) {
    const [first] = type.filter((each) => each !== 'null')
    return { ...withoutNullableEnum(rest), type: first, nullable: true }
  }
  if (Array.isArray(anyOf) && anyOf.some(isNull)) {
    const choices = anyOf.filter((each) => !isNull(each))
    const single = choices.length === 1 ? { allOf: choices } : { anyOf: choices }
    return { ...rest, ...single, nullable: true }
  }
  if ('const' in rest && typeof rest.const !== 'object') {
    const { const: only, ...others } = rest
    return { ...others, type: type ?? typeof only, enum: [only] }
  }
  return shape
}

/** Generators fail at a null among the values, so the description lists the others. */
function withoutNullableEnum({ enum: values, ...rest }: Json): Json {
  if (!Array.isArray(values)) return rest
  const names = values.filter((each) => each !== null).map((each) => `\`${each}\``)
  return { ...rest, description: `${rest.description ?? ''} One of ${names.join(', ')}.`.trim() }
}

const isNull = (schema: Json) => schema.type === 'null'
