/** Tidepool in front of a fake service: the cast of the demo, and a browser's jar of cookies. */
import {
  startTidepool,
  type Tidepool,
  type TidepoolOptions,
} from '../../examples/tidepool/server.ts'
import { type FakeService, license, type Reply, refusal, startFakeService } from './fake-service.ts'

export const key = 'key_Tz4mQ81LcKx0pVw7'
const price = { currency: 'usd', is_recurring: true, frequency: null as string | null }
const pro = { ...price, product_id: 'prod_pro', product_name: 'Pro' }
const lifetime = {
  ...price,
  product_id: 'prod_life',
  product_name: 'Lifetime',
  is_recurring: false,
}

export const prices = {
  client_id: 'app_tidepool',
  app_name: 'Tidepool',
  has_free_tier: true,
  prices: [
    { ...pro, public_id: 'prc_month', amount: '12.00', frequency: 'month' },
    { ...pro, public_id: 'prc_year', amount: '96.00', frequency: 'year' },
    { ...lifetime, public_id: 'prc_once', amount: '180.00' },
  ],
}

/** What the fake service says; a test changes the parts it is about. */
export type ServiceReplies = { prices: Reply; validate: Reply; order: Reply }

export type TidepoolTest = AsyncDisposable & {
  replies: ServiceReplies
  service: FakeService
  tidepool: Tidepool
}

export async function openTidepoolTest(
  options: Partial<TidepoolOptions> = {},
): Promise<TidepoolTest> {
  const replies: ServiceReplies = {
    prices: { body: prices },
    validate: { body: license({ period_end: '2026-04-01' }) },
    order: { body: license({ period_end: '2026-04-01', license_key: key }) },
  }
  const service = await startFakeService(({ path }) => {
    if (path.endsWith('/prices/')) return replies.prices
    if (path === '/api/v1/licenses/validate') return replies.validate
    if (path.startsWith('/api/v1/orders/')) return replies.order
    return refusal(404, 'not_found')
  })
  const credentials = { client_id: 'app_tidepool', client_secret: 'sVeryPrivate0123456789' }
  const address = { base_url: service.url, port: 0, host: '127.0.0.1' }
  const tidepool = await startTidepool({
    ...credentials,
    ...address,
    max_age_seconds: 0,
    ...options,
  })
  return {
    replies,
    service,
    tidepool,
    async [Symbol.asyncDispose]() {
      await tidepool.close()
      await service[Symbol.asyncDispose]()
    },
  }
}

export type Visitor = ReturnType<typeof visitorOf>

/** A browser without scripts: it keeps cookies, does not follow redirects, and names its origin. */
export function visitorOf(address: string) {
  const jar = new Map<string, string>()
  async function visit(path: string, init: RequestInit = {}) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const url = new URL(path, address)
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { cookie, ...(init.headers as Record<string, string>) },
    })
    const set = response.headers.getSetCookie()
    for (const one of set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    const { status, headers } = response
    return { status, headers, set, location: headers.get('location'), page: await response.text() }
  }
  return {
    jar,
    get: (path: string) => visit(path),
    post: (path: string, form: Record<string, string>, origin: string | null = address) =>
      visit(path, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers: origin === null ? {} : { origin },
      }),
    /** The return address that the first Buy link of the home page carries, with an order on it. */
    async returnPath(svc_order: string) {
      const { page } = await visit('/')
      const link = /href="([^"]*\/buy\/[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const next = new URL(new URL(link).searchParams.get('next') ?? '')
      next.searchParams.set('svc_order', svc_order)
      return next.pathname + next.search
    },
  }
}
