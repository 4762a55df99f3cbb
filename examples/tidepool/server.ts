/** The Tidepool server and its options. */
import { cachedValidator, createClient } from '@purser/client'
import { livePrices } from '../shared/prices.ts'
import { createSite, listen } from '../shared/site.ts'
import { addRoutes } from './routes.tsx'
import { createVisitors } from './visitors.ts'

export type TidepoolOptions = {
  /** Purser's URL, and the app's credentials. */
  base_url: string
  client_id: string
  client_secret: string
  /** 0 takes a free port. */
  port: number
  host: string
  /** The URL of this site in browsers, if it differs from the address it listens on. */
  public_url?: string | undefined
  /** For how long prices and a validated license may be cached. Default 60. */
  max_age_seconds?: number | undefined
}

export type Tidepool = { url: string; close(): Promise<void> }

/** Starts the site; resolves when it listens. */
export async function startTidepool(options: TidepoolOptions): Promise<Tidepool> {
  const { base_url, client_id, client_secret, max_age_seconds = 60, public_url } = options
  const client = createClient({ base_url, client_id, client_secret, timeout_ms: 5_000 })
  const secure = public_url?.startsWith('https:') ?? false
  const brand = { name: 'Tidepool', line: 'tide tables for coast walkers' }
  const { app, send } = await createSite({ brand, secure })
  addRoutes(app, {
    client,
    send,
    licenses: cachedValidator(client, { max_age_seconds }),
    prices: livePrices(client, max_age_seconds),
    visitors: createVisitors({ secure }),
    address: () => site.url,
  })
  const site: Tidepool = { url: '', close: () => app.close() }
  site.url = await listen(app, options)
  return site
}
