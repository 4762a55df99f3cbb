import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import * as grants from '#domain/grants'
import type { ReadSigningKeys } from '#flows/signing-keys'
import type { World } from '#flows/world'
import { openProvider } from './provider.ts'

/** The sign-in library with the current signing keys. */
export interface Library {
  provider: Provider
  keys: grants.Keys
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export type OpenLibrary = () => Promise<Library>

/** Opens the library on first use, and again when the signing keys or their order change. */
export function openLibrary(world: World, readKeys: ReadSigningKeys): OpenLibrary {
  let current: { library: Library; read: grants.Keys; order: string } | undefined
  return async () => {
    const keys = await readKeys()
    if (current?.read === keys) return current.library
    const { published } = grants.orderKeys(world.clock.now(), keys.signing)
    const order = published.map(({ id }) => id).join()
    if (current?.order === order) {
      current.read = keys
      return current.library
    }
    const provider = openProvider(world, keys)
    const answer = provider.callback() as unknown as Library['answer']
    current = { library: { provider, keys, answer }, read: keys, order }
    return current.library
  }
}
