import * as identity from '#domain/identity'
import { disconnectApp, endOtherSessions, endSession, type Owner } from '#flows/account'
import { signOutOfService } from '#flows/sign-out'
import type { UserId } from '#platform/ids'
import type { KnownSession, RecordedLogin, RecordedSessionUse } from './access-record.ts'
import { ORIGIN } from './account-actions.ts'
import { enterAs, someOwner } from './factor-actions.ts'
import { begin, changeSecurity, ownerOfSession, take } from './factor-steps.ts'
import type { Fixture } from './fixture.ts'
import { openLogin, useLogin } from './login-steps.ts'
import type { SeededRandom } from './random.ts'

/** What people do with their sessions and with apps they signed in to, with its frequency. */
export const SESSION_ACTIONS = [
  { name: 'use a session', weight: 6, act: useSome },
  { name: 'end sessions', weight: 5, act: endSome },
  { name: 'sign in to an app', weight: 4, act: signInToApp },
  { name: 'use an app', weight: 7, act: useApp },
] as const

/** A browser uses its session, which may have ended long ago. */
async function useSome(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { signed_in } = fixture.record
  if (signed_in.length === 0) return undefined
  const known = rng.pick(rng.odds(70) ? signed_in.slice(-6) : signed_in)
  const found = await ownerOfSession(fixture, known)
  return `${known.user_id} ${found ? 'is signed in' : 'is not signed in'}`
}

/** A buyer who is signed in, in most cases without a second factor. */
async function someSignedIn(
  fixture: Fixture,
  rng: SeededRandom,
): Promise<{ known: KnownSession; owner: Owner } | undefined> {
  const { record } = fixture
  const recent = record.signed_in.slice(-4)
  if (recent.length > 0 && rng.odds(50)) {
    const known = rng.pick(recent)
    const found = await ownerOfSession(fixture, known)
    if (found) return { known, owner: found.owner }
  }
  const person = await someOwner(fixture, rng, { has_app: false })
  if (!person) return undefined
  const first = record.signed_in.length
  await enterAs(fixture, person.user_id)
  const known = record.signed_in.slice(first).find(({ user_id }) => user_id === person.user_id)
  const found = known && (await ownerOfSession(fixture, known))
  return found && { known, owner: found.owner }
}

/** A person with two browsers ends sessions in one of them, and uses both. */
async function endSome(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { record } = fixture
  const signedIn = await someSignedIn(fixture, rng)
  if (!signedIn) return undefined
  const { known, owner } = signedIn
  const { user_id } = owner
  const first = record.signed_in.length
  await enterAs(fixture, user_id)
  const own = record.signed_in.filter((each) => each.user_id === user_id)
  const other = record.signed_in.slice(first).find((each) => each.user_id === user_id) ?? own[0]!
  await ownerOfSession(fixture, other)
  if (rng.odds(35)) await openLogin(fixture, { user_id, client: 'agent' })
  const end = () => endBy(fixture, rng, { known, owner, other })
  const said = rng.odds(25)
    ? (await Promise.all([end(), ownerOfSession(fixture, other)]))[0]
    : await end()
  await list(fixture, user_id)
  for (const each of rng.odds(70) ? [known, other] : [known, other, rng.pick(own)])
    await ownerOfSession(fixture, each)
  const login = record.logins.findLast((each) => each.user_id === user_id)
  const apps = login && rng.odds(70) ? `, an app ${await useOne(fixture, rng, login)}` : ''
  return `${owner.email} ${said}${apps}`
}

