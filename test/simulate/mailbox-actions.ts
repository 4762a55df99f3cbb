import * as identity from '#domain/identity'
import { changeEmail, confirmEmailChange, type Owner } from '#flows/account'
import { redeemLink, sendSignInEmail, signIn, undoEmailChange } from '#flows/sign-in'
import { unlockAccount } from '#flows/staff-actions'
import type { SessionId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { openOwner } from '../support/account.ts'
import { ORIGIN, peopleWithAccount } from './account-actions.ts'
import { actingStaff } from './actors.ts'
import type { RecordedEntry } from './factor-record.ts'
import { changeSecurity, recordSession } from './factor-steps.ts'
import type { Fixture, Person } from './fixture.ts'
import { readNewestEmails, readSomeEmail } from './mailboxes.ts'
import type { SeededRandom } from './random.ts'
import type { RecordedLink, RecordedUse } from './record.ts'
import { type ChangeAnswer, recordChange } from './recorded-change.ts'
import { setSwitch, signInsOf } from './switches.ts'

/** What arrives in mailboxes, and what its readers do with it, with its relative frequency. */
export const MAILBOX_ACTIONS = [
  { name: 'ask for another email', weight: 5, act: requestSomeEmail },
  { name: 'ask for a link to sign in', weight: 4, act: requestSignIn },
  { name: 'read an email', weight: 9, act: readSomeEmail },
  { name: 'use an emailed link', weight: 12, act: useSome },
  { name: 'use links in any order', weight: 4, act: useInAnyOrder },
  { name: 'unlock an account', weight: 2, act: unlockSome },
] as const

/** A person asks for another email: a new one, or one that an account has or had. */
async function requestSomeEmail(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { record } = fixture
  const known = await peopleWithAccount(fixture)
  if (known.length === 0) return undefined
  const [, { id: user_id, email, email_normalized }] = rng.pick(known)
  const fresh = `Other-${record.wishes.length}@example.com`
  const address = rng.odds(65) ? fresh : rng.pick([fresh, ...record.links.map(mailboxOf)])
  const wanted = identity.readEmail(address)!
  if (wanted.email_normalized === email_normalized) return undefined
  const outcome = await requestEmailChange(fixture, { user_id, email, wanted })
  return `${email_normalized} to ${wanted.email}: ${outcome}, ${await openSomeEmail(fixture, rng)}`
}

/** The owner of an account asks for another email, in a session of their own or in this one. */
export async function requestEmailChange(
  { world, record }: Fixture,
  {
    user_id,
    email,
    wanted,
  }: { user_id: UserId; email: string; wanted: Pick<Person, 'email' | 'email_normalized'> },
  opened?: Owner,
): Promise<string> {
  const wish = { user_id, at: world.clock.now(), outcome: 'unknown' }
  record.wishes.push(wish)
  return await ended({ world }, wish, async () => {
    const owner = opened ?? (await openOwner({ world }, { user_id, email }))
    return (await changeEmail(world, owner, wanted)).outcome
  })
}

const mailboxOf = ({ mailbox }: RecordedLink) => mailbox

/** Who asked for an email most often reads it at once, and uses its link. */
async function openSomeEmail(fixture: Fixture, rng: SeededRandom): Promise<string> {
  const read = rng.odds(75) ? await readSomeEmail(fixture, rng) : undefined
  const used = read && rng.odds(75) ? await useSome(fixture, rng) : undefined
  return [read ?? 'no email was read', ...(used ? [used] : [])].join(', ')
}

/** A person asks for an email with which they sign in. */
async function requestSignIn(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const known = await peopleWithAccount(fixture)
  if (known.length === 0) return undefined
  const [{ email_normalized }] = rng.pick(known)
  const outcome = await requestLink(fixture, email_normalized)
  return `${email_normalized}: ${outcome}, ${await openSomeEmail(fixture, rng)}`
}

async function requestLink({ world }: Fixture, email_normalized: string): Promise<string> {
  const claim = { email_normalized, origin: ORIGIN, known: undefined }
  const entry = { kind: 'sign_in', return_to: undefined, language: 'en' } as const
  return (await sendSignInEmail(world, { ...claim, ...entry })).outcome
}

/**
 * A person has links to sign in, to change the email and to undo that, and uses them in any order;
 * perhaps another person takes the former email before.
 */
async function useInAnyOrder(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { harness, record } = fixture
  const { links, wishes } = record
  const known = await peopleWithAccount(fixture)
  if (known.length < 2) return undefined
  const [, { id: user_id, email, email_normalized }] = rng.pick(known)
  const others = known.filter(([, { id }]) => id !== user_id)
  const first = links.length
  const wanted = identity.readEmail(`Any-${wishes.length}@example.com`)!
  await requestLink(fixture, email_normalized)
  await requestEmailChange(fixture, { user_id, email, wanted })
  await readNewestEmails(fixture, 3)
  const own = links.slice(first).filter((link) => link.user_id === user_id)
  const said: string[] = []
  while (own.length > 0) {
    const [link] = own.splice(rng.below(own.length), 1)
    // The order is sure only if time passes.
    harness.clock.pass(1)
    const outcome = await use(fixture, link!)
    said.push(`${link!.purpose} ${outcome}`)
    if (outcome !== 'changed' || rng.odds(40)) continue
    const [, { id, ...other }] = rng.pick(others)
    said.push(
      await takeFreeEmail(fixture, {
        user_id: id,
        email: other.email,
        wanted: { email, email_normalized },
      }),
    )
  }
  return `${email_normalized}: ${said.join(', ')}`
}

/** Another account takes an email that is free. */
async function takeFreeEmail(
  fixture: Fixture,
  wish: Parameters<typeof requestEmailChange>[1],
): Promise<string> {
  const { links } = fixture.record
  await requestEmailChange(fixture, wish)
  const first = links.length
  await readNewestEmails(fixture, 2)
  const link = links
    .slice(first)
    .find((each) => each.user_id === wish.user_id && each.purpose === 'change_email')
  return link ? `taken: ${await use(fixture, link)}` : 'not taken'
}

/** A person uses a link that arrived before: most often one that was not used yet. */
async function useSome(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { links } = fixture.record
  if (links.length === 0) return undefined
  const used = new Set(fixture.record.uses.map(({ link }) => link))
  const unused = links.filter((link) => !used.has(link)).slice(-3)
  const link = rng.pick(unused.length > 0 && rng.odds(80) ? unused : links)
  const press = () => use(fixture, link)
  const said = await Promise.all(rng.odds(15) ? [press(), press()] : [press()])
  return `${link.purpose} of ${link.mailbox}: ${said.join(' and ')}`
}

/** A person uses a link that arrived. */
export async function use(fixture: Fixture, link: RecordedLink): Promise<string> {
  const { world, harness, record } = fixture
  const { user_id } = link
  const sessions = await harness.db.rows<{ id: SessionId }>(
    sql`select id from sessions where user_id = ${user_id}`,
  )
  const begun = { link, user_id, at: world.clock.now(), outcome: 'unknown' }
  const used: RecordedUse = { ...begun, sessions: sessions.map(({ id }) => id) }
  record.uses.push(used)
  return await ended(fixture, used, () => {
    if (link.purpose === 'sign_in') return followSignInLink(fixture, link)
    if (link.purpose === 'set_password') return resetPassword(fixture, link)
    return link.purpose === 'change_email' ? confirmChange(fixture, link) : undo(fixture, link)
  })
}

/** Records the outcome of a step, and when it can no longer have an effect. */
async function ended(
  { world }: Pick<Fixture, 'world'>,
  step: { outcome: string; until?: Date },
  take: () => Promise<string>,
): Promise<string> {
  try {
    step.outcome = await take()
  } finally {
    step.until = world.clock.now()
  }
  return step.outcome
}

async function followSignInLink(fixture: Fixture, { token }: RecordedLink): Promise<string> {
  const link = await redeemLink(fixture.world, token, { purpose: 'sign_in' }, ORIGIN)
  return link ? await enterBy(fixture, link) : 'used'
}

/** Sets a new password by a link, as its page does. */
async function resetPassword(fixture: Fixture, link: RecordedLink): Promise<string> {
  const { world, record } = fixture
  const { token, user_id } = link
  const purpose = 'set_password'
  const password = `by link ${record.security.length} of the shore`
  const asked = { what: 'password_reset', owner: { user_id }, password, link } as const
  let found: identity.AccountLink | undefined
  const { outcome } = await changeSecurity(fixture, asked, async () => {
    found = await redeemLink(world, token, { purpose, password }, ORIGIN)
    return { is_made: found !== undefined, outcome: found ? 'set' : 'used' }
  })
  return found ? await enterBy(fixture, found) : outcome
}

/** Opens a session for the reader of an email, as its page does. */
export async function enterBy(
  fixture: Fixture,
  { user_id, email_normalized }: Pick<identity.AccountLink, 'user_id' | 'email_normalized'>,
): Promise<string> {
  const { world, record } = fixture
  const owner = { user_id, email_normalized, app_id: null, is_complete: false } as const
  const device = { browser: 'A test', network: '127.0.0.*' }
  const proven = { ...owner, by: 'mail_link', return_to: undefined } as const
  const entry: RecordedEntry = { user_id, at: world.clock.now(), outcome: 'unknown' }
  record.entries.push(entry)
  let opened: string | undefined
  const outcome = await ended({ world }, entry, async () => {
    const entered = await signIn(world, proven, { device, origin: ORIGIN })
    if (entered.kind === 'pending') entry.token = entered.token
    if (entered.kind === 'session') opened = entered.token
    return entered.kind
  })
  const { at, until } = entry
  if (opened) recordSession(fixture, { user_id, token: opened }, { at, until: until! })
  return outcome
}

async function confirmChange(fixture: Fixture, link: RecordedLink): Promise<string> {
  return await changed(fixture, { link, to: link.mailbox }, async () => {
    const { outcome } = await confirmEmailChange(fixture.world, link.token, ORIGIN)
    return { is_made: outcome === 'changed', outcome }
  })
}

async function undo(fixture: Fixture, link: RecordedLink): Promise<string> {
  const { world } = fixture
  let email_normalized: string | undefined
  const outcome = await changed(fixture, { link, to: link.mailbox, is_undo: true }, async () => {
    let outcome = 'unknown'
    // It locks the account if the address that it goes back to is another account's.
    await setSwitch(fixture, open(link.user_id, false), async () => {
      const undone = await undoEmailChange(world, link.token, ORIGIN)
      outcome = undone.outcome
      if (undone.outcome === 'undone') email_normalized = undone.email_normalized
      return { is_made: outcome === 'taken', outcome }
    })
    return { is_made: outcome === 'undone', outcome }
  })
  const { user_id } = link
  if (email_normalized === undefined) return outcome
  return `${outcome}, ${await enterBy(fixture, { user_id, email_normalized })}`
}

const open = (user_id: UserId, to: boolean) =>
  ({ name: `open ${user_id}`, to, recorded: signInsOf(user_id) }) as const

/** A link changes the email of an account, and the person keeps the account. */
async function changed(
  fixture: Fixture,
  { link, to, is_undo = false }: { link: RecordedLink; to: string; is_undo?: boolean },
  ask: () => Promise<ChangeAnswer>,
): Promise<string> {
  const { harness, record, people } = fixture
  const { user_id } = link
  const { email_normalized: from } = await identity.getUser(harness.db, user_id)
  const change = { subject: user_id, from, to, is_undo }
  try {
    return await recordChange(harness.clock, record.emails, change, ask)
  } finally {
    const all = [...people, ...record.imports.map(({ person }) => person)]
    const person = all.find((each) => each.email_normalized === from)
    const { email, email_normalized } = await identity.getUser(harness.db, user_id)
    const isDeleted = email_normalized === identity.addressOfDeleted(user_id)
    if (person && !isDeleted) Object.assign(person, { email, email_normalized })
  }
}

/** Staff unlock an account after they looked at it. */
async function unlockSome(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, operator_id } = fixture
  const locked = await world.db.rows<{ id: UserId }>(
    sql`select id from users where locked_at is not null order by created_at, id`,
  )
  if (locked.length === 0) return undefined
  const { id } = rng.pick(locked)
  const staff = { ...actingStaff(operator_id), reason: 'We know who it is.' }
  return await setSwitch(fixture, open(id, true), async () => {
    const is_made = await unlockAccount(world, staff, id)
    return { is_made, outcome: `${id} ${is_made ? 'unlocked' : 'was unlocked before'}` }
  })
}
