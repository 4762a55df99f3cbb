import { isDeepStrictEqual } from 'node:util'
import * as apps from '#domain/apps'
import { lockOwnApp } from '#flows/app-access'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { runOrDryRun } from '#platform/dry-run'
import { type AppId, type ChangeId, mintId } from '#platform/ids'
import type { FieldFault } from '#platform/problem'
import { mintSecret } from '#platform/secrets'

/** Addresses that were saved, or that a dry run would save. */
export interface SavedAddresses {
  addresses: apps.Addresses
  changed: { path: keyof apps.Addresses; before: unknown; after: unknown }[]
  removed: { kind: 'redirect_uri' | 'post_logout_redirect_uri'; id: null; name: string }[]
  /** The change's id in the log; null for a dry run, or where nothing changed. */
  change_id: ChangeId | null
}

const FIELDS = ['oauth_login_url', 'redirect_uris', 'post_logout_redirect_uris'] as const
const LISTS = [
  ['redirect_uris', 'redirect_uri'],
  ['post_logout_redirect_uris', 'post_logout_redirect_uri'],
] as const

/**
 * Saves the given addresses of an app, or none of them if one has a fault (spec:
 * update_integration_settings). A given list replaces the stored list.
 */
export async function saveAddresses(
  { db, clock, random }: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: { app: Pick<apps.App, 'id'>; changes: Partial<apps.Addresses>; dry_run?: boolean },
): Promise<SavedAddresses | { faults: FieldFault[] }> {
  const { changes, dry_run = false } = facts
  const now = clock.now()
  return await runOrDryRun(db, { dry_run }, async (tx) => {
    // As it is now: its website may have moved.
    const app = await lockOwnApp(tx, actor, facts.app.id)
    const client = await apps.lockClientOf(tx, app.id)
    const before = addressesOf(app, client)
    // Addresses that are not changed were valid when they were saved, so they are not reported.
    const faults = apps
      .addressFaults(app, { ...before, ...changes })
      .filter(({ path }) => FIELDS.some((name) => name in changes && path.startsWith(name)))
    if (faults.length > 0) return { faults }
    const addresses = { ...before, ...withoutRepeats(changes) }
    const changed = FIELDS.filter((name) => !isDeepStrictEqual(before[name], addresses[name])).map(
      (path) => ({
        path,
        before: before[path],
        after: addresses[path],
      }),
    )
    const removed = LISTS.flatMap(([list, kind]) =>
      before[list]
        .filter((address) => !addresses[list].includes(address))
        .map((name) => ({ kind, id: null, name })),
    )
    if (changed.length === 0) return { addresses, changed, removed, change_id: null }
    await apps.setLoginUrl(tx, app.id, addresses.oauth_login_url)
    await apps.setRedirectLists(tx, client.client_id, addresses)
    const id = mintId(random, 'chg')
    const action = 'integration.updated'
    await apps.recordChange(tx, now, {
      id,
      app_id: app.id,
      actor,
      action,
      before,
      after: addresses,
    })
    return { addresses, changed, removed, change_id: dry_run ? null : id }
  })
}

/** The same addresses, each once in its list. */
function withoutRepeats(changes: Partial<apps.Addresses>): Partial<apps.Addresses> {
  const lists = LISTS.flatMap(([name]) => {
    const list = changes[name]
    return list ? [[name, [...new Set(list)]] as const] : []
  })
  return { ...changes, ...Object.fromEntries(lists) }
}

function addressesOf({ oauth_login_url }: apps.App, client: apps.AppClient) {
  const { redirect_uris, post_logout_redirect_uris } = client
  return { oauth_login_url, redirect_uris, post_logout_redirect_uris }
}

/**
 * Creates a new client secret for an app. The old one stops at once, and the new one is returned
 * here only. Undefined where `replaces` does not name the current secret: a form that is submitted
 * twice replaces one secret.
 */
export async function rotateSecret(
  world: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: { app_id: AppId; replaces: string },
): Promise<string | undefined> {
  return await world.db.tx(async (tx) => {
    await lockOwnApp(tx, actor, facts.app_id)
    const client = await apps.lockClientOf(tx, facts.app_id)
    if (apps.secretName(client) !== facts.replaces) return undefined
    return (await replaceSecret(world, tx, actor, { ...facts, client })).client_secret
  })
}

/** A client secret that waits to be claimed. */
export interface RotatedSecret {
  client_id: string
  /** Whether it replaced one. */
  had_secret: boolean
  /** Undefined for a dry run. */
  made: { claim: apps.SecretClaim; change_id: ChangeId } | undefined
}

/**
 * Creates a new client secret that the agent never sees: the result is a claim URL with which the
 * secret can be fetched once (spec: regenerate_client_secret).
 */
export async function rotateToClaim(
  world: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: { app_id: AppId; dry_run: boolean },
): Promise<RotatedSecret> {
  const { app_id, dry_run } = facts
  return await runOrDryRun(world.db, { dry_run }, async (tx) => {
    await lockOwnApp(tx, actor, app_id)
    const client = await apps.lockClientOf(tx, app_id)
    const { client_id, secret_hash } = client
    const { client_secret, change_id } = await replaceSecret(world, tx, actor, { app_id, client })
    const secret = { client_id, client_secret }
    const claim = await apps.openClaim(tx, world.clock.now(), world, secret)
    const made = dry_run ? undefined : { claim, change_id }
    return { client_id, had_secret: secret_hash !== null, made }
  })
}

async function replaceSecret(
  { clock, random }: World,
  tx: Db,
  actor: ActorOf<'seller' | 'agent'>,
  { app_id, client }: { app_id: AppId; client: apps.AppClient },
): Promise<{ client_secret: string; change_id: ChangeId }> {
  const client_secret = mintSecret(random)
  const id = mintId(random, 'chg')
  await apps.replaceSecret(tx, client.client_id, client_secret)
  await apps.endClaims(tx, client.client_id)
  const isFirst = client.secret_hash === null
  const action = isFirst ? 'integration.secret_created' : 'integration.secret_rotated'
  await apps.recordChange(tx, clock.now(), {
    id,
    app_id,
    actor,
    action,
    before: {},
    after: {},
  })
  return { client_secret, change_id: id }
}

/** Turns an app's hosted sign-in add-on on or off (spec: What the service does, 6). */
export async function switchAddOn(
  { db, clock }: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: { app_id: AppId; to: 'on' | 'off' },
): Promise<void> {
  const { app_id, to } = facts
  const now = clock.now()
  const change = to === 'on' ? apps.enableAddOn : apps.disableAddOn
  await db.tx(async (tx) => {
    await lockOwnApp(tx, actor, app_id)
    if (!(await change(tx, now, app_id))) return
    await audit(tx, now, {
      actor,
      action: to === 'on' ? 'app.add_on_enabled' : 'app.add_on_disabled',
      subject: app_id,
    })
  })
}

/** Allows an app's buyers to pause their subscriptions, or stops allowing it. */
export async function allowPauses(
  { db, clock }: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: { app_id: AppId; to: 'on' | 'off' },
): Promise<void> {
  const { app_id, to } = facts
  const now = clock.now()
  await db.tx(async (tx) => {
    await lockOwnApp(tx, actor, app_id)
    if (!(await apps.setAllowsPause(tx, app_id, to === 'on'))) return
    await audit(tx, now, {
      actor,
      action: to === 'on' ? 'app.pauses_allowed' : 'app.pauses_refused',
      subject: app_id,
    })
  })
}
