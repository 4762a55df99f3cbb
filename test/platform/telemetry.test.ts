import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { resourceOf } from '#platform/telemetry/collector'

const ATTRIBUTES = 'OTEL_RESOURCE_ATTRIBUTES'

describe('what traces and log lines say about their service', () => {
  const before = process.env[ATTRIBUTES]
  afterEach(() => {
    if (before === undefined) delete process.env[ATTRIBUTES]
    else process.env[ATTRIBUTES] = before
  })

  const nameOf = (attributes: string | undefined, service_name: string | undefined) => {
    if (attributes !== undefined) process.env[ATTRIBUTES] = attributes
    const settings = { endpoint: 'http://127.0.0.1:4318', node_name: 'web-1', service_name }
    return resourceOf(settings).attributes['service.name']
  }

  test('is OTEL_SERVICE_NAME, else the name in OTEL_RESOURCE_ATTRIBUTES, else purser', () => {
    assert.equal(nameOf(undefined, undefined), 'purser')
    assert.equal(nameOf('service.name=purser-eu,deployment.region=eu', undefined), 'purser-eu')
    assert.equal(nameOf('service.name=purser-eu', 'shop'), 'shop')
  })

  test('includes the other attributes, and the name of the node', () => {
    process.env[ATTRIBUTES] = 'deployment.region=eu,host.name=other'
    const settings = { endpoint: 'http://127.0.0.1:4318', node_name: 'web-1', service_name: 'shop' }
    const { attributes } = resourceOf(settings)
    assert.equal(attributes['deployment.region'], 'eu')
    assert.equal(attributes['host.name'], 'web-1')
  })
})
