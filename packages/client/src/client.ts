/** The license key endpoints and the public endpoints of one app (spec: Endpoints). */
import { PurserError } from './errors.ts'
import { createFlights } from './flight.ts'
import { createIssuer } from './issuer.ts'
import { trimKey } from './key.ts'
import type { LeaseRequest } from './lease.ts'
import { pathPart, serviceAddress } from './links.ts'
import type { PublicKey } from './signed.ts'
import {
  type Answer,
  type Call,
  createTransport,
  type Fetch,
  sleep,
  TIMEOUT_MS,
  unexpected,
} from './transport.ts'
import type {
  AppProfile,
  Entitlement,
  OrderLicense,
  Prices,
  ProcessingOrder,
  RegeneratedKey,
  ValidatedLicense,
} from './types.ts'

export type { Fetch } from './transport.ts'

export type ClientOptions = {
  /** The URL of the service. */
  base_url: string
  client_id: string
  /** From the app's Integration page. Only `app` and `prices` work without it. */
  client_secret?: string | undefined
  /** Replaces the runtime's own fetch. */
  fetch?: Fetch | undefined
  /** The longest that a call may take, including retries and waits. Default 10,000. */
  timeout_ms?: number | undefined
  /** How many requests run at once; more wait in order of arrival. Default 20. */
  max_in_flight?: number | undefined
}

export type CallOptions = {
  /** How often a failed request is repeated within `timeout_ms`. Default 2. */
  retries?: number | undefined
}

export type ValidateOptions = CallOptions & {
  /** Requests a lease: a signed statement that an app verifies offline. */
  lease?: LeaseRequest | undefined
}

export type Client = {
  readonly base_url: string
  readonly client_id: string
  /** The app's public profile. Throws `not_found` until the app is published and for sale. */
  app(): Promise<AppProfile>
  /** The live prices, before tax; they may be cached for 60 seconds. Throws like `app`. */
  prices(): Promise<Prices>
  /**
   * The current state of a key. For a canceled or refunded license it is returned too, not
   * `entitled`. Throws `unknown_key` for a key that was never issued or belongs to another app.
   * Calls with one key that arrive while its request runs share the response.
   */
  validate(key: string, options?: ValidateOptions): Promise<ValidatedLicense>
  /**
   * The public keys for `verifyLease`. Store them, or ship them with your app: they change when the
   * service rotates its keys, so read them again whenever there is a network.
   */
  leaseKeys(): Promise<PublicKey[]>
  /**
   * The license of the `svc_order` in your return address. While the payment is pending, it waits
   * and retries for up to `wait_seconds` (default 5; NaN is 0), then returns
   * `status: 'processing'`: show the buyer a waiting page and call it again later. Throws
   * `unknown_order` for a reference that is forged, expired or of another app.
   */
  order(
    ref: string,
    options?: { wait_seconds?: number | undefined },
  ): Promise<OrderLicense | ProcessingOrder>
  /**
   * What the user of an access token may use, for apps with hosted sign-in. Throws `invalid_token`
   * for a token that is missing, expired or revoked, `insufficient_scope`, and
   * ServiceNotEnabledError while the add-on is off. Needs no `client_secret`.
   */
  entitlement(access_token: string, options?: CallOptions): Promise<Entitlement>
  /**
   * Replaces a leaked key and returns the new one, once. Never retried automatically: pass an
   * `idempotency_key` to be able to repeat a call whose response was lost. `reason` is stored in
   * the audit log. Throws `unknown_license` and `license_canceled`.
   */
  regenerateKey(
    license_id: string,
    options?: { reason?: string | undefined; idempotency_key?: string | undefined },
  ): Promise<RegeneratedKey>
}

/**
 * Creates the client of one app. Throws TypeError for an invalid base_url or client_id; its calls
 * throw PurserError. The secret is kept in a closure, so that no log and no inspection can show it.
 */
