import * as identity from '#domain/identity'
import { changeEmail, confirmEmailChange, deleteAccount } from '#flows/account'
import { sql } from '#platform/sql'
import { link } from '#surfaces/emails/link'
import { openOwner } from '../support/account.ts'
import { changeBillingAddress } from './buyer-actions.ts'
import type { Fixture, Person } from './fixture.ts'
import type { SeededRandom } from './random.ts'
import type { RecordedStep } from './record.ts'
import { type ChangeAnswer, recordChange } from './recorded-change.ts'

export const ORIGIN = { address: '127.0.0.1', agent: 'A test', request_id: 'req_simulated' }

/** What buyers do with their accounts, with its relative frequency. */
export const ACCOUNT_ACTIONS = [
  { name: 'change an email', weight: 3, act: changeSomeEmail },
  { name: 'delete an account', weight: 3, act: deleteOwn },
  { name: 'move', weight: 4, act: changeBillingAddress },
] as const

/** The buyers with an account that is not locked, and those whose license was imported. */
export async function peopleWithAccount(
  { world, people, record }: Fixture,
  where = sql`true`,
): Promise<[Person, identity.User][]> {
  const users = await world.db.rows<identity.User>(
    sql`select id, email, email_normalized from users
      where locked_at is null and (${where}) order by created_at, id`,
  )
  const all = [...people, ...record.imports.map(({ person }) => person)]
  return users.flatMap((user) => {
    if (user.email_normalized === identity.addressOfDeleted(user.id)) return []
    const person = all.find(({ email_normalized }) => email_normalized === user.email_normalized)
    return person ? [[person, user] as [Person, identity.User]] : []
  })
}

/** A buyer changes their email: to a new address, or to one that another person has. */
async function changeSomeEmail(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { harness, record, people } = fixture
  const known = await peopleWithAccount(fixture)
  if (known.length === 0) return undefined
  const [person, user] = rng.pick(known)
  const isTaken = people.length > 1 && rng.odds(15)
  const wanted = isTaken
    ? rng.pick(people)
    : identity.readEmail(`New-${record.emails.length}@example.com`)!
  const { email_normalized: from } = user
  const facts = { subject: user.id, from, to: wanted.email_normalized }
  try {
    const outcome = await recordChange(harness.clock, record.emails, facts, () =>
      changeAndConfirm(fixture, user, wanted),
    )
    return `${from} to ${wanted.email}: ${outcome}`
  } finally {
    // Also if the answer was lost: a person knows which address signs them in.
    const { email, email_normalized } = await identity.getUser(harness.db, user.id)
    Object.assign(person, { email, email_normalized })
  }
}

async function changeAndConfirm(
  { world, record }: Fixture,
  user: identity.User,
  { email, email_normalized }: Pick<Person, 'email' | 'email_normalized'>,
): Promise<ChangeAnswer> {
  const owner = await openOwner({ world }, { user_id: user.id, email: user.email })
  // It withdraws an earlier request, also if it is not confirmed itself.
  const wish: RecordedStep = { user_id: user.id, at: world.clock.now(), outcome: 'unknown' }
  record.wishes.push(wish)
  const asked = await changeEmail(world, owner, { email, email_normalized })
  Object.assign(wish, { outcome: asked.outcome, until: world.clock.now() })
  const change = await identity.findPendingChange(world.db, user.id)
  // Another request of the account at the same moment withdraws this one.
  if (change?.new_email_normalized !== email_normalized) {
    return { is_made: false, outcome: asked.outcome }
  }
  const url = await link(world, 'change_email', { user_id: user.id, about: change.id })
  const { outcome } = await confirmEmailChange(world, url.split('/').at(-1)!, ORIGIN)
  return { is_made: outcome === 'changed', outcome }
}

/** A buyer deletes their account: most often one for which nothing renews. */
async function deleteOwn(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, harness, record } = fixture
  const where = rng.odds(80)
    ? sql`not exists (select 1 from subscriptions s join licenses l on l.id = s.license_id
        where l.user_id = users.id and s.ended_at is null and s.auto_renew)`
    : sql`true`
  const known = await peopleWithAccount(fixture, where)
  if (known.length === 0) return undefined
  const [, { id: user_id, email, email_normalized: from }] = rng.pick(known)
  const facts = { subject: user_id, from, to: identity.addressOfDeleted(user_id) }
  const outcome = await recordChange(harness.clock, record.emails, facts, async () => {
    const owner = await openOwner({ world }, { user_id, email })
    const answer = await deleteAccount(world, owner)
    if (answer.outcome === 'deleted') return { is_made: true, outcome: 'deleted' }
    return { is_made: false, outcome: answer.blocks.map(({ kind }) => kind).join(' and ') }
  })
  return `${from}: ${outcome}`
}
