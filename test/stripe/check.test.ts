import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { Stripe } from 'stripe'
import { checkSetup } from '../../src/stripe/check.ts'
import { CONNECT_KINDS, OWN_KINDS } from '../../src/stripe/parse-event.ts'
import { SECRET_KEY, StripeDouble, WEBHOOK_SECRET } from '../support/stripe-double.ts'

const BASE_URL = 'http://localhost:4000'
const EXPECTED = {
  base_url: BASE_URL,
  statement_descriptor: 'HARBOR SOFTWARE',
  tax_provider: 'stripe',
} as const

// M2, M4, M12: what is not set up is named before going live.
describe('the check of the account at Stripe', () => {
  let double: StripeDouble
  before(async () => {
    double = await StripeDouble.open(() => new Date())
  })
  after(() => double.close())

  const settings = () => ({
    secret_key: SECRET_KEY,
    webhook_secrets: [WEBHOOK_SECRET],
    api_base: double.url,
  })
  const missing = async () =>
    (await checkSetup(settings(), EXPECTED)).filter(({ is_good }) => !is_good)

  /** Sets everything up as the manual says. */
  function setUp(): void {
    const { setup } = double.state
    const endpoint = (application: string | null, enabled_events: readonly string[]) => ({
      id: `we_${enabled_events.length}`,
      object: 'webhook_endpoint',
      url: `${BASE_URL}/processor-events/stripe`,
      status: 'enabled',
      api_version: Stripe.API_VERSION,
      application,
      enabled_events,
    })
    Object.assign(setup, {
      has_connect: true,
      account: {
        ...setup.account,
        charges_enabled: true,
        payouts_enabled: true,
        capabilities: { card_payments: 'active', transfers: 'active' },
        requirements: { currently_due: [] },
        settings: {
          card_payments: { statement_descriptor_prefix: 'HARBOR SOF' },
          payouts: { schedule: { interval: 'manual' } },
        },
      },
      webhook_endpoints: [endpoint(null, OWN_KINDS), endpoint('ca_1', CONNECT_KINDS)],
      portals: [
        {
          features: {
            payment_method_update: { enabled: true },
            subscription_cancel: { enabled: false },
            subscription_update: { enabled: false },
          },
        },
      ],
      tax_settings: { object: 'tax.settings', status: 'active' },
      tax_registrations: [{ object: 'tax.registration', status: 'active' }],
    })
  }

  test('lists everything that a new account lacks, each with the next step', async () => {
    double.state.setup.has_connect = false
    const found = await missing()
    assert.deepEqual(
      found.map(({ what }) => what),
      [
        'The account can charge cards',
        'The account can pay sellers',
        'The account’s own payouts are manual',
        'Card statements show the operator',
        'Connect is enabled',
        'Events of your account are sent here',
        'Events of connected accounts are sent here',
        'The customer portal replaces cards, and nothing else',
        'Stripe Tax is set up',
        'Stripe Tax has a registration',
      ],
    )
    for (const { next } of found) assert.match(next ?? '', /Dashboard|STATEMENT_DESCRIPTOR/)
  })

  test('finds nothing missing once the manual was followed', async () => {
    setUp()
    assert.deepEqual(await missing(), [])
  })

  test('lists a missing event and another API version', async () => {
    setUp()
    const [own] = double.state.setup.webhook_endpoints
    Object.assign(own!, {
      enabled_events: OWN_KINDS.filter((kind) => kind !== 'charge.refunded'),
      api_version: '2020-08-27',
    })
    const messages = (await missing()).map(({ next }) => next)
    assert.match(
      messages.join(' '),
      /Add to endpoint we_\d: charge\.refunded\. Endpoint .* sends 2020-08-27/,
    )
  })

  test('runs as npm run stripe:check, and exits with 1 while something is missing', async () => {
    setUp()
    Object.assign(double.state.setup, { portals: [] })
    const script = ['--import', './scripts/register-tsx.mjs', 'scripts/stripe-check.ts']
    const env = {
      ...process.env,
      ENV_FILE: '/dev/null',
      BASE_URL,
      STATEMENT_DESCRIPTOR: EXPECTED.statement_descriptor,
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_BASE: double.url,
    }
    const child = spawn(process.execPath, script, { env })
    let said = ''
    child.stdout.on('data', (data) => {
      said += data
    })
    child.stderr.on('data', (data) => {
      said += data
    })
    const code = await new Promise((resolve) => child.on('exit', resolve))
    assert.equal(code, 1, said)
    assert.match(said, /ok {7}Connect is enabled/)
    assert.match(said, /missing {2}The customer portal/)
    assert.match(said, /1 of \d+ are missing \(test mode\)/)
  })
})
