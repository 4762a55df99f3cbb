import * as identity from '#domain/identity'
import {
  confirmAuthenticator,
  type Owner,
  openSetup,
  startAuthenticatorSetup,
} from '#flows/account'
import type { UserId } from '#platform/ids'
import { openOwner } from '../support/account.ts'
import type { KnownSession } from './access-record.ts'
import { peopleWithAccount } from './account-actions.ts'
import { codeOf, someFactor } from './factor-phones.ts'
import type { RecordedApp, RecordedEntry } from './factor-record.ts'
import {
  changeSecurity,
  finish,
  isRecent,
  ownerOfSession,
  prove,
  remakeCodes,
  turnOff,
} from './factor-steps.ts'
import { wasApp } from './factor-times.ts'
import type { Fixture } from './fixture.ts'
import { enterBy, requestEmailChange, use } from './mailbox-actions.ts'
import { readNewestEmails } from './mailboxes.ts'
import type { SeededRandom } from './random.ts'

/** What people do with second factors, with its relative frequency. */
export const FACTOR_ACTIONS = [
  { name: 'turn an authenticator app on', weight: 5, act: turnOn },
  { name: 'sign in with a second factor', weight: 8, act: signIn },
  { name: 'use a code twice', weight: 4, act: useTwice },
  { name: 'undo what another person set up', weight: 3, act: undoOther },
] as const

/** A buyer whose mailbox was verified: one with an authenticator app, or most often without. */
export async function someOwner(
  fixture: Fixture,
  rng: SeededRandom,
  { has_app }: { has_app: boolean },
): Promise<Owner | undefined> {
  const { world, record } = fixture
  const now = world.clock.now()
  const on = new Set<UserId>()
  for (const app of record.authenticators)
    if (wasApp(fixture, app, { from: now, until: now }).ever) on.add(app.user_id)
  const known = (await peopleWithAccount(fixture)).map(([, user]) => user)
  const likely = known.filter(({ id }) => on.has(id) === has_app)
  const some = has_app || (likely.length > 0 && rng.odds(85)) ? likely : known
  if (some.length === 0) return undefined
  const { id: user_id, email } = rng.pick(some)
  const { email_verified_at } = await identity.getUser(world.db, user_id)
  if (email_verified_at !== null)
    return await world.db.tx(async (tx) => {
      const user = await identity.lockUndeleted(tx, user_id)
      const inside = { ...world, db: { ...world.db, ...tx } }
      return user && (await openOwner({ world: inside }, { user_id, email }))
    })
  // Who comes to the page of security has verified the email, some time before.
  await identity.proveMailbox(world.db, now, user_id)
  return undefined
}

/** A person sets an authenticator app up: most often with a valid code, perhaps in two tabs. */
async function turnOn(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const owner = await someOwner(fixture, rng, { has_app: false })
  if (!owner) return undefined
  const app = await beginSetup(fixture, owner)
  if (!app) return `${owner.email} has one`
  fixture.harness.clock.pass(rng.pick([10, 20, 50, 50, 50, 1000]))
  const press = () => confirm(fixture, rng, { owner, app })
  const said = await Promise.all(rng.odds(15) ? [press(), press()] : [press()])
  return `${owner.email} ${said.join(' and ')}`
}

async function beginSetup(fixture: Fixture, owner: Owner): Promise<RecordedApp | undefined> {
  const { world, record } = fixture
  const begun_at = world.clock.now()
  if (!(await startAuthenticatorSetup(world, owner))) return undefined
  const setup = await openSetup(world, owner)
  if (!setup) return undefined
  const app = { user_id: owner.user_id, secret: setup.secret, begun_at, confirmed: [] }
  record.authenticators.push(app)
  return app
}

async function confirm(
  fixture: Fixture,
  rng: SeededRandom,
  { owner, app }: { owner: Owner; app: RecordedApp },
): Promise<string> {
  const { world, record } = fixture
  const { user_id } = owner
  const typed = rng.odds(85)
    ? codeOf(fixture, app.secret, rng.pick([0, 0, 1, -1]))
    : codeOf(fixture, app.secret, rng.pick([-3, 3]))
  let codes: string[] | undefined
  const change = await changeSecurity(fixture, { what: 'confirmed', owner }, async () => {
    const now = world.clock.now()
    const tried = { ...typed, kind: 'setup', user_id, at: now, outcome: 'unknown' } as const
    const recorded = { ...tried, until: now, outcome: 'unknown' as string }
    record.tries.push(recorded)
    app.confirmed.push(record.security.at(-1)!)
    const { outcome, ...made } = await confirmAuthenticator(world, owner, typed.text)
    recorded.until = world.clock.now()
    recorded.outcome = outcome
    if ('recovery_codes' in made) codes = made.recovery_codes
    return { is_made: outcome === 'on', outcome }
  })
  if (codes) record.recovery_codes.push({ user_id, codes, made: change })
  return change.outcome
}

