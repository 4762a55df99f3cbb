/** The Driftlog server and its options. */
import { createClient } from '@purser/client'
import { livePrices } from '../shared/prices.ts'
import { createSite, listen } from '../shared/site.ts'
import { createPlans } from './plans.ts'
import { addRoutes } from './routes.tsx'
import { createSignIn } from './sign-in.ts'
import { createVisitors } from './visitors.ts'

export type DriftlogOptions = {
  /** Purser's URL, and the app's credentials. */
  base_url: string
  client_id: string
  client_secret: string
  /** The `product_public_id`s of the plans that open the week ahead. They never change. */
  paid_products: string[]
  /** 0 takes a free port. */
  port: number
  host: string
  /** The URL of this site in browsers, if it differs from the address it listens on. */
  public_url?: string | undefined
  /** For how long prices may be cached. Default 60. */
  max_age_seconds?: number | undefined
}

export type Driftlog = { url: string; close(): Promise<void> }

/** Starts the site; resolves when it listens. */
export async function startDriftlog(options: DriftlogOptions): Promise<Driftlog> {
  const { base_url, client_id, client_secret, max_age_seconds = 60, public_url } = options
  const client = createClient({ base_url, client_id, client_secret, timeout_ms: 5_000 })
  const sign_in = createSignIn({ base_url, client_id, client_secret })
  const secure = public_url?.startsWith('https:') ?? false
  const { app, send } = await createSite({
    brand: { name: 'Driftlog', line: 'low water and a log for beachcombers' },
    secure,
    // Signing out is a form on this site, which leads to Purser.
    form_origins: [new URL(base_url).origin],
  })
  addRoutes(app, {
    client,
    send,
    sign_in,
    plans: createPlans({ base_url, sign_in, paid_products: options.paid_products }),
    prices: livePrices(client, max_age_seconds),
    visitors: createVisitors({ secure }),
    address: () => site.url,
  })
  const site: Driftlog = { url: '', close: () => app.close() }
  site.url = await listen(app, options)
  return site
}
