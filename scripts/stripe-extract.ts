/**
 * Takes from Stripe's own OpenAPI description (github.com/stripe/openapi, `spec3.json`) what the
 * tests need to check our double of Stripe against it:
 *
 *     node --import ./scripts/register-tsx.mjs scripts/stripe-extract.ts path/to/spec3.json
 */
import { readFileSync, writeFileSync } from 'node:fs'

type Json = Record<string, unknown>

/** The operations that the adapter uses. */
const OPERATIONS = [
  'POST /v1/checkout/sessions',
  'GET /v1/checkout/sessions/{session}',
  'POST /v1/payment_intents',
  'GET /v1/payment_intents',
  'GET /v1/payment_intents/{intent}',
  'POST /v1/payment_intents/{intent}/cancel',
  'POST /v1/setup_intents',
  'GET /v1/setup_intents',
  'GET /v1/setup_intents/{intent}',
  'POST /v1/setup_intents/{intent}/cancel',
  'POST /v1/refunds',
  'GET /v1/refunds',
  'GET /v1/refunds/{refund}',
  'GET /v1/disputes',
  'GET /v1/disputes/{dispute}',
  'POST /v1/disputes/{dispute}',
  'POST /v1/accounts',
  'GET /v1/accounts/{account}',
  'POST /v1/account_links',
  'POST /v1/transfers',
  'GET /v1/transfers',
  'GET /v1/transfers/{transfer}',
  'POST /v1/transfers/{id}/reversals',
  'GET /v1/balance',
  'GET /v1/balance_transactions',
  'POST /v1/payouts',
  'GET /v1/payouts',
  'GET /v1/payouts/{payout}',
  'POST /v1/billing_portal/sessions',
  'GET /v1/customers/{customer}',
  'POST /v1/customers/{customer}',
  'POST /v1/tax/calculations',
]

/** The schemas that are kept completely; others are reduced to objects. */
const SCHEMAS = [
  'account',
  'account_link',
  'api_errors',
  'balance',
  'balance_amount',
  'balance_transaction',
  'bank_account',
  'billing_details',
  'billing_portal.configuration',
  'billing_portal.session',
  'checkout.session',
  'customer',
  'charge',
  'dispute',
  'dispute_evidence_details',
  'error',
  'event',
  'payment_intent',
  'payment_intent_next_action',
  'payment_intent_next_action_redirect_to_url',
  'payment_method',
  'payment_method_card',
  'payout',
  'refund',
  'setup_intent',
  'setup_intent_next_action',
  'setup_intent_next_action_redirect_to_url',
  'tax.calculation',
  'tax.transaction',
  'tax_product_resource_customer_details',
  'tax_product_resource_tax_breakdown',
  'tax_product_resource_tax_rate_details',
  'transfer',
  'transfer_reversal',
  'webhook_endpoint',
]

const KEYWORDS = ['type', 'enum', 'nullable', 'required', 'additionalProperties']
const REF = '#/components/schemas/'

/** A schema without descriptions, and without references to reduced schemas. */
function reduced(schema: unknown): unknown {
  const { $ref, properties, items, anyOf, ...rest } = schema as Json
  if (typeof $ref === 'string') {
    const name = $ref.slice(REF.length)
    return SCHEMAS.includes(name) ? { $ref: name } : { type: 'object' }
  }
  const kept: Json = Object.fromEntries(KEYWORDS.flatMap((w) => (w in rest ? [[w, rest[w]]] : [])))
  if (typeof kept.additionalProperties === 'object') kept.additionalProperties = true
  if (properties) kept.properties = mapped(properties as Json, reduced)
  if (items) kept.items = reduced(items)
  if (anyOf) kept.anyOf = (anyOf as unknown[]).map(reduced)
  return kept
}

function mapped(object: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
}

function operation(paths: Json, name: string): Json {
  const [method, path] = name.split(' ') as [string, string]
  const found = (paths[path] as Json)[method.toLowerCase()] as {
    parameters?: { name: string; in: string }[]
    requestBody?: { content: Record<string, { schema: { properties?: Json } }> }
    responses: { 200: { content: Record<string, { schema: unknown }> } }
  }
  const form = Object.values(found.requestBody?.content ?? {})[0]?.schema.properties ?? {}
  const query = (found.parameters ?? []).filter((each) => each.in === 'query')
  const answer = Object.values(found.responses[200].content)[0]!.schema
  const takes = method === 'POST' ? Object.keys(form) : query.map((each) => each.name)
  return { takes: takes.sort(), answers: reduced(answer) }
}

const [file] = process.argv.slice(2)
if (!file) throw new Error('name the file of the description')
const description = JSON.parse(readFileSync(file, 'utf8')) as {
  info: { version: string }
  paths: Json
  components: { schemas: Json }
}
const { info, paths, components } = description
const extract = {
  source: `Stripe's OpenAPI description of ${info.version}, by scripts/stripe-extract.ts`,
  operations: Object.fromEntries(OPERATIONS.map((each) => [each, operation(paths, each)])),
  schemas: Object.fromEntries(SCHEMAS.map((each) => [each, reduced(components.schemas[each])])),
}
const target = new URL('../test/stripe/openapi-extract.json', import.meta.url)
writeFileSync(target, `${JSON.stringify(extract)}\n`)
