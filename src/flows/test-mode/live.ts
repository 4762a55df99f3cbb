import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as listing from '#domain/listing'
import * as sellers from '#domain/sellers'
import type { LiveContent, LiveMode, LiveSeller, World } from '#flows/world'
import type { Db } from '#platform/db'
import type { AppId, SellerId } from '#platform/ids'

/** What the test mode beside a live world may read from it. */
export function liveModeOf({
  db,
  clock,
  storage,
}: Pick<World, 'db' | 'clock' | 'storage'>): LiveMode {
  return {
    async redeem(secret) {
      const entry = await identity.useTestModeEntry(db, clock.now(), secret)
      // Removed since the form was sent.
      return entry && (await sellers.memberOf(db, entry)) ? entry : undefined
    },
    seller: (id) => readSeller(db, id),
    sessions: (ids) => identity.liveSessions(db, clock.now(), ids),
    existing: (ids) => identity.existing(db, ids),
    suspended: async () => ({
      sellers: await sellers.suspended(db),
      apps: await apps.suspended(db),
    }),
    sellerOf: async (app_id) => (await apps.find(db, app_id))?.seller_id,
    content: (app_id) => readContent(db, app_id),
    file: (key) => storage.get(key),
  }
}

async function readSeller(db: Db, id: SellerId): Promise<LiveSeller | undefined> {
  const seller = await sellers.findSeller(db, id)
  if (!seller) return undefined
  const members: LiveSeller['members'] = []
  for (const { user_id, role } of await sellers.membersOf(db, id)) {
    const { email, email_normalized, email_verified_at, locked_at } = await identity.getUser(
      db,
      user_id,
    )
    if (locked_at) continue
    members.push({ id: user_id, email, email_normalized, email_verified_at, role })
  }
  const owned = [false, true].map((is_archived) =>
    apps.listOfSeller(db, { seller_id: id, is_archived }),
  )
  return {
    ...seller,
    terms: await sellers.acceptedTerms(db, id),
    members,
    apps: (await Promise.all(owned)).flat(),
    images: await apps.imagesOfSeller(db, id),
  }
}

async function readContent(db: Db, app_id: AppId): Promise<LiveContent> {
  return {
    products: await catalog.products(db, app_id),
    highlighted: await catalog.highlighted(db, app_id),
    prices: await catalog.livePrices(db, app_id),
    sections: await listing.sections(db, app_id),
    features: await listing.features(db, app_id),
    names: await listing.names(db, app_id),
  }
}
