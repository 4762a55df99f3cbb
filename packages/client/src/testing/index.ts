/**
 * A test double of the service for sellers' own tests: in memory, without a network. Its `client`
 * is the real client, whose requests the double answers.
 */
import { type Client, createClient, type Fetch } from '../client.ts'
import { createSignIn, type SignIn } from '../sign-in.ts'
import type { AppProfile, LicenseStatus } from '../types.ts'
import { refuse, type TestRefusal } from './answers.ts'
import { type App, answer } from './api.ts'
import {
  DAY_MS,
  type Facts,
  mint,
  PERIOD_MS,
  type TestLicense,
  type TestOrder,
  type TestPerson,
  type TestPlan,
} from './facts.ts'
import { createTestIssuer } from './issuer.ts'

export type { TestRefusal } from './answers.ts'
export type { TestLicense, TestPerson, TestPlan } from './facts.ts'

export type TestPurserOptions = {
  /** Default `https://purser.example`. */
  base_url?: string | undefined
  client_id?: string | undefined
  client_secret?: string | undefined
  /**
   * Default: a monthly plan `prod_pro`, a one-time plan `prod_lifetime`, a free plan `prod_free`.
   */
  plans?: readonly TestPlan[] | undefined
  /** Parts of the app's profile. */
  app?: Partial<AppProfile> | undefined
}

/** The outcome of requests instead of their usual one. */
export type TestFailure = {
  /** A refusal of the service; `network` is a connection that breaks. */
  error: TestRefusal | 'network'
  /** Only for requests whose path contains this. */
  path?: string | undefined
  /** How many requests fail. Default 1. */
  times?: number | undefined
  /** The seconds of a Retry-After header. */
  retry_after?: number | undefined
}

export type TestPurser = {
  readonly base_url: string
  readonly client_id: string
  readonly client_secret: string
  /** The real client, with the double in place of the network. */
  readonly client: Client
  /** The real hosted sign-in, with the double in place of the network. */
  readonly sign_in: SignIn
  /** For `createClient` and `createSignIn` with options of your own. */
  readonly fetch: Fetch
  /** What was requested: method and path. */
  readonly requests: readonly { method: string; path: string }[]
  /** Answers a request, to serve the double on a port. */
  handle(request: Request): Promise<Response>
  /** The double's time, which runs with the machine's. */
  now(): Date
  /** Lets time pass: periods renew, canceled licenses end, tokens expire. */
  advance(seconds: number): void
  /** A license of a buyer. Default: `active`, on the first plan. Change its fields at any time. */
  addLicense(facts?: Partial<Omit<TestLicense, 'license_id'>>): TestLicense
  /**
   * The order reference of a purchase, as `svc_order` on the return URL. It is processing for these
   * seconds (default 0), and expires after 24 hours.
   */
  addOrder(license: TestLicense, options?: { processing_seconds?: number | undefined }): string
  /** A person who can sign in, with a license or without. */
  addPerson(license?: TestLicense | null): TestPerson
  /** An access token of a person, without the pages of a sign-in. */
  accessToken(person: TestPerson, options?: { scope?: string | undefined }): string
  /**
   * What the browser would do with an authorization link: the person agrees and the browser returns
   * to the address that this returns. With null the person cancels.
   */
  authorize(url: string, person: TestPerson | null): string
  /** The person signs out at the service, which revokes their tokens. */
  signOut(person: TestPerson): void
  /** Turns the hosted sign-in add-on on or off. It is on at first. */
  setAddOn(enabled: boolean): void
  /** Lets the next requests fail. */
  failNext(failure: TestFailure): void
}

const PLANS: readonly TestPlan[] = [
  {
    product_public_id: 'prod_pro',
    name: 'Pro',
    prices: [{ public_id: 'prc_pro_monthly', amount: '12.00', frequency: 'month' }],
  },
  {
    product_public_id: 'prod_lifetime',
    name: 'Lifetime',
    prices: [{ public_id: 'prc_lifetime', amount: '149.00', frequency: null }],
  },
  { product_public_id: 'prod_free', name: 'Free', prices: [] },
]

const ORDER_MS = DAY_MS

/** The statuses of licenses without a period. */
const LASTING: readonly LicenseStatus[] = ['one_time_active', 'preview']

/** How long ago the paid period ended of a license whose renewal failed. */
const OVERDUE_MS: Partial<Record<LicenseStatus, number>> = { past_due: 0, unpaid: 14 * DAY_MS }

