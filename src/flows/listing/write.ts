import { isDeepStrictEqual } from 'node:util'
import * as apps from '#domain/apps'
import { lockOwnListing } from '#flows/app-access'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import type { Db } from '#platform/db'
import { commitIf } from '#platform/dry-run'
import { mintId } from '#platform/ids'
import type { FieldFault } from '#platform/problem'
import { differences } from './differences.ts'
import type { ListingWriteResult, RefusedWrite, Removed } from './write-result.ts'

/** The app to change, and how. */
export interface ListingWrite {
  app: Pick<apps.App, 'id'>
  /** True: everything is done and then rolled back, so the answer cannot differ from a real run. */
  dry_run: boolean
  /** The change that it undoes. */
  reverts?: string | undefined
  /** The part that the change was reviewed against: it is refused if that changed since. */
  basis?: Readonly<Record<string, unknown>> | undefined
}

const OUTDATED = 'This was changed after you reviewed it. Review it again.'

/** One kind of change. `Part` is what it changes; `State` is what the caller gets back. */
export interface ListingChange<Part extends object, State> {
  action: apps.ChangeAction
  read(tx: Db, app: apps.App): Promise<Part>
  /** Writes the change, or returns every reason why it cannot be written. */
  apply(tx: Db, now: Date, app: apps.App): Promise<{ faults: FieldFault[]; warnings?: string[] }>
  receipt(before: Part, after: Part): { removed: Removed[]; dead_buy_links?: string[] }
  state(tx: Db, app: apps.App): Promise<State>
}

/** Makes a change in one transaction with the app locked, and logs the states before and after. */
export async function writeListing<Part extends object, State>(
  world: World,
  actor: ActorOf<'seller' | 'agent'>,
  { app, dry_run, reverts, basis }: ListingWrite,
  change: ListingChange<Part, State>,
): Promise<ListingWriteResult<State> | RefusedWrite> {
  const now = world.clock.now()
  // A change that alters nothing is not logged, and no cache is invalidated.
  const isCommitted = (outcome: ListingWriteResult<State> | RefusedWrite) =>
    !dry_run && 'changed' in outcome && outcome.changed.length > 0
  return await commitIf(world.db, isCommitted, async (tx) => {
    const old = await lockOwnListing(tx, actor, app.id)
    const before = await change.read(tx, old)
    if (basis !== undefined && !isDeepStrictEqual(before, basis)) {
      const faults = Object.keys(before).map((path) => ({ path, message: OUTDATED }))
      return { faults, is_outdated: true }
    }
    const { faults, warnings = [] } = await change.apply(tx, now, old)
    if (faults.length > 0) return { faults }
    const fresh = await apps.get(tx, app.id)
    const after = await change.read(tx, fresh)
    const changed = differences(before, after)
    const state = await change.state(tx, fresh)
    const { removed, dead_buy_links = [] } = change.receipt(before, after)
    const written = { state, removed, change_id: null, dead_buy_links, changed, warnings }
    if (dry_run || changed.length === 0) return written
    const id = mintId(world.random, 'chg')
    const { action } = change
    await apps.recordChange(tx, now, { id, app_id: app.id, actor, action, before, after, reverts })
    return { ...written, change_id: id }
  })
}
