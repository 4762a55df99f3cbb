import * as identity from '#domain/identity'
import type { Owner } from '#flows/account'
import type { UserId } from '#platform/ids'
import { openOwner } from '../support/account.ts'
import type { KnownSession, RecordedPasskey } from './access-record.ts'
import { enterAs, someOwner } from './factor-actions.ts'
import { isRecent, ownerOfSession, remakeCodes, turnOff } from './factor-steps.ts'
import { wasPasskey } from './factor-times.ts'
import type { Fixture } from './fixture.ts'
import { requestEmailChange, use } from './mailbox-actions.ts'
import { readNewestEmails } from './mailboxes.ts'
import {
  confirmBy,
  createPasskey,
  finishBy,
  remove,
  type Signed,
  signBy,
  signInBy,
  submitPasskey,
} from './passkey-steps.ts'
import type { SeededRandom } from './random.ts'

/** What people do with passkeys, with its relative frequency. */
export const PASSKEY_ACTIONS = [
  { name: 'add a passkey', weight: 4, act: addOne },
  { name: 'sign in with a passkey', weight: 9, act: signIn },
  { name: 'sign with a copied passkey', weight: 3, act: signByCopy },
  { name: 'remove a passkey', weight: 3, act: removeOne },
  { name: 'undo what another person added', weight: 3, act: undoOther },
] as const

/** A person adds a passkey in a session of theirs, perhaps too late, or in two tabs. */
async function addOne(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const owner = await someOwner(fixture, rng, { has_app: rng.odds(20) })
  return owner && `${owner.email} ${await add(fixture, rng, owner)}`
}

async function add(fixture: Fixture, rng: SeededRandom, owner: Owner): Promise<string> {
  const created = await createPasskey(fixture, owner, { is_counting: rng.odds(55) })
  fixture.harness.clock.pass(rng.odds(8) ? 301 : 5)
  const press = () => submitPasskey(fixture, owner, created)
  const said = await Promise.all(rng.odds(15) ? [press(), press()] : [press()])
  return said.join(' and ')
}

/** A passkey that an account most often has now. */
async function somePasskey(
  fixture: Fixture,
  rng: SeededRandom,
): Promise<RecordedPasskey | undefined> {
  const { record, world } = fixture
  const now = { from: world.clock.now(), until: world.clock.now() }
  const has = record.passkeys.filter((passkey) => wasPasskey(fixture, passkey, now).ever)
  if (has.length === 0 || rng.odds(10)) {
    await addOne(fixture, rng)
    return record.passkeys.at(-1)
  }
  return rng.pick(rng.odds(85) ? has : record.passkeys)
}

/** The owner of a passkey, in a new session; undefined for a deleted account. */
async function ownerOf({ world }: Fixture, user_id: UserId): Promise<Owner | undefined> {
  return await world.db.tx(async (tx) => {
    const user = await identity.lockUndeleted(tx, user_id)
    if (!user?.email_verified_at || user.locked_at) return undefined
    const inside = { ...world, db: { ...world.db, ...tx } }
    return await openOwner({ world: inside }, { user_id, email: user.email })
  })
}

/** What a device signs, and how it is presented: alone, or after a link from the mailbox. */
interface Way {
  sign(after?: number): Promise<Signed>
  present(signed: Signed): Promise<{ outcome: string; session?: KnownSession }>
}

async function someWay(
  fixture: Fixture,
  rng: SeededRandom,
  passkey: RecordedPasskey,
): Promise<Way | undefined> {
  const is_verified = rng.odds(92)
  const { user_id: own } = passkey
  if (rng.odds(60)) {
    const asked = { purpose: 'sign_in', user_id: own, is_verified } as const
    return {
      sign: (after) =>
        signBy(fixture, passkey, { ...asked, ...(after !== undefined && { after }) }),
      present: (signed) => signInBy(fixture, signed),
    }
  }
  // Sometimes another person tries it.
  const others = fixture.record.passkeys.filter(({ user_id }) => user_id !== own)
  const user_id = others.length === 0 || rng.odds(65) ? own : rng.pick(others).user_id
  const entry = await enterAs(fixture, user_id)
  if (!entry?.token) return undefined
  const asked = { purpose: 'second_factor', user_id, is_verified } as const
  return {
    sign: (after) => signBy(fixture, passkey, { ...asked, ...(after !== undefined && { after }) }),
    present: (signed) => finishBy(fixture, entry, signed),
  }
}

/** A person signs in with a passkey: what it signed is perhaps sent twice, or late. */
async function signIn(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const passkey = await somePasskey(fixture, rng)
  const way = passkey && (await someWay(fixture, rng, passkey))
  if (!passkey || !way) return undefined
  const { clock } = fixture.harness
  const signed = await way.sign()
  clock.pass(rng.pick([1, 5, 5, 60, 301]))
  const press = () => way.present(signed)
  const presented = await Promise.all(rng.odds(20) ? [press(), press()] : [press()])
  const said = presented.map(({ outcome }) => outcome)
  if (rng.odds(35)) {
    clock.pass(rng.pick([1, 1, 400]))
    said.push(`again ${(await press()).outcome}`)
  }
  const session = presented.find((each) => each.session)?.session
  if (session) said.push(await changeAfterSignIn(fixture, rng, session, passkey))
  return `${signed.purpose} ${said.join(', ')}`
}