/** Creates a service of its own: nothing is shared between two doubles. */
export function createTestPurser(options: TestPurserOptions = {}): TestPurser {
  const app = appOf(options)
  const facts = factsOf(options)
  const { now } = facts
  const issuer = createTestIssuer(app, now)
  const requests: { method: string; path: string }[] = []
  const failures: (TestFailure & { left: number })[] = []

  async function handle(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const path = pathname + search
    requests.push({ method: request.method, path })
    const failure = failures.find((each) => each.left > 0 && path.includes(each.path ?? ''))
    if (failure) return fail(failure)
    return (await issuer.answer(request)) ?? (await answer(request, app, facts, issuer))
  }

  const fetch: Fetch = (url, init) => handle(new Request(url, init))
  const { base_url, client_id, client_secret } = app
  const credentials = { base_url, client_id, client_secret, fetch }
  return Object.freeze<TestPurser>({
    ...credentials,
    client: createClient(credentials),
    sign_in: createSignIn(credentials),
    requests,
    handle,
    now: () => new Date(now()),
    advance: facts.advance,
    addLicense: (given = {}) => addLicense(facts, given),
    addOrder(license, { processing_seconds = 0 } = {}) {
      const lands_at = now() + processing_seconds * 1000
      const order: TestOrder = {
        ref: mint('ref', 40),
        license,
        lands_at,
        expires_at: now() + ORDER_MS,
      }
      facts.orders.push(order)
      return order.ref
    },
    addPerson(license = null) {
      const person = { sub: mint('sub'), license }
      facts.people.push(person)
      return person
    },
    accessToken: (person, { scope = 'openid entitlements' } = {}) =>
      issuer.issue(person, scope).access_token,
    authorize: (url, person) => issuer.authorize(url, person, 'access_denied'),
    signOut: (person) => issuer.revoke(person),
    setAddOn(enabled) {
      facts.add_on.enabled = enabled
    },
    failNext(failure) {
      failures.push({ ...failure, left: failure.times ?? 1 })
    },
  })
}

function fail(failure: TestFailure & { left: number }): Response {
  failure.left--
  const { error, retry_after } = failure
  if (error === 'network') throw new TypeError('fetch failed: the test double broke the connection')
  const seconds = retry_after ?? (error === 'rate_limited' ? 1 : undefined)
  if (seconds === undefined) return refuse(error)
  const wait = `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  const named = error === 'rate_limited' && { message: `Too many requests. Try again in ${wait}.` }
  return refuse(error, { ...named, retry_after: seconds })
}

function addLicense(
  { licenses, now, plans }: Facts,
  given: Partial<Omit<TestLicense, 'license_id'>>,
): TestLicense {
  const status = given.status ?? 'active'
  const product_public_id = given.product_public_id ?? plans[0]?.product_public_id ?? ''
  if (!plans.some((each) => each.product_public_id === product_public_id)) {
    throw new TypeError(`no plan has the product_public_id ${product_public_id}`)
  }
  const license: TestLicense = {
    license_id: mint('lic'),
    license_key: mint('key', 33),
    status,
    product_public_id,
    period_end: LASTING.includes(status) ? null : new Date(now() + periodLeft(status)),
    canceled_at: status === 'canceled' ? new Date(now()) : null,
    ...given,
  }
  licenses.push(license)
  return license
}

/** Milliseconds until the period of a license ends. */
function periodLeft(status: LicenseStatus): number {
  const overdue = OVERDUE_MS[status]
  return overdue === undefined ? PERIOD_MS : -overdue
}

function appOf(options: TestPurserOptions): App {
  const { client_id = 'app_test', client_secret = 'secret_test' } = options
  const base_url = (options.base_url ?? 'https://purser.example').replace(/\/+$/, '')
  const profile: AppProfile = {
    client_id,
    name: 'Test app',
    tagline: '',
    listing_mode: 'marketplace',
    url: 'https://app.example',
    marketplace_url: `${base_url}/apps/test-app/`,
    ...options.app,
  }
  return { base_url, client_id, client_secret, profile }
}

function factsOf({ plans = PLANS }: TestPurserOptions): Facts & { advance(seconds: number): void } {
  let ahead_ms = 0
  return {
    now: () => Date.now() + ahead_ms,
    advance(seconds: number) {
      ahead_ms += seconds * 1000
    },
    plans,
    licenses: [],
    orders: [],
    people: [],
    rotations: new Map(),
    add_on: { enabled: true },
  }
}
