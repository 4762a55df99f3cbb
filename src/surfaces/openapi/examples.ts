import { EXAMPLE_RETRY_SECONDS, REFUSALS, type RefusalCode } from '#http/refusals'
import type { Json } from './schemas.ts'

const client_id = 'app_ExampleTidepool0000000'
const license_id = 'lic_ExampleLicense00000000'
const product_id = 'prod_ExampleTidepoolPro0000'
const monthly = 'prc_ExampleTidepoolMonth00'
const lifetime = 'prc_ExampleTidepoolOnce000'
const license_key = 'key_ExampleKeyExampleKeyExample4O0yHV'
const new_license_key = 'key_NewExampleKeyNewExampleKeyN0wpmPJ'
const run_id = 'task_ExampleRun0000000000000'
const request_id = 'req_ExampleRequest00000000'

/** An example of each path parameter, by name. */
export const PARAMETER_EXAMPLES: Record<string, string> = {
  client_id,
  license_id,
  run_id,
  ref: 'ExampleOrderReference_'.repeat(4).slice(0, -1),
}

/** Examples of the endpoints of test mode. */
const TEST_MODE: Record<string, Json> = {
  ScenarioList: {
    scenarios: [
      {
        name: 'recovered',
        title: 'Card recovers on retry',
        description: 'The renewal is declined, and the retry that you choose succeeds.',
        needs_renewal: true,
        retries: ['1', '2', '3'],
      },
    ],
  },
  ScenarioRunRequest: { scenario: 'recovered', retry: '2' },
  ScenarioRun: {
    id: run_id,
    scenario: 'recovered',
    status: 'completed',
    note: 'scenario-x2k9@example.com is active.',
    license_id,
    license_key,
    license_status: 'active',
    entitled: true,
  },
  TestEvents: {
    events: [
      {
        at: '2027-02-28T09:41:00Z',
        kind: 'paid',
        text: 'Renewal paid',
        why: 'renewal',
        status: null,
        amount: '12.99',
        license_id,
        email: 'scenario-x2k9@example.com',
      },
    ],
    cursor: '1803807660000-1',
    has_more: false,
    now: '2027-02-28T09:41:05Z',
  },
}

/** An example of each named schema, by name. */
export function schemaExamples(base_url: string): Record<string, Json> {
  const price = { product_id, product_name: 'Pro', currency: 'usd' }
  const license = {
    entitled: true,
    status: 'active',
    license_id,
    product_id,
    product_public_id: product_id,
    period_end: '2027-02-28',
    canceled_at: null,
  }
  return {
    AppProfile: {
      client_id,
      name: 'Tidepool',
      tagline: 'Tide tables for people who walk the shore',
      listing_mode: 'marketplace',
      url: 'https://tidepool.example/',
      marketplace_url: `${base_url}/apps/tidepool/`,
    },
    PricesResponse: {
      client_id,
      app_name: 'Tidepool',
      has_free_tier: true,
      prices: [
        {
          public_id: monthly,
          ...price,
          amount: '12.00',
          is_recurring: true,
          frequency: 'month',
          buy_url: `${base_url}/buy/${monthly}/`,
        },
        {
          public_id: lifetime,
          ...price,
          amount: '180.00',
          is_recurring: false,
          frequency: null,
          buy_url: `${base_url}/buy/${lifetime}/`,
        },
      ],
    },
    LicenseState: license,
    ValidatedLicense: license,
    LicenseWithKey: { ...license, license_key },
    RotatedLicense: {
      ...license,
      license_key: new_license_key,
      rotated_at: '2027-02-03T09:41:00Z',
    },
    Processing: { status: 'processing' },
    Entitlement: {
      entitled: true,
      version: 'Pro',
      product_public_id: product_id,
      product_id,
      status: 'active',
      is_free: false,
      period_end: '2027-02-28',
    },
    ...TEST_MODE,
    ValidateRequest: { key: license_key },
    RegenerateRequest: { reason: 'The key was posted in a public forum.' },
  }
}

/** The body of an error response. */
export function problemExample(code: RefusalCode): Json {
  const [, message] = REFUSALS[code]
  const problem = { error: code, message, request_id }
  if (code === 'rate_limited') return { ...problem, retry_after: EXAMPLE_RETRY_SECONDS }
  if (code === 'insufficient_scope') return { ...problem, scope: 'entitlements' }
  if (code !== 'invalid_request') return problem
  return { ...problem, fields: [{ path: '', message: 'The request could not be read.' }] }
}
