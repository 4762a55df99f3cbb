import { all, drop, where } from './altered-statements.ts'
import type { Fault, PlantedFault } from './code-faults.ts'

/** The lookup of a pending payment with one of some emails. */
const PENDING = 'select exists (select 1 from attempts where email_normalized = any($1)'

/** The lookup of the licenses that end with their account. */
const LIVE_LICENSES = "from licenses where user_id = $1 and status <> 'canceled'"

/** What lets a subscription block the deletion of an account. */
const CHARGING =
  "s.ended_at is null and l.status <> 'canceled' and (s.auto_renew or l.status in ('past_due', 'unpaid'))"

/** A subscription keeps the address at which it was bought. */
function stayingAtHome(): Pick<Fault, 'alterStatement'> {
  const homes = new Map<unknown, object>()
  const remember = where('insert into subscriptions', ({ id, state, zip }) => {
    homes.set(id, { state, zip })
    return {}
  })
  return all(
    remember,
    where('update subscriptions set price_id', ({ id }) => homes.get(id) ?? {}),
  )
}

/** Planted faults about buyers who change their email, move, or delete their account. */
export const PLANTED_ACCOUNT_FAULTS: readonly PlantedFault[] = [
  {
    name: 'an email stays as it was though its change was confirmed',
    caught_by: ['an account has the email that its owner saw last'],
    alterStatement: ({ text }) =>
      text.startsWith('update users set email') && text.includes('not exists') ? null : undefined,
  },
  {
    name: 'an email changes while a payment with it is processing',
    caught_by: ['no email changes while it pays, and no account is deleted then'],
    seed: 10,
    alterStatement: ({ text, values }) =>
      text.includes(PENDING)
        ? { text: text.replace(PENDING, `${PENDING} and false`), values }
        : undefined,
  },
  {
    name: 'a license outlives the account of its buyer',
    caught_by: ['a deleted account leaves no license, no session and no subscription'],
    seed: 4,
    alterStatement: ({ text, values }) =>
      text.includes(LIVE_LICENSES)
        ? { text: text.replace(LIVE_LICENSES, `${LIVE_LICENSES} and false`), values }
        : undefined,
  },
  {
    name: 'the payments of a deleted account keep its email',
    caught_by: ['the email of a deleted account is stored nowhere'],
    ...drop('update attempts set email_normalized'),
  },
  {
    name: 'an account is not deleted because it bought something once',
    caught_by: ['an account is deleted unless something of it is open'],
    seed: 11,
    alterStatement: ({ text, values }) =>
      text.includes(CHARGING) ? { text: text.replace(CHARGING, 'true'), values } : undefined,
  },
  {
    name: 'a buyer who moved is taxed where they lived before',
    caught_by: ['tax is owed to the state where the buyer lives'],
    seed: 22,
    ...stayingAtHome(),
  },
]
