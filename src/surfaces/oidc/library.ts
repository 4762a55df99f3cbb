import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { openProvider } from './provider.ts'

/** The sign-in library with the current signing keys. */
export interface Library {
  provider: Provider
  keys: grants.Keys
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export type OpenLibrary = () => Promise<Library>

const FRESH_MS = 60_000

/** Opens the library on first use, and again when the signing keys change. */
export function openLibrary(world: World): OpenLibrary {
  const { db, clock, keys: ring, random } = world
  let current: { library: Library; order: string } | undefined
  let reloadAt = 0
  let loading: Promise<Library> | undefined
  let changes = 0
  const forget = () => {
    changes++
    reloadAt = 0
  }
  // A listener that cannot connect tries again until it does, and forgets then.
  const listening = db.listen(grants.KEYS_CHANGED, forget, forget).catch(() => {})
  const load = async (): Promise<Library> => {
    await listening
    const now = clock.now()
    const before = changes
    const keys = await grants.openKeys(db, now, { keys: ring, random })
    const order = grants
      .arrange(now, keys.signing)
      .published.map(({ id }) => id)
      .join()
    if (current?.order !== order) {
      const provider = openProvider(world, keys)
      const answer = provider.callback() as unknown as Library['answer']
      current = { library: { provider, keys, answer }, order }
    }
    // A change announced while the keys were read may not be among them yet.
    if (changes === before) reloadAt = now.getTime() + FRESH_MS
    return current.library
  }
  return () => {
    if (current && clock.now().getTime() < reloadAt) return Promise.resolve(current.library)
    loading ??= load().finally(() => {
      loading = undefined
    })
    return loading
  }
}
