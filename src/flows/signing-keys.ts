import * as grants from '#domain/grants'
import type { World } from '#flows/world'

/** Returns the current keys of hosted sign-in and of leases. */
export type ReadSigningKeys = () => Promise<grants.Keys>

const FRESH_MS = 60_000

/**
 * Reads the signing keys when they are first needed, and again when they change and once a minute.
 * The result is the same object until they were read again.
 */
export function openSigningKeys({ db, clock, keys, random }: World): ReadSigningKeys {
  let current: grants.Keys | undefined
  let reloadAt = 0
  let loading: Promise<grants.Keys> | undefined
  let changes = 0
  const forget = () => {
    changes++
    reloadAt = 0
  }
  // A listener that cannot connect tries again until it does, and forgets then.
  let listening: Promise<void> | undefined
  const load = async (): Promise<grants.Keys> => {
    listening ??= db.listen(grants.KEYS_CHANGED, forget, forget).catch(() => {})
    await listening
    const now = clock.now()
    const before = changes
    current = await grants.openKeys(db, now, { keys, random })
    // A change announced while the keys were read may not be among them yet.
    if (changes === before) reloadAt = now.getTime() + FRESH_MS
    return current
  }
  return () => {
    if (current && clock.now().getTime() < reloadAt) return Promise.resolve(current)
    loading ??= load().finally(() => {
      loading = undefined
    })
    return loading
  }
}
