import type { z } from 'zod'
import type { Endpoint } from '#http/endpoint'
import { HEADERS, headersOf, isCached, refusalsOf } from './answers.ts'
import { PARAMETER_EXAMPLES, schemaExamples } from './examples.ts'
import { type Json, Problem, schemaBook } from './schemas.ts'
import { INTRODUCTION, SECURITY_SCHEMES, TAGS } from './texts.ts'

/** State shared by the parts of a document while it is built. */
interface Drawing {
  draw: ReturnType<typeof schemaBook>['draw']
  examples: Record<string, Json>
}

/**
 * Builds the OpenAPI 3.1 document of these endpoints from the schemas that validate them and the
 * table of errors (spec: Machine-readable description).
 */
export function openApiDocument(base_url: string, version: string, rows: Endpoint[]): object {
  const { named, draw } = schemaBook()
  const drawing = { draw, examples: schemaExamples(base_url) }
  const paths: Record<string, Json> = {}
  for (const row of rows) {
    const { path, method } = row
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(drawing, row) }
  }
  draw(Problem, 'output')
  const tags = Object.entries(TAGS).map(([name, description]) => ({ name, description }))
  const schemes = Object.entries(SECURITY_SCHEMES)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Purser API',
      version,
      summary: 'Live prices and license verification for web apps.',
      description: INTRODUCTION,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    // Relative, so that it is correct under every host name of the service.
    servers: [{ url: '/' }],
    tags: tags.filter(({ name }) => rows.some((row) => row.tag === name)),
    paths,
    components: {
      securitySchemes: Object.fromEntries(
        schemes.filter(([name]) => rows.some((row) => row.auth === name)),
      ),
      headers: HEADERS,
      schemas: named,
    },
  }
}

function operation(drawing: Drawing, row: Endpoint): Json {
  const { points, seconds, by } = row.limit
  const limit = `Limit: ${points} requests in ${seconds} seconds, counted by ${by}.`
  const parameters = parametersOf(drawing, row)
  return {
    tags: [row.tag],
    operationId: row.name,
    summary: row.summary,
    description: `${row.description}\n\n${limit}`,
    security: row.auth === 'none' ? [] : [{ [row.auth]: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(row.body && {
      requestBody: {
        required: !row.is_body_optional,
        content: content(drawing, row.body, 'input'),
      },
    }),
    responses: { ...answersOf(drawing, row), ...refusalsOf(row) },
  }
}

function parametersOf({ draw }: Drawing, row: Endpoint): Json[] {
  const path = fieldsOf(draw, row.params).map(({ name, ...field }) => {
    const example = PARAMETER_EXAMPLES[name]
    return { name, in: 'path', ...field, ...(example && { example }) }
  })
  const query = fieldsOf(draw, row.query).map((field) => ({ ...field, in: 'query' }))
  const headers = fieldsOf(draw, row.headers).map(({ name, ...field }) => {
    const spelled = name.replaceAll(/\b[a-z]/g, (initial) => initial.toUpperCase())
    return { name: spelled, in: 'header', ...field }
  })
  const condition = {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The ETag of your cached response. Returns 304 while it is current.',
    schema: { type: 'string' },
  }
  return [...path, ...query, ...headers, ...(isCached(row) ? [condition] : [])]
}

/** The fields of an input, each with its description and schema. */
function fieldsOf(draw: Drawing['draw'], schema: z.ZodObject | undefined) {
  if (!schema) return []
  const { properties = {}, required = [] } = draw(schema, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...shape }]) => ({
    name,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: shape,
  }))
}

function answersOf(drawing: Drawing, row: Endpoint): Record<string, Json> {
  const answers = Object.entries(row.answers).map(([status, { description, schema }]) => [
    status,
    {
      description,
      headers: headersOf(row, Number(status)),
      ...(schema && { content: content(drawing, schema, 'output') }),
    },
  ])
  if (isCached(row)) {
    const description = 'Your cached response, named by `If-None-Match`, is current.'
    answers.push(['304', { description, headers: headersOf(row, 304) }])
  }
  return Object.fromEntries(answers)
}

function content({ draw, examples }: Drawing, schema: z.ZodType, io: 'input' | 'output'): Json {
  const example = examples[schema.meta()?.id ?? '']
  return { 'application/json': { schema: draw(schema, io), ...(example && { example }) } }
}
