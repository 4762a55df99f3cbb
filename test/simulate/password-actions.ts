import * as identity from '#domain/identity'
import { changePassword, type Owner } from '#flows/account'
import { sendSignInEmail, signIn, signInWithPassword } from '#flows/sign-in'
import type { RecordedPasswordTry } from './access-record.ts'
import { ORIGIN } from './account-actions.ts'
import { someOwner } from './factor-actions.ts'
import type { RecordedEntry } from './factor-record.ts'
import { begin, changeSecurity, DEVICE, recordSession, take } from './factor-steps.ts'
import type { Fixture } from './fixture.ts'
import { requestEmailChange, use } from './mailbox-actions.ts'
import { readNewestEmails } from './mailboxes.ts'
import type { SeededRandom } from './random.ts'

/** What people do with passwords, with its relative frequency. */
export const PASSWORD_ACTIONS = [
  { name: 'change a password', weight: 3, act: change },
  { name: 'forget a password', weight: 2, act: reset },
  { name: 'undo what another person set', weight: 2, act: undoOther },
] as const

/** A person changes their password in a session, and signs in with one. */
async function change(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const owner = await someOwner(fixture, rng, { has_app: rng.odds(20) })
  if (!owner) return undefined
  const set = () => setBy(fixture, owner)
  const said = rng.odds(25)
    ? await Promise.all([set(), signInBy(fixture, rng, owner)])
    : [await set(), await signInBy(fixture, rng, owner)]
  return `${owner.email} ${said.join(', ')}`
}

async function setBy(fixture: Fixture, owner: Owner): Promise<string> {
  const password = `walk ${fixture.record.security.length} along the shore`
  const asked = { what: 'password_changed', owner, password } as const
  const { outcome } = await changeSecurity(fixture, asked, async () => {
    await changePassword(fixture.world, owner, password)
    return { is_made: true, outcome: 'changed' }
  })
  return outcome
}

/** Another person sets a password and asks for another email; the owner undoes it. */
async function undoOther(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { record, harness } = fixture
  const other = await someOwner(fixture, rng, { has_app: false })
  if (!other) return undefined
  const { user_id, email } = other
  const wanted = identity.readEmail(`Worded-${record.wishes.length}@example.com`)!
  const said = [
    await requestEmailChange(fixture, { user_id, email, wanted }, other),
    await setBy(fixture, other),
  ]
  const first = record.links.length
  await readNewestEmails(fixture, 3)
  const link = record.links
    .slice(first)
    .find((each) => each.user_id === user_id && each.purpose === 'undo_email')
  harness.clock.pass(1)
  if (link) said.push(await use(fixture, link))
  harness.clock.pass(1)
  return `${email} ${said.join(', ')}, ${await signInBy(fixture, rng, other)}`
}

/** A person sets another password by a link, perhaps twice at once, and signs in with one. */
async function reset(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, record } = fixture
  const owner = await someOwner(fixture, rng, { has_app: rng.odds(20) })
  if (!owner) return undefined
  const { email, user_id } = owner
  const claim = { email_normalized: email.toLowerCase(), origin: ORIGIN, known: undefined }
  const entry = { kind: 'set_password', return_to: undefined, language: 'en' } as const
  await sendSignInEmail(world, { ...claim, ...entry })
  const first = record.links.length
  await readNewestEmails(fixture, 2)
  const link = record.links.slice(first).find((each) => each.purpose === 'set_password')
  if (link?.user_id !== user_id) return `${email} got no link`
  const press = () => use(fixture, link)
  const said = await Promise.all(rng.odds(20) ? [press(), press()] : [press()])
  return `${email} ${said.join(' and ')}, ${await signInBy(fixture, rng, owner)}`
}

/** A person signs in with a password: most often with the one that was set last. */
async function signInBy(fixture: Fixture, rng: SeededRandom, owner: Owner): Promise<string> {
  const { world, record } = fixture
  const { user_id, email } = owner
  const set = record.security.filter((each) => each.user_id === user_id && each.password)
  const text = (rng.odds(65) ? set.at(-1) : set.length > 1 ? rng.pick(set) : undefined)?.password
  const tried: RecordedPasswordTry = { ...begin(fixture, user_id), text: text ?? 'a wrong one' }
  record.password_tries.push(tried)
  await take(fixture, tried, async () => {
    const claim = { email_normalized: email.toLowerCase(), origin: ORIGIN, known: undefined }
    const signedIn = await signInWithPassword(world, { ...claim, password: tried.text })
    if (!('user_id' in signedIn)) return signedIn.outcome
    if (signedIn.user_id !== user_id) return 'of another'
    const { password_hash } = signedIn
    const way = { app_id: null, return_to: undefined, is_complete: false, by: 'password' } as const
    const entry: RecordedEntry = { user_id, at: world.clock.now(), outcome: 'unknown' }
    record.entries.push(entry)
    const proven = { ...way, user_id, password_hash }
    const entered = await signIn(world, proven, { device: DEVICE, origin: ORIGIN })
    entry.outcome = entered.kind
    entry.until = world.clock.now()
    if (!('token' in entered)) return entered.kind
    const opened = { at: entry.at, until: entry.until }
    if (entered.kind === 'pending') entry.token = entered.token
    else recordSession(fixture, { user_id, token: entered.token }, opened)
    return entered.kind
  })
  return tried.outcome
}