export function createClient(options: ClientOptions): Client {
  const { client_id, client_secret, fetch, timeout_ms, max_in_flight } = options
  const base_url = serviceAddress(options.base_url)
  const app_path = pathPart(client_id)
  if (app_path === null) throw new TypeError('client_id must not be empty')
  const send = createTransport({ fetch, timeout_ms, max_in_flight })
  const share = createFlights<Answer>(timeout_ms ?? TIMEOUT_MS)

  const askAsApp = (path: string, call: Omit<Call, 'url'>) => {
    const headers = { ...call.headers, authorization: basic(client_id, client_secret) }
    return send({ ...call, headers, url: `${base_url}/api/v1${path}` })
  }
  const askPublic = (path: string) => {
    const url = `${base_url}/api/v1/public/apps/${app_path}${path}/`
    return send({ method: 'GET', url, repeatable: true, limit: 'public' })
  }

  return Object.freeze<Client>({
    base_url,
    client_id,

    app: async () => named<AppProfile>(await askPublic('')),

    prices: async () => named<Prices>(await askPublic('/prices')),

    async validate(key, { retries, lease } = {}) {
      const body = { key: readableKey(key), ...(lease !== undefined && { lease }) }
      const call = { method: 'POST', body, repeatable: true, retries, limit: 'validate' } as const
      const id = `validate ${retries} ${JSON.stringify(body)}`
      const flight = share(id, () => askAsApp('/licenses/validate', call))
      return gated<ValidatedLicense>(await flight)
    },

    leaseKeys: async () => [...(await createIssuer(`${base_url}/o`, send).keys(true))],

    async order(ref, { wait_seconds = 5 } = {}) {
      const path = `/orders/${pathPart(ref) ?? refuse('unknown_order', 'order reference')}`
      const give_up_at = Date.now() + (wait_seconds || 0) * 1000
      for (;;) {
        const answer = await askAsApp(path, { method: 'GET', repeatable: true, limit: 'orders' })
        if (answer.status !== 202) return gated<OrderLicense>(answer)
        const retry_after = Math.max(answer.retry_after, 0.25)
        const wait_ms = retry_after * 1000
        if (Date.now() + wait_ms > give_up_at) return { status: 'processing', retry_after }
        await sleep(wait_ms)
      }
    },

    async entitlement(access_token, { retries } = {}) {
      if (!/^[\w.~+/=-]{1,8192}$/.test(access_token)) refuse('invalid_token', 'access token', 401)
      const headers = { authorization: `Bearer ${access_token}` }
      const url = `${base_url}/licensing/entitlement/`
      const call = { method: 'GET', url, headers, repeatable: true, retries } as const
      const flight = share(`entitlement ${retries} ${access_token}`, () => send(call))
      return gated<Entitlement>(await flight)
    },

    async regenerateKey(license_id, { reason, idempotency_key } = {}) {
      const part = pathPart(license_id) ?? refuse('unknown_license', 'license id')
      const answer = await askAsApp(`/licenses/${part}/regenerate-key`, {
        method: 'POST',
        ...(reason !== undefined && { body: { reason } }),
        ...(idempotency_key !== undefined && { headers: { 'idempotency-key': idempotency_key } }),
        repeatable: false,
        limit: 'regenerate',
      })
      return gated<RegeneratedKey>(answer)
    },
  })
}

/** The object of a response, for its caller alone; an object without `entitled` is no license. */
function gated<State extends { entitled: boolean }>({ status, body }: Answer): State {
  if (typeof body.entitled !== 'boolean') throw unexpected(status)
  return { ...body } as State
}

/** The object of a public response; an object of another program names no client. */
function named<State extends { client_id: string }>({ status, body }: Answer): State {
  if (typeof body.client_id !== 'string') throw unexpected(status)
  return body as State
}

/** The service reads a key with a NUL, or one too long for its body, in no request. */
function readableKey(key: string): string {
  if (/\0|.{8192}/s.test(key)) refuse('unknown_key', 'license key')
  return trimKey(key)
}

/**
 * HTTP Basic by RFC 6749, section 2.3.1: both halves form-encoded, then joined. A secret that is
 * read from a file ends with a line break.
 */
export function basic(client_id: string, client_secret: string | undefined): string {
  if (!client_id) throw new TypeError('client_id must not be empty')
  if (!client_secret) throw new TypeError('this call needs the client_secret of the app')
  return `Basic ${btoa(`${formEncode(client_id)}:${formEncode(client_secret.trim())}`)}`
}

function formEncode(value: string): string {
  return new URLSearchParams({ '': value }).toString().slice(1)
}

/** What the service would return: a value that fits in no path was never issued. */
function refuse(code: string, noun: string, status = 404): never {
  throw new PurserError(`This is not a valid ${noun}.`, { status, code })
}
