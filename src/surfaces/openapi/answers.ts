import type { Endpoint } from '#http/endpoint'
import { REFUSALS, type RefusalCode } from '#http/refusals'
import { problemExample } from './examples.ts'
import type { Json } from './schemas.ts'

/** Every response header, by its name in the document. */
export const HEADERS: Record<string, Json> = {
  'X-Request-Id': text('The ID of this request, as in our logs.', 'req_ExampleRequest00000000'),
  'RateLimit-Policy': text(
    'The limit: requests (`q`) in a window of seconds (`w`).',
    '"public";q=120;w=60',
  ),
  RateLimit: text(
    'Remaining requests (`r`), and seconds until the window resets (`t`).',
    '"public";r=119;t=60',
  ),
  'Retry-After': {
    description: 'Seconds to wait before retrying.',
    schema: { type: 'integer', minimum: 1 },
    example: 27,
  },
  'WWW-Authenticate': text('How to authenticate.', 'Basic realm="licenses", charset="UTF-8"'),
  TokenChallenge: text(
    'How to authenticate. Without `error` if no token was sent.',
    'Bearer realm="entitlement", error="invalid_token"',
  ),
  ScopeChallenge: text(
    'The scope that the token lacks. Only with `insufficient_scope`.',
    'Bearer realm="entitlement", error="insufficient_scope", scope="entitlements"',
  ),
  'Access-Control-Allow-Origin': text('Scripts on any web page may read the response.', '*'),
  'Cache-Control': text('How long the response may be cached.', 'public, max-age=60'),
  ETag: text('Changes whenever the response changes.', '"ExampleEntityTag000000"'),
}

function text(description: string, example: string): Json {
  return { description, schema: { type: 'string' }, example }
}

/** Whether responses may be cached: endpoints for any caller, with an ETag. */
export function isCached(row: Endpoint): boolean {
  return row.method === 'GET' && row.cors === true
}

/** The headers of a response with this status, as references to `HEADERS`. */
export function headersOf(row: Endpoint, status: number): Json {
  const names = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit']
  if (row.cors) names.push('Access-Control-Allow-Origin')
  const challenge = challengeOf(row, status)
  if (status === 202 || status === 429 || status === 503) names.push('Retry-After')
  if (isCached(row) && [200, 304, 404].includes(status)) names.push('Cache-Control')
  if (isCached(row) && [200, 304].includes(status)) names.push('ETag')
  const named = [
    ...names.map((name) => [name, name]),
    ...(challenge ? [[CHALLENGE, challenge]] : []),
  ]
  return Object.fromEntries(
    named.map(([name, id]) => [name, { $ref: `#/components/headers/${id}` }]),
  )
}

const CHALLENGE = 'WWW-Authenticate'

/** Which of `HEADERS` says how to authenticate, in a response with this status. */
function challengeOf({ auth, refusals }: Endpoint, status: number): string | undefined {
  if (status === 401) return auth === 'bearer' ? 'TokenChallenge' : CHALLENGE
  return status === 403 && refusals.includes('insufficient_scope') ? 'ScopeChallenge' : undefined
}

/** Every error code of an endpoint: its own, and those of any call. */
function codesOf(row: Endpoint): RefusalCode[] {
  const codes = new Set<RefusalCode>([...row.refusals, 'rate_limited'])
  codes.add('service_unavailable').add('internal_error')
  // Part of the path may be undecodable or contain a NUL.
  if (row.params) codes.add('invalid_request').add('not_found')
  if (row.query) codes.add('invalid_request')
  if (row.method === 'POST') {
    codes.add('invalid_request').add('payload_too_large').add('unsupported_media_type')
  }
  return [...codes]
}

/** The error responses of an endpoint by status; each lists the codes possible at that status. */
export function refusalsOf(row: Endpoint): Record<number, Json> {
  const byStatus = Map.groupBy(codesOf(row), (code) => REFUSALS[code][0])
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${REFUSALS[code][1]}`).join('\n\n'),
        headers: headersOf(row, status),
        content: { 'application/json': problemContent(codes) },
      },
    ]),
  )
}

function problemContent(codes: RefusalCode[]): Json {
  const narrowed = { type: 'object', properties: { error: { type: 'string', enum: codes } } }
  const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, narrowed] }
  const [only, ...more] = codes
  if (more.length === 0) return { schema, example: problemExample(only!) }
  const examples = codes.map((code) => [
    code.replaceAll(/\W+/g, '_'),
    { summary: REFUSALS[code][1], value: problemExample(code) },
  ])
  return { schema, examples: Object.fromEntries(examples) }
}
