import * as identity from '#domain/identity'
import { addPasskey, type Owner, passkeyCreationOptions, removePasskey } from '#flows/account'
import { finishSignIn, passkeyRequestOptions, signIn, signInWithPasskey } from '#flows/sign-in'
import type { UserId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { SoftPasskey } from '../support/soft-passkey.ts'
import type { KnownSession, RecordedPasskey, RecordedSignature } from './access-record.ts'
import { ORIGIN } from './account-actions.ts'
import type { RecordedEntry } from './factor-record.ts'
import { begin, changeSecurity, DEVICE, proveBy, recordSession, take } from './factor-steps.ts'
import type { Fixture } from './fixture.ts'

const BROWSER = sha256('a browser')

/** A device creates a passkey for the owner of an account; what its browser then sends. */
export async function createPasskey(
  fixture: Fixture,
  owner: Owner,
  { is_counting }: Pick<RecordedPasskey, 'is_counting'>,
): Promise<{ passkey: RecordedPasskey; text: string }> {
  const { world, record } = fixture
  const device = new SoftPasskey()
  const passkey = { user_id: owner.user_id, device, is_counting }
  record.passkeys.push(passkey)
  const options = await passkeyCreationOptions(world, owner, BROWSER)
  const origin = world.config.base_url
  return { passkey, text: device.create(options as never, { origin }) }
}

/** Adds a passkey that a device created. */
export async function submitPasskey(
  fixture: Fixture,
  owner: Owner,
  { passkey, text }: { passkey: RecordedPasskey; text: string },
): Promise<string> {
  const { world, record } = fixture
  const { user_id } = owner
  let codes: string[] | undefined
  const asked = { what: 'passkey_added', owner, passkey } as const
  const made = await changeSecurity(fixture, asked, async () => {
    const facts = { text, name: 'A device', browser_hash: BROWSER }
    const added = await addPasskey(world, owner, facts)
    codes = added?.recovery_codes
    return { is_made: added !== undefined, outcome: added ? 'added' : 'not added' }
  })
  if (codes) record.recovery_codes.push({ user_id, codes, made })
  return made.outcome
}

/** Removes a passkey of an account, as it is listed. */
export async function remove(
  fixture: Fixture,
  owner: Owner,
  passkey: RecordedPasskey,
): Promise<string> {
  const { world, harness } = fixture
  const found = await identity.findPasskey(harness.db, passkey.device.id)
  if (!found) return 'not listed'
  const asked = { what: 'passkey_removed', owner, passkey } as const
  const { outcome } = await changeSecurity(fixture, asked, async () => {
    await removePasskey(world, owner, found.id)
    return { is_made: true, outcome: 'removed' }
  })
  return outcome
}

/** What a device signed for an account, before its browser sends it. */
export type Signed = Pick<
  RecordedSignature,
  'purpose' | 'passkey' | 'text' | 'counter' | 'is_verified' | 'challenged_at' | 'user_id'
>

/** A device signs a challenge: as the next signature of its passkey, or after another number. */
export async function signBy(
  { world }: Fixture,
  passkey: RecordedPasskey,
  asked: Pick<Signed, 'purpose' | 'is_verified' | 'user_id'> & { after?: number },
): Promise<Signed> {
  const { purpose, is_verified, user_id, after } = asked
  const { device, is_counting } = passkey
  const challenged_at = world.clock.now()
  const of = purpose === 'sign_in' ? null : user_id
  const request = { purpose, user_id: of, browser_hash: BROWSER }
  const options = await passkeyRequestOptions(world, request)
  const last = device.counter
  device.counter = is_counting ? (after ?? last) : -1
  const manner = { origin: world.config.base_url, verified: is_verified }
  const text = device.get(options as never, manner)
  const { counter } = device
  device.counter = Math.max(last, counter)
  return { purpose, passkey, text, counter, is_verified, challenged_at, user_id }
}

const answerOf = ({ text }: Signed) => ({ kind: 'passkey' as const, text, browser_hash: BROWSER })

function recorded(fixture: Fixture, signed: Signed): RecordedSignature {
  const signature = { ...signed, ...begin(fixture, signed.user_id) }
  fixture.record.signatures.push(signature)
  return signature
}

interface Presented {
  outcome: string
  session?: KnownSession
}

/** Signs in with a passkey alone. */
export async function signInBy(fixture: Fixture, signed: Signed): Promise<Presented> {
  const { world } = fixture
  const signature = recorded(fixture, signed)
  let opened: { user_id: UserId; token: string } | undefined
  const { outcome, at, until } = await take(fixture, signature, async () => {
    const { text } = signed
    const facts = { text, browser_hash: BROWSER, origin: ORIGIN }
    const { outcome: said, ...signer } = await signInWithPasskey(world, facts)
    if (!('user_id' in signer)) return said
    const way = { app_id: null, return_to: undefined, is_complete: true, by: 'passkey' } as const
    const entered = await signIn(world, { ...signer, ...way }, { device: DEVICE, origin: ORIGIN })
    if (entered.kind !== 'session') return entered.kind
    opened = { user_id: signer.user_id, token: entered.token }
    return 'signed_in'
  })
  return {
    outcome,
    ...(opened && { session: recordSession(fixture, opened, { at, until: until! }) }),
  }
}

/** Finishes a sign-in with a passkey as the second factor. */
export async function finishBy(
  fixture: Fixture,
  entry: RecordedEntry,
  signed: Signed,
): Promise<Presented> {
  const { world } = fixture
  const signature = Object.assign(recorded(fixture, signed), { entry })
  const { user_id, token } = entry
  let opened: string | undefined
  const { outcome, at, until } = await take(fixture, signature, async () => {
    const facts = { token: token!, answer: answerOf(signed), device: DEVICE, origin: ORIGIN }
    const finished = await finishSignIn(world, facts)
    if (finished.outcome === 'signed_in') opened = finished.token
    return finished.outcome
  })
  if (!opened) return { outcome }
  return {
    outcome,
    session: recordSession(fixture, { user_id, token: opened }, { at, until: until! }),
  }
}

/** Proves with a passkey who is the owner of a session. */
export async function confirmBy(
  fixture: Fixture,
  proof: { known: KnownSession; session: identity.Session },
  signed: Signed,
): Promise<Presented> {
  const signature = recorded(fixture, signed)
  return await proveBy(fixture, signature, { ...proof, factor: answerOf(signed) })
}