async function endBy(
  fixture: Fixture,
  rng: SeededRandom,
  { known, owner, other }: { known: KnownSession; owner: Owner; other: KnownSession },
): Promise<string> {
  const { world } = fixture
  const { user_id, session_id } = owner
  const draw = rng.below(100)
  if (draw < 40 && other.id) {
    const asked = { what: 'session_ended', owner, ended: other.id } as const
    const ended = await changeSecurity(fixture, asked, async () => {
      await endSession(world, owner, other.id!)
      return { is_made: true, outcome: 'ended one' }
    })
    return ended.outcome
  }
  if (draw < 75) {
    const ended = await changeSecurity(fixture, { what: 'others_ended', owner }, async () => {
      await endOtherSessions(world, owner)
      return { is_made: true, outcome: 'ended all others' }
    })
    return ended.outcome
  }
  const asked = { what: 'signed_out', owner, ended: session_id } as const
  const ended = await changeSecurity(fixture, asked, async () => {
    await signOutOfService(world, { id: session_id, user_id }, ORIGIN)
    return { is_made: true, outcome: 'signed out of one' }
  })
  return `${ended.outcome}${known.id === session_id ? '' : ' of another'}`
}

/** The owner looks at the list of sessions. */
async function list(fixture: Fixture, user_id: UserId): Promise<void> {
  const { world, record } = fixture
  const of = record.signed_in.filter((each) => each.user_id === user_id && each.id).slice(-6)
  const uses = of.map((session): RecordedSessionUse => {
    return { ...begin(fixture, user_id), session, way: 'list' }
  })
  record.session_uses.push(...uses)
  const looked = begin(fixture, user_id)
  let ids = new Set<string>()
  await take(fixture, looked, async () => {
    const sessions = await identity.listSessions(world.db, world.clock.now(), user_id)
    ids = new Set(sessions.map(({ id }) => id))
    return 'listed'
  })
  for (const use of uses) {
    const { at, until = at } = looked
    const outcome = ids.has(use.session.id!) ? 'accepted' : 'refused'
    Object.assign(use, { at, until, outcome })
  }
}

/** A person signs in to an app, or allows an agent. */
async function signInToApp(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const signedIn = await someSignedIn(fixture, rng)
  if (!signedIn) return undefined
  const { user_id, email } = signedIn.owner
  const client = rng.odds(30) ? 'agent' : rng.pick(fixture.shops).id
  const login = await openLogin(fixture, { user_id, client })
  if (!login) return `${email} to ${client}: revoked`
  const said = rng.odds(50) ? await useAgain(fixture, login) : await useOne(fixture, rng, login)
  return `${email} to ${client}, ${said}`
}

/** An app uses what it was issued, or its user disconnects it. */
async function useApp(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { logins } = fixture.record
  if (logins.length === 0) return undefined
  const login = rng.pick(rng.odds(80) ? logins.slice(-4) : logins)
  const { client, user_id } = login
  if (rng.odds(30)) return `${client} ${await useAgain(fixture, login)}`
  if (client === 'agent' || rng.odds(80)) return `${client} ${await useOne(fixture, rng, login)}`
  const person = await identity.getUser(fixture.world.db, user_id)
  const { request_id } = ORIGIN
  const owner = { kind: 'account', user_id, request_id, email: person.email } as const
  const asked = { what: 'app_disconnected', owner, client } as const
  const { outcome } = await changeSecurity(fixture, asked, async () => {
    await disconnectApp(fixture.world, owner, client)
    return { is_made: true, outcome: 'disconnected' }
  })
  return `${client} ${outcome}, ${await useOne(fixture, rng, login)}`
}

async function useOne(fixture: Fixture, rng: SeededRandom, login: RecordedLogin): Promise<string> {
  const way = rng.pick(['access', 'refresh'] as const)
  return `${way} ${await useLogin(fixture, login, way)}`
}

/** Another program has the first refresh token of a login, and uses it later than its client. */
async function useAgain(fixture: Fixture, login: RecordedLogin): Promise<string> {
  const said = ['refreshed', await useLogin(fixture, login, 'refresh')]
  if (login.tokens.length < 2) return said.join(' ')
  fixture.harness.clock.pass(31)
  said.push('again', await useLogin(fixture, login, 'reuse'))
  return [...said, 'used', await useLogin(fixture, login, 'access')].join(' ')
}
