import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

export type Json = Record<string, unknown>

const FieldFault = z
  .strictObject({
    path: z
      .string()
      .describe('Path of the field, such as `sections[2].title`. Empty for the whole request.'),
    message: z.string().describe('What is wrong with the field.'),
  })
  .meta({ id: 'FieldFault' })

/** The body of every error response. */
export const Problem = z
  .strictObject({
    error: z.string().describe('The error code. Handle errors by this.'),
    message: z.string().describe('A message for people. It may change.'),
    request_id: z.string().describe('Same as `X-Request-Id`. Include it when you contact support.'),
    scope: z.string().optional().describe('The scope that the token lacks.'),
    retry_after: z.int().min(1).optional().describe('Seconds to wait, as in `Retry-After`.'),
    fields: z.array(FieldFault).optional().describe('Every invalid field of the request.'),
  })
  .meta({ id: 'Problem' })

/**
 * Converts validation schemas to JSON Schema. A named schema is converted once, stored in `named`
 * and referenced; a name has only one shape. Requests reject unknown fields; responses may gain
 * fields (spec: Versioning).
 */
export function schemaBook() {
  const named: Record<string, Json> = {}
  return {
    named,
    draw(schema: z.ZodType, io: 'input' | 'output'): Json {
      const text = JSON.stringify(z.toJSONSchema(schema, { io }))
      const {
        $schema: _,
        $defs = {},
        ...drawn
      } = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'), (_key, value) =>
        simplify(value, io),
      )
      for (const [name, shape] of Object.entries<Json>($defs)) {
        if (named[name] && !isDeepStrictEqual(named[name], shape)) {
          throw new Error(`the schema ${name} has two shapes`)
        }
        named[name] = shape
      }
      return drawn
    },
  }
}

/** Shortens a schema: no pattern next to a format, and null as a type. */
function simplify(value: unknown, io: 'input' | 'output'): unknown {
  if (typeof value !== 'object' || value === null) return value
  const shape = value as Json
  if (io === 'output' && shape.additionalProperties === false) delete shape.additionalProperties
  if (typeof shape.format === 'string') delete shape.pattern
  if (!Array.isArray(shape.anyOf) || shape.anyOf.length !== 2) return shape
  const { anyOf, ...rest } = shape as { anyOf: [Json, Json] }
  const [first, second] = anyOf
  if (!first.type || 'const' in first || second.type !== 'null') return shape
  const choices = Array.isArray(first.enum) ? { enum: [...first.enum, null] } : {}
  return { ...first, ...choices, type: [first.type, 'null'], ...rest }
}
