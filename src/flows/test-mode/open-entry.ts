import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { mintSecret } from '#platform/secrets'

/**
 * Lets a member of a seller enter test mode, once, within a minute and in one browser; returns the
 * token.
 */
export async function openTestModeEntry(
  { db, clock, random }: World,
  entry: identity.TestModeEntry & Pick<identity.EntrySecret, 'browser'>,
): Promise<string> {
  const token = mintSecret(random)
  await identity.addTestModeEntry(db, clock.now(), { ...entry, token })
  return token
}
