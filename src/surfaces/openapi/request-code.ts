import type { ReferenceEndpoint } from './reference.ts'

/** A request as code: a command, or a program in the language of `tag`. */
export interface RequestCode {
  label: string
  tag: 'sh' | 'ts' | 'py'
  code: string
}

/** The calls of the client library, by endpoint. */
const CALLS: Record<string, string> = {
  getApp: 'await purser.app()',
  getPrices: 'await purser.prices()',
  validateLicense: "await purser.validate('key_…')",
  getOrder: "await purser.order('ExampleOrderReference')",
  regenerateKey:
    "await purser.regenerateKey('lic_ExampleLicense00000000', { idempotency_key: 'a-random-value' })",
  readEntitlement: "await purser.entitlement('AccessTokenOfTheBuyer')",
  readEntitlementV1: "await purser.entitlement('AccessTokenOfTheBuyer')",
}

/** A request to an endpoint: with curl, with the client library, and with Python. */
export function requestCodesOf(endpoint: ReferenceEndpoint, base_url: string): RequestCode[] {
  const call = CALLS[endpoint.id]
  const typescript: RequestCode[] = call
    ? [{ label: 'TypeScript', tag: 'ts', code: typescriptOf(endpoint, base_url, call) }]
    : []
  return [
    { label: 'curl', tag: 'sh', code: curlOf(endpoint, base_url) },
    ...typescript,
    { label: 'Python', tag: 'py', code: pythonOf(endpoint, base_url) },
  ]
}

/** The URL of an endpoint with the examples of its parameters. */
function urlOf({ path, parameters }: ReferenceEndpoint, base_url: string): string {
  const address = path.replace(/\{(\w+)\}/g, (whole, name) => {
    return parameters.find((each) => each.path === name)?.example ?? whole
  })
  return base_url + address
}

/** The endpoint as a command. */
export function curlOf(endpoint: ReferenceEndpoint, base_url: string): string {
  const { method, body, auth } = endpoint
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${urlOf(endpoint, base_url)}`,
    ...(auth === 'basic' ? ['  -u "$CLIENT_ID:$CLIENT_SECRET"'] : []),
    ...(auth === 'bearer' ? ['  -H "Authorization: Bearer $ACCESS_TOKEN"'] : []),
    ...(body ? ["  -H 'Content-Type: application/json'"] : []),
    ...(body ? [`  -d '${JSON.stringify(JSON.parse(body.example))}'`] : []),
  ]
  return lines.join(' \\\n')
}

function typescriptOf({ auth }: ReferenceEndpoint, base_url: string, call: string): string {
  return `import { createClient } from '@purser/client'

const purser = createClient({
  base_url: '${base_url}',
  client_id: 'app_ExampleTidepool0000000',${auth === 'basic' ? '\n  client_secret: process.env.PURSER_CLIENT_SECRET,' : ''}
})
export const answer = ${call}`
}

function pythonOf(endpoint: ReferenceEndpoint, base_url: string): string {
  const { method, auth, body } = endpoint
  const imports = [
    'import json',
    ...(auth === 'none' ? [] : ['import os']),
    'import urllib.request',
  ]
  const headers = {
    none: [],
    basic: ['"Authorization": f"Basic {b64encode(credentials.encode()).decode()}"'],
    bearer: ['"Authorization": f"Bearer {os.environ[\'ACCESS_TOKEN\']}"'],
  }[auth]
  const fields = [...headers, ...(body ? ['"Content-Type": "application/json"'] : [])]
  const given = body ? JSON.stringify(JSON.parse(body.example)).replaceAll(':', ': ') : ''
  return [
    ...imports,
    ...(auth === 'basic' ? ['from base64 import b64encode'] : []),
    '',
    ...(auth === 'basic'
      ? ["credentials = f\"{os.environ['CLIENT_ID']}:{os.environ['CLIENT_SECRET']}\""]
      : []),
    'request = urllib.request.Request(',
    `    "${urlOf(endpoint, base_url)}",`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(body ? [`    data=json.dumps(${given}).encode(),`] : []),
    ...(fields.length > 0 ? [`    headers={${fields.join(', ')}},`] : []),
    ')',
    'with urllib.request.urlopen(request, timeout=10) as response:',
    '    print(json.load(response))',
  ].join('\n')
}
