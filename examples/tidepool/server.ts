/** Tidepool as a server: what it needs to know of Purser, and how it is opened. */
import { cachedValidator, createClient } from '@purser/client'
import { livePrices } from '../shared/prices.ts'
import { createSite, listen } from '../shared/site.ts'
import { addRoutes } from './routes.tsx'
import { createVisitors } from './visitors.ts'

export type TidepoolOptions = {
  /** Purser's address, and this app's credentials there. */
  base_url: string
  client_id: string
  client_secret: string
  /** 0 takes a free port. */
  port: number
  host: string
  /** Where browsers find this site, when that is not the address it listens on. */
  public_url?: string | undefined
  /** How long prices and a verified license may be kept before they are asked for again. Default 60. */
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
