import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import type { World } from '#flows/world'
import { etagOf } from '#http/etag'
import { readId } from '#platform/ids'
import { writePrices, writeProfile } from './wire.ts'

/** Prepared JSON with its ETag and its headers. */
interface Ready {
  json: string
  etag: string
  headers: Record<string, string>
}

/** The header of every answer, for browsers and proxies. */
export const CACHED = { 'cache-control': 'public, max-age=60' }

interface CacheEntry {
  profile: Ready
  prices: Ready
  /** Milliseconds of the service's clock. */
  loaded_at: number
}

// The database announces each change of an app, product or price here (migration 004).
const APP_CHANGED = 'app_changed'

// An announcement can be lost with its connection.
const MAX_AGE_MS = 60_000

// Far more apps than a process serves in a minute; the oldest entries are evicted.
const MAX_ENTRIES = 10_000

/**
 * Responses of the public endpoints, cached until their app changes. The transaction of a
 * change announces it, which empties the app's entry in every process; a response read at that
 * moment is sent but not cached. If announcements may have been lost, all entries are dropped. No
 * entry is older than a minute.
 */
export async function openCatalogCache(world: World) {
  const entries = new Map<string, CacheEntry>()
  // Counts changes, so that a read that a change overtook is not cached.
  let changes = 0
  await world.db.listen(
    APP_CHANGED,
    (app_id) => {
      changes++
      entries.delete(app_id)
    },
    () => {
      changes++
      entries.clear()
    },
  )

  // Setting the clock back does not extend an entry's life.
  const isFresh = ({ loaded_at }: CacheEntry) => {
    const age = world.clock.now().getTime() - loaded_at
    return age >= 0 && age < MAX_AGE_MS
  }

  return {
    /** The cached responses of an app, if there are any. */
    kept(client_id: string): CacheEntry | undefined {
      const entry = entries.get(client_id)
      return entry && isFresh(entry) ? entry : undefined
    },
    /** The responses of an app that is published, from the database. */
    async read(client_id: string): Promise<CacheEntry | undefined> {
      const before = changes
      const entry = await load(world, client_id)
      if (!entry || changes !== before) return entry
      // An entry that is set again would keep its place among the oldest.
      entries.delete(client_id)
      if (entries.size >= MAX_ENTRIES) entries.delete(entries.keys().next().value!)
      entries.set(client_id, entry)
      return entry
    },
  }
}

async function load(
  { db, config, clock }: World,
  client_id: string,
): Promise<CacheEntry | undefined> {
  const app_id = readId('app', client_id)
  const loaded_at = clock.now().getTime()
  const app = app_id && (await apps.findPriced(db, app_id))
  if (!app) return undefined
  const products = await catalog.products(db, app.id)
  const prices = await catalog.livePrices(db, app.id)
  return {
    profile: ready(writeProfile(config.base_url, app)),
    prices: ready(writePrices(config.base_url, app, products, prices)),
    loaded_at,
  }
}

function ready(value: object): Ready {
  const text = JSON.stringify(value)
  const etag = etagOf(text)
  return { json: text, etag, headers: { ...CACHED, etag } }
}
