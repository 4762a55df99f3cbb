import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { mintId, type SellerId } from '#platform/ids'
import type { FieldFault } from '#platform/problem'

/** More suggests an error or an attack. Support can raise the limit. */
const MAX_APPS = 100
const MAX_SLUGS = 50

/**
 * Creates an app that is not published, with a client that has no secret yet; or every fault of the
 * entered name and website. The Login URL is the website until it is set.
 */
export async function createApp(
  world: World,
  actor: ActorOf<'seller'>,
  facts: { seller_id: SellerId; name: string; url: string },
): Promise<{ slug: string } | { faults: FieldFault[] }> {
  const { db, clock } = world
  const name = facts.name.replace(/\s+/g, ' ').trim()
  const url = apps.readWebsite(facts.url)
  const faults = apps.detailsFaults({ name, url, slug: apps.slugOf(name) })
  if (faults.length > 0) return { faults }
  const now = clock.now()
  return await db.tx(async (tx) => {
    const fault = await refusalOf(tx, { ...facts, name })
    if (fault) return { faults: [{ path: 'name', message: fault }] }
    const app = await addUnderFreeSlug(world, tx, { seller_id: facts.seller_id, name, url })
    const client = { client_id: app.id, app_id: app.id, client_secret: null }
    await apps.addClient(tx, now, client)
    const detail = { name, url, slug: app.slug }
    await audit(tx, now, { actor, action: 'app.created', subject: app.id, detail })
    return { slug: app.slug }
  })
}

/** Why a seller may not add this app: its form was sent twice, or there are too many. */
async function refusalOf(tx: Db, { seller_id, name }: { seller_id: SellerId; name: string }) {
  const own = await apps.lockNames(tx, seller_id)
  if (own.some((each) => each.toLowerCase() === name.toLowerCase())) {
    return 'You already have an app with this name.'
  }
  return own.length < MAX_APPS ? undefined : `A seller can have at most ${MAX_APPS} apps.`
}

async function addUnderFreeSlug(
  { clock, random }: World,
  tx: Db,
  facts: { seller_id: SellerId; name: string; url: string },
): Promise<apps.NewApp> {
  for (let number = 1; number <= MAX_SLUGS; number++) {
    const app: apps.NewApp = {
      ...facts,
      id: mintId(random, 'app'),
      slug: apps.slugOf(facts.name, number),
      tagline: '',
      description: '',
      oauth_login_url: facts.url,
      listing_mode: 'marketplace',
      is_published: false,
      external_sales_enabled: false,
    }
    if (await apps.add(tx, clock.now(), app)) return app
  }
  throw new Error(`every slug of ${facts.name} is taken`)
}