/** A person signs in by their mailbox and a second factor, perhaps twice at once, and goes on. */
async function signIn(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const owner = await someOwner(fixture, rng, { has_app: true })
  if (!owner) return await turnOn(fixture, rng)
  const { user_id } = owner
  const { clock } = fixture.harness
  const entry = await enterAs(fixture, user_id)
  if (!entry?.token) return `${owner.email} ${entry?.outcome}`
  clock.pass(rng.pick([1, 5, 31, 31, 62, 1000]))
  const said: string[] = [owner.email]
  // Another browser of theirs changes the factors before.
  if (rng.odds(20)) said.push(await changeApp(fixture, rng, owner))
  for (let tries = 0; tries < 3; tries++) {
    const typed = someFactor(fixture, rng, user_id)
    const press = () => finish(fixture, { entry, typed })
    const finished = await Promise.all(rng.odds(20) ? [press(), press()] : [press()])
    said.push(`${typed.kind} ${finished.map(({ outcome }) => outcome).join(' and ')}`)
    const session = finished.find((each) => each.session)?.session
    if (session) return `${said.join(', ')}, ${await changeAfterSignIn(fixture, rng, session)}`
    clock.pass(rng.pick([1, 31]))
  }
  return said.join(', ')
}

/** Two browsers that need the second factor of an account get the same code, at once or in turn. */
async function useTwice(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { clock } = fixture.harness
  const said: string[] = []
  let owner = await someOwner(fixture, rng, { has_app: true })
  if (!owner) {
    said.push((await turnOn(fixture, rng)) ?? 'no account')
    clock.pass(31)
    owner = await someOwner(fixture, rng, { has_app: true })
  }
  if (!owner) return said.join(', ')
  const { user_id, email } = owner
  const secret = fixture.record.authenticators.findLast((app) => app.user_id === user_id)?.secret
  const entries = [await enterAs(fixture, user_id), await enterAs(fixture, user_id)]
  clock.pass(31)
  const typed = codeOf(fixture, secret!, rng.pick([0, 0, 0, -1]))
  const pending = entries.filter((entry) => entry?.token)
  const press = (index: number) => finish(fixture, { entry: pending[index]!, typed })
  if (pending.length < 2) return [...said, `${email} has no app`].join(', ')
  const [first, second] = rng.odds(50)
    ? await Promise.all([press(0), press(1)])
    : [await press(0), await press(1)]
  return [...said, `${email} ${first.outcome} and ${second.outcome}`].join(', ')
}

/** An owner turns their app off, and perhaps another one on. */
async function changeApp(fixture: Fixture, rng: SeededRandom, owner: Owner): Promise<string> {
  const off = await turnOff(fixture, owner)
  const app = rng.odds(75) ? await beginSetup(fixture, owner) : undefined
  if (!app) return off
  const on = await confirm(fixture, rng, { owner, app })
  fixture.harness.clock.pass(31)
  return `${off}, another ${on}`
}

/** The sign-in of a person by a link in their mailbox; undefined for a deleted account. */
export async function enterAs(
  fixture: Fixture,
  user_id: UserId,
): Promise<RecordedEntry | undefined> {
  const { world, record } = fixture
  const { email_normalized } = await identity.getUser(world.db, user_id)
  // A deleted account has no mailbox.
  if (email_normalized === identity.addressOfDeleted(user_id)) return undefined
  await enterBy(fixture, { user_id, email_normalized })
  return record.entries.findLast((entry) => entry.user_id === user_id)
}

/** Who signed in changes something for which they may have to prove again who they are. */
async function changeAfterSignIn(
  fixture: Fixture,
  rng: SeededRandom,
  known: KnownSession,
): Promise<string> {
  fixture.harness.clock.pass(rng.pick([0, 31, 500, 700, 700]))
  let found = await ownerOfSession(fixture, known)
  if (!found) return 'was signed out'
  const said: string[] = []
  if (!(await isRecent(fixture, known, found.session))) {
    const typed = someFactor(fixture, rng, known.user_id)
    const { outcome, session } = await prove(fixture, known, found.session, typed)
    said.push(`${typed.kind} ${outcome}`)
    found = session && (await ownerOfSession(fixture, session))
    if (!session || !found) return said.join(', ')
    if (!(await isRecent(fixture, session, found.session))) return 'a proof that proves nothing'
  }
  if (rng.odds(35)) said.push(await turnOff(fixture, found.owner))
  else if (rng.odds(40)) said.push(await remakeCodes(fixture, found.owner))
  return ['is recent', ...said].join(', ')
}

/**
 * In a session of the account, another person sets an authenticator app up and asks for another
 * email, in any order; the owner undoes it from their mailbox.
 */
async function undoOther(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { record } = fixture
  const other = await someOwner(fixture, rng, { has_app: false })
  if (!other) return undefined
  const { user_id, email } = other
  const wanted = identity.readEmail(`Another-${record.wishes.length}@example.com`)!
  const said = [email]
  let app: RecordedApp | undefined
  const begin = async () => {
    app = await beginSetup(fixture, other)
    fixture.harness.clock.pass(31)
  }
  const askAsOther = async () =>
    said.push(await requestEmailChange(fixture, { user_id, email, wanted }, other))
  const confirmIt = async () => app && said.push(await confirm(fixture, rng, { owner: other, app }))
  const order = rng.pick([
    [begin, askAsOther, confirmIt],
    [askAsOther, begin, confirmIt],
    [begin, confirmIt, askAsOther],
  ])
  for (const step of order) await step()
  const first = record.links.length
  await readNewestEmails(fixture, 3)
  const link = record.links
    .slice(first)
    .find((each) => each.user_id === user_id && each.purpose === 'undo_email')
  if (!link) return said.join(', ')
  fixture.harness.clock.pass(1)
  return `${said.join(', ')}, ${await use(fixture, link)}`
}
