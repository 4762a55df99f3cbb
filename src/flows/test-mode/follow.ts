import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { LiveMode, World } from '#flows/world'
import type { Db } from '#platform/db'
import type { SessionId } from '#platform/ids'
import { readInPages } from '#platform/read-in-pages'
import { mirror } from './mirror.ts'

/**
 * Copies again every seller whose members use test mode, so that a member who was removed in live
 * mode loses access within a minute, without anyone entering. So does a person who signed out of
 * live mode, or whose sessions ended there with a new password; agents lose theirs with it. A
 * seller or an app that staff suspend there is suspended here too, also while no member uses test
 * mode.
 */
export async function followLive(world: World, live: LiveMode): Promise<void> {
  await followSessions(world, live)
  await followSuspensions(world, live)
  for (const seller_id of await sellers.sellersInUse(world.db)) {
    if (world.stopping.aborted) return
    await mirror(world, live, seller_id)
  }
}

/** Ends sessions here, with the access of agents, as signing out does (spec: Sign-in rules, 9). */
async function endEntered(tx: Db, live_session_ids: SessionId[]): Promise<void> {
  for (const user_id of await identity.endEntered(tx, live_session_ids)) {
    await grants.revokeAgents(tx, user_id)
  }
}

async function followSessions({ db, stopping }: World, live: LiveMode): Promise<void> {
  const pages = readInPages<SessionId, string>(
    ({ after = '', limit }) => identity.enteredFrom(db, { after, limit }),
    (id) => id,
  )
  for await (const ids of pages) {
    if (stopping.aborted) return
    const remaining = new Set(await live.sessions(ids))
    const ended = ids.filter((id) => !remaining.has(id))
    if (ended.length > 0) await db.tx((tx) => endEntered(tx, ended))
  }
}

/** Suspends what staff suspend in live mode, and reinstates the rest: test mode has no staff. */
async function followSuspensions({ db }: World, live: LiveMode): Promise<void> {
  const suspended = await live.suspended()
  const changed = await sellers.differentSuspensions(db, suspended.sellers)
  for (const { id, suspended_at } of changed) {
    await db.tx(async (tx) => {
      // In the order in which staff suspend a seller.
      await apps.lockAllOf(tx, id)
      await sellers.setSuspended(tx, id, suspended_at)
      await apps.setSellerSuspended(tx, id, suspended_at)
    })
  }
  for (const { id, suspended_at } of await apps.differentSuspensions(db, suspended.apps)) {
    await db.tx((tx) => apps.setSuspended(tx, id, suspended_at))
  }
}
