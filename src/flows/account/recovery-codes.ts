import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { auditAndNotify, type Owner } from './audit.ts'
import { inOwnSession } from './sessions.ts'

/** Creates ten new recovery codes, to be shown once; undefined if there is no second factor. */
export async function remakeRecoveryCodes(
  world: World,
  owner: Owner,
): Promise<string[] | undefined> {
  const now = world.clock.now()
  return await inOwnSession(world, owner, async (tx) => {
    const factors = await identity.factorsOf(tx, owner.user_id)
    if (!identity.owesFactor(factors)) return undefined
    const made = await makeRecoveryCodes(world, tx, now, owner.user_id)
    await auditAndNotify(world, tx, now, { owner, what: 'recovery_codes_made' })
    return made
  })
}

/**
 * The first second factor comes with recovery codes: without them, a lost phone would lock the
 * owner out.
 */
export async function codesForFirstFactor(
  world: World,
  tx: Db,
  now: Date,
  user_id: UserId,
): Promise<string[] | undefined> {
  const { recovery_codes } = await identity.factorsOf(tx, user_id)
  return recovery_codes > 0 ? undefined : await makeRecoveryCodes(world, tx, now, user_id)
}

/** Deletes the recovery codes of an account that no longer has a second factor. */
export async function deleteRecoveryCodes(tx: Db, user_id: UserId): Promise<void> {
  const factors = await identity.factorsOf(tx, user_id)
  if (!identity.owesFactor(factors)) await identity.dropRecoveryCodes(tx, user_id)
}

async function makeRecoveryCodes(
  { random, keys }: World,
  tx: Db,
  now: Date,
  user_id: UserId,
): Promise<string[]> {
  const codes = identity.mintRecoveryCodes(random)
  const code_hashes = codes.map((code) => identity.recoveryCodeHashes(keys, user_id, code)[0]!)
  await identity.replaceRecoveryCodes(tx, now, { user_id, code_hashes })
  return codes
}
