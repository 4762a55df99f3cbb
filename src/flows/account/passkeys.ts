import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { mintId, type PasskeyId } from '#platform/ids'
import { plainLine } from '#platform/text'
import { auditAndNotify, type Owner } from './audit.ts'
import { codesForFirstFactor, deleteRecoveryCodes } from './recovery-codes.ts'
import { endAllOtherSessions, inOwnSession } from './sessions.ts'

const CHALLENGE_BYTES = 32
const MAX_NAME_LENGTH = 60

/** Returns the options with which the browser creates a new passkey. */
export async function passkeyCreationOptions(
  { db, clock, random, config }: World,
  { user_id, email }: Owner,
  browser_hash: Buffer,
): Promise<object> {
  const bytes = random.bytes(CHALLENGE_BYTES)
  const challenge = bytes.toString('base64url')
  const facts = { challenge, purpose: 'add', user_id, browser_hash } as const
  await identity.addChallenge(db, clock.now(), facts)
  const known = await identity.listPasskeys(db, user_id)
  const { base_url } = config
  return await identity.creationOptions({ base_url, user_id, email, challenge: bytes, known })
}

/** Stores the passkey that a browser created; undefined if its response does not verify. */
export async function addPasskey(
  world: World,
  owner: Owner,
  facts: { text: string; name: string; browser_hash: Buffer },
): Promise<{ recovery_codes: string[] | undefined } | undefined> {
  const { db, clock, random, config } = world
  const { user_id } = owner
  const answer = identity.readPasskeyAnswer(facts.text)
  if (!answer) return undefined
  const now = clock.now()
  const { challenge } = answer
  const { browser_hash } = facts
  const requested = { challenge, purpose: 'add', user_id, browser_hash } as const
  if (!(await identity.useChallenge(db, now, requested))) return undefined
  const made = await identity.verifyCreation(config.base_url, answer)
  if (!made) return undefined
  const name = plainLine(facts.name).slice(0, MAX_NAME_LENGTH).toWellFormed() || 'Passkey'
  return await inOwnSession(world, owner, async (tx) => {
    const passkey = { ...made, id: mintId(random, 'psk'), user_id, name }
    if (!(await identity.addPasskey(tx, now, passkey))) return undefined
    await endAllOtherSessions(tx, now, owner)
    const recovery_codes = await codesForFirstFactor(world, tx, now, user_id)
    await auditAndNotify(world, tx, now, { owner, what: 'passkey_added', detail: { name } })
    return { recovery_codes }
  })
}

/** Removes a passkey: its device can no longer sign in. */
export async function removePasskey(
  world: World,
  owner: Owner,
  passkey_id: PasskeyId,
): Promise<void> {
  const { user_id } = owner
  const now = world.clock.now()
  await inOwnSession(world, owner, async (tx) => {
    const name = await identity.removePasskey(tx, { user_id, passkey_id })
    if (name === undefined) return
    await endAllOtherSessions(tx, now, owner)
    await deleteRecoveryCodes(tx, user_id)
    await auditAndNotify(world, tx, now, { owner, what: 'passkey_removed', detail: { name } })
  })
}