/** Two devices have the same passkey, of which each counts its own signatures. */
async function signByCopy(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const passkey = await somePasskey(fixture, rng)
  const ways = passkey && [
    await someWay(fixture, rng, passkey),
    await someWay(fixture, rng, passkey),
  ]
  const [one, other] = ways ?? []
  if (!passkey || !one || !other) return undefined
  const { counter } = passkey.device
  const first = await one.sign(counter)
  const second = await other.sign(Math.max(0, counter - rng.pick([0, 0, 1, 2])))
  fixture.harness.clock.pass(1)
  const presented = rng.odds(50)
    ? await Promise.all([one.present(first), other.present(second)])
    : [await one.present(first), await other.present(second)]
  const said = presented.map(({ outcome }) => outcome).join(' and ')
  return `${first.counter} ${second.counter} ${said}`
}

/** Who signed in proves again who they are, and changes something. */
async function changeAfterSignIn(
  fixture: Fixture,
  rng: SeededRandom,
  first: KnownSession,
  passkey: RecordedPasskey,
): Promise<string> {
  fixture.harness.clock.pass(rng.pick([0, 31, 700, 700]))
  let known = first
  let found = await ownerOfSession(fixture, known)
  if (!found) return 'was signed out'
  const said: string[] = []
  if (!(await isRecent(fixture, known, found.session))) {
    const { user_id } = known
    const asked = { purpose: 'confirm', user_id, is_verified: rng.odds(90) } as const
    const signed = await signBy(fixture, passkey, asked)
    const proof = { known, session: found.session }
    const { outcome, session } = await confirmBy(fixture, proof, signed)
    said.push(`proof ${outcome}`)
    found = session && (await ownerOfSession(fixture, session))
    if (!session || !found) return said.join(', ')
    if (rng.odds(30)) await ownerOfSession(fixture, known)
    known = session
  }
  const { owner } = found
  const next = rng.below(100)
  if (next < 30) said.push(await removeAndTry(fixture, rng, owner, passkey))
  else if (next < 45) said.push(await add(fixture, rng, owner))
  else if (next < 55) said.push(await turnOff(fixture, owner))
  else if (next < 70) said.push(await remakeCodes(fixture, owner))
  if (rng.odds(30)) await ownerOfSession(fixture, known)
  return ['went on', ...said].join(', ')
}

/** A person removes a passkey. */
async function removeOne(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const passkey = await somePasskey(fixture, rng)
  const owner = passkey && (await ownerOf(fixture, passkey.user_id))
  if (!passkey || !owner) return undefined
  return `${owner.email} ${await removeAndTry(fixture, rng, owner, passkey)}`
}

/** Removes a passkey while its device signs in, or before. */
async function removeAndTry(
  fixture: Fixture,
  rng: SeededRandom,
  owner: Owner,
  passkey: RecordedPasskey,
): Promise<string> {
  const { user_id } = passkey
  const asked = { purpose: 'sign_in', user_id, is_verified: true } as const
  const signed = await signBy(fixture, passkey, asked)
  const press = async () => (await signInBy(fixture, signed)).outcome
  const take = () => remove(fixture, owner, passkey)
  const said = rng.odds(50) ? await Promise.all([take(), press()]) : [await take(), await press()]
  return said.join(' and sign-in ')
}

/**
 * In a session of the account, another person adds a passkey and asks for another email, in any
 * order; the owner undoes it from their mailbox, and both try to sign in.
 */
async function undoOther(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { record, harness } = fixture
  const other = await someOwner(fixture, rng, { has_app: false })
  if (!other) return undefined
  const { user_id, email } = other
  const wanted = identity.readEmail(`Passed-${record.wishes.length}@example.com`)!
  const said = [email]
  const askAsOther = async () =>
    said.push(await requestEmailChange(fixture, { user_id, email, wanted }, other))
  const addAsOther = async () => said.push(await add(fixture, rng, other))
  const order = rng.odds(65) ? [askAsOther, addAsOther] : [addAsOther, askAsOther]
  for (const step of order) {
    await step()
    harness.clock.pass(2)
  }
  const first = record.links.length
  await readNewestEmails(fixture, 3)
  const links = record.links.slice(first).filter((each) => each.user_id === user_id)
  const done = links.find(({ purpose }) => purpose === 'change_email')
  if (done && rng.odds(50)) said.push(await use(fixture, done))
  harness.clock.pass(1)
  const undoing = links.find(({ purpose }) => purpose === 'undo_email')
  if (undoing) said.push(await use(fixture, undoing))
  harness.clock.pass(1)
  for (const passkey of record.passkeys.filter((each) => each.user_id === user_id).slice(-2)) {
    const asked = { purpose: 'sign_in', user_id, is_verified: true } as const
    said.push((await signInBy(fixture, await signBy(fixture, passkey, asked))).outcome)
  }
  return said.join(', ')
}
