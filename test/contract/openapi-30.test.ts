import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { lint } from '../support/openapi-lint.ts'
import { openTestService, type TestService } from '../support/service.ts'

type Node = Record<string, unknown>

/** The two documents, and the parts of them that are compared. */
interface Document {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, Node>>
  components: { schemas: Record<string, { properties: Record<string, Node>; required?: string[] }> }
}

let service: TestService
let current: Document
let older: Document
before(async () => {
  service = await openTestService()
  current = (await service.app.inject('/api/v1/schema/')).json()
  older = (await service.app.inject('/api/v1/schema/3.0/')).json()
})
after(() => service?.close())

/** Every object of a document with its place, without examples. */
function nodesOf(value: unknown, place = ''): { place: string; node: Node }[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([name, each]) =>
    /^examples?$/.test(name) ? [] : nodesOf(each, `${place}/${name}`),
  )
  return Array.isArray(value) ? inner : [{ place, node: value as Node }, ...inner]
}

test('the description in OpenAPI 3.0 has the operations and fields of the one in 3.1', () => {
  assert.equal(older.openapi, '3.0.3')
  assert.deepEqual(older.servers, [{ url: service.world.config.base_url }])
  const shapeOf = ({ paths, components }: Document) => ({
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, tags, responses, security }]) => ({
        ...{ path, method, operationId, tags, security },
        statuses: Object.keys(responses as Node),
      })),
    ),
    schemas: Object.entries(components.schemas).map(([name, { properties, required }]) => ({
      ...{ name, required },
      fields: Object.keys(properties),
    })),
  })
  assert.deepEqual(shapeOf(older), shapeOf(current))
  assert.ok(shapeOf(older).operations.length >= 7)
})

test('the description in OpenAPI 3.0 uses nothing that is new in 3.1', () => {
  for (const { place, node } of nodesOf(older)) {
    // A map of fields may have one of these names.
    if (place.endsWith('/properties')) continue
    assert.ok(!Array.isArray(node.type) && node.type !== 'null', place)
    assert.ok(!('const' in node) && !('$defs' in node), place)
    assert.ok(!('enum' in node && node.nullable), place)
    if ('nullable' in node) assert.ok('type' in node || 'allOf' in node || 'anyOf' in node, place)
    assert.equal(place === '/info' && 'summary' in node, false)
    assert.equal(place === '/info/license' && 'identifier' in node, false)
  }
})

test('the description in OpenAPI 3.0 is without an error or a warning, and each example fits its schema', () => {
  // The linter rejects the address of a test.
  assert.deepEqual(lint({ ...older, servers: [{ url: 'https://purser.test' }] }), [])
})

test('the same fields may be null in both descriptions', () => {
  const nullable = (document: Document) =>
    Object.entries(document.components.schemas).flatMap(([name, { properties }]) =>
      Object.entries(properties)
        .filter(([, { type, anyOf, nullable }]) => {
          const types = [type, ...((anyOf as Node[] | undefined) ?? []).map((each) => each.type)]
          return nullable === true || types.flat().includes('null')
        })
        .map(([field]) => `${name}.${field}`),
    )
  assert.deepEqual(nullable(older), nullable(current))
  assert.ok(nullable(older).includes('Price.frequency'))
})

test('every error in OpenAPI 3.0 is a Problem', () => {
  const errors = Object.values(older.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses }) =>
      Object.entries(responses as Record<string, { content: Record<string, Node> }>).filter(
        ([status]) => Number(status) >= 400,
      ),
    ),
  )
  assert.ok(errors.length > 20)
  for (const [, { content }] of errors) {
    assert.deepEqual(content['application/json']?.schema, { $ref: '#/components/schemas/Problem' })
  }
})
