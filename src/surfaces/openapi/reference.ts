import { renderMarkdown } from '#platform/documents'
import type { Json } from './schemas.ts'

/** A field of a request or a response. */
export interface ReferenceField {
  /** Its path in the body, such as `prices[].amount`. */
  path: string
  type: string
  is_required: boolean
  description_html: string
}

/** A parameter of the path or the query, or a request header. */
export interface ReferenceParameter extends ReferenceField {
  in: 'path' | 'query' | 'header'
  example: string
}

/** A response with its status. */
export interface ReferenceResponse {
  status: string
  description_html: string
  fields: ReferenceField[]
  /** The error codes that are possible at this status. */
  codes: { code: string; message: string }[]
  /** A body as JSON text; undefined for a response without one. */
  example: string | undefined
}

/** An endpoint of the API. */
export interface ReferenceEndpoint {
  id: string
  method: string
  path: string
  summary: string
  description_html: string
  auth: 'none' | 'basic' | 'bearer'
  parameters: ReferenceParameter[]
  body: { is_required: boolean; fields: ReferenceField[]; example: string } | undefined
  responses: ReferenceResponse[]
}

/** The API reference: what its page shows of the OpenAPI document. */
export interface Reference {
  version: string
  summary: string
  introduction_html: string
  groups: { name: string; description: string; endpoints: ReferenceEndpoint[] }[]
}

/** The parts of an OpenAPI document that the reference reads. */
export interface OpenApiDocument {
  info: { version: string; summary: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: Partial<Record<'basic' | 'bearer', unknown>>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { description: string; content?: Content }>
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
  example?: string
}

type Content = Record<string, { schema: Schema; example?: Json }>

interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  format?: string
  anyOf?: Schema[]
}

/** The reference of an OpenAPI document. */
export function referenceOf(document: OpenApiDocument): Reference {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const { version, summary, description } = document.info
  return {
    version,
    summary,
    introduction_html: renderMarkdown(description),
    groups: document.tags.map((tag) => ({
      ...tag,
      endpoints: operations
        .filter(({ operation }) => operation.tags.includes(tag.name))
        .map(({ path, method, operation }) => ({
          ...endpointOf(document, operation),
          method: method.toUpperCase(),
          path,
        })),
    })),
  }
}

function endpointOf(document: OpenApiDocument, operation: Operation) {
  const { requestBody } = operation
  const content = requestBody?.content['application/json']
  const [scheme = {}] = operation.security
  return {
    id: operation.operationId,
    summary: operation.summary,
    description_html: renderMarkdown(operation.description),
    auth:
      'basic' in scheme ? ('basic' as const) : 'bearer' in scheme ? ('bearer' as const) : 'none',
    parameters: (operation.parameters ?? []).map((each) => ({
      path: each.name,
      in: each.in,
      type: typeText(document, each.schema),
      is_required: each.required,
      description_html: renderMarkdown(each.description ?? ''),
      example: each.example ?? '',
    })),
    body: content && {
      is_required: requestBody?.required ?? false,
      fields: fieldsOf(document, content.schema),
      example: jsonText(content.example),
    },
    responses: Object.entries(operation.responses).map(([status, { description, content }]) => {
      const body = content?.['application/json']
      const isError = status >= '400'
      return {
        status,
        description_html: renderMarkdown(description),
        codes: isError ? codesOf(description) : [],
        // Every error has the same fields, which the introduction explains.
        fields: body && !isError ? fieldsOf(document, body.schema) : [],
        example: body?.example && !isError ? jsonText(body.example) : undefined,
      }
    }),
  } satisfies Omit<ReferenceEndpoint, 'method' | 'path'>
}

/** The codes that the description of an error response lists, one in each paragraph. */
function codesOf(description: string): ReferenceResponse['codes'] {
  return [...description.matchAll(/^`([^`]+)`: (.+)$/gm)].map(([, code = '', message = '']) => ({
    code,
    message,
  }))
}

function jsonText(example: Json | undefined): string {
  return JSON.stringify(example ?? {}, null, 2)
}

function resolved(document: OpenApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '')
  return name === undefined ? schema : { ...document.components.schemas[name], ...schema }
}

/** The fields of a schema, and of the objects within it. */
function fieldsOf(document: OpenApiDocument, schema: Schema, above = ''): ReferenceField[] {
  const { properties = {}, required = [] } = resolved(document, schema)
  return Object.entries(properties).flatMap(([name, given]) => {
    const field = resolved(document, given)
    const path = above + name
    const within = field.items ? resolved(document, field.items) : field
    return [
      {
        path,
        type: typeText(document, field),
        is_required: required.includes(name),
        description_html: renderMarkdown(field.description ?? ''),
      },
      ...(within.properties
        ? fieldsOf(document, within, `${path}${field.items ? '[]' : ''}.`)
        : []),
    ]
  })
}

/** The type of a value in words: "string or null", "array of objects", or its values. */
function typeText(document: OpenApiDocument, schema: Schema): string {
  const { type, enum: values, const: only, items, anyOf } = resolved(document, schema)
  if (only !== undefined) return JSON.stringify(only)
  if (values) return values.map((value) => JSON.stringify(value)).join(', ')
  if (anyOf) return anyOf.map((each) => typeText(document, each)).join(' or ')
  if (items) return `array of ${typeText(document, items)}s`
  return [type ?? 'object'].flat().join(' or ')
}
