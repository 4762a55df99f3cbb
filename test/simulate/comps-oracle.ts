import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import { addSeconds } from '#platform/calendar'
import type { AppId, LicenseId, PriceId, ProductId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { accountsWith, emailsAt, isDeletion } from './accounts-oracle.ts'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'
import type { RecordedComp } from './record.ts'
import { wasOn } from './switches.ts'

/** A given plan as the service stores it. */
interface StoredComp {
  license_id: LicenseId
  app_id: AppId
  user_id: UserId
  /** That its holder has now. */
  email_normalized: string
  product_id: ProductId
  product_app_id: AppId
  status: licensing.LicenseStatus
  ends_at: Date | null
  key_sealed: Buffer
  created_at: Date
}

/** Compares the plans that sellers gave, and the answers to them, with what the service stores. */
export async function compFaults(fixture: Fixture): Promise<Broken[]> {
  const stored = await fixture.harness.db.rows<StoredComp>(sql`select l.id as license_id, l.app_id,
      l.user_id, u.email_normalized, l.product_id, p.app_id as product_app_id, l.status,
      l.period_end as ends_at, l.key_sealed, l.created_at
    from licenses l join users u on u.id = l.user_id join products p on p.id = l.product_id
    where l.origin = 'comp' order by l.created_at, l.id`)
  return [
    ...givenFaults(fixture, stored),
    ...(await entitlementFaults(fixture, stored)),
    ...(await refusalFaults(fixture)),
  ]
}

/** Whether what is stored is what a seller entered, for the account that had that email. */
function isAsEntered(
  { record }: Fixture,
  { app_id, email_normalized, product_id, ends_at }: RecordedComp,
  comp: StoredComp,
): boolean {
  return (
    app_id === comp.app_id &&
    product_id === comp.product_id &&
    ends_at?.getTime() === comp.ends_at?.getTime() &&
    emailsAt({ record }, comp, comp.created_at).has(email_normalized)
  )
}

/** What was given is stored as the seller entered it; what was refused is not. */
function givenFaults(fixture: Fixture, stored: readonly StoredComp[]): Broken[] {
  const { record } = fixture
  const sure = new Map(
    record.comps
      .filter(({ outcome }) => outcome === 'given')
      .map((comp) => [comp.license_id!, comp] as const),
  )
  const unsure = record.comps.filter(({ outcome }) => outcome === 'unknown')
  const wrong = stored.filter((comp) => {
    const given = sure.get(comp.license_id)
    if (comp.product_app_id !== comp.app_id) return true
    if (given) return !isAsEntered(fixture, given, comp)
    const at = unsure.findIndex((each) => isAsEntered(fixture, each, comp))
    return at < 0 || unsure.splice(at, 1).length === 0
  })
  const ids = new Set(stored.map(({ license_id }) => license_id))
  const missing = [...sure.keys()].filter((id) => !ids.has(id))
  return wrong.length + missing.length > 0
    ? [{ rule: 'a given plan is the one that the seller gave', facts: { wrong, missing } }]
    : []
}

/**
 * A given plan entitles until its end, until its seller ends it, or until its holder deletes their
 * account, unless staff suspended it.
 */
async function entitlementFaults(
  { harness, world, record }: Fixture,
  stored: readonly StoredComp[],
): Promise<Broken[]> {
  const now = world.clock.now()
  const facts: unknown[] = []
  for (const comp of stored) {
    const { license_id, ends_at, status } = comp
    const license_key = licensing.showKey(world.keys, comp)
    const question = { client_id: comp.app_id, license_key }
    const { found } = await licensing.findByKey(harness.db, world.keys, question)
    const entitled = found && licensing.stateOf(found).entitled
    const deletions = record.emails.filter((each) => isDeletion(each) && each.is_made !== false)
    const answers = [...record.requests.comp_end, ...deletions]
      .filter(({ subject }) => subject === license_id || subject === comp.user_id)
      .map(({ outcome }) => outcome)
    const isPast = ends_at !== null && ends_at <= now && status !== 'paused'
    const isOver = isPast || answers.some((answer) => OVER.includes(answer))
    // A lost answer leaves open whether it ended.
    const isUnsure = answers.includes('unknown')
    const isRight = isOver
      ? status === 'canceled' && !entitled
      : isUnsure || (status !== 'canceled' && entitled === (status !== 'paused'))
    if (!isRight) facts.push({ license_id, ends_at, status, entitled, answers })
  }
  return facts.length > 0
    ? [{ rule: 'a given plan entitles until its end, or until its seller ends it', facts }]
    : []
}

// What sellers who end a plan see, and people who delete their account.
const OVER = ['ended', 'over', 'deleted']

/** A payment is settled at a time that is read before it is recorded, while others go on. */
const RECORDING_SECONDS = 60

/** Each answer of a seller who gives a plan was true at that time. */
async function refusalFaults(fixture: Fixture): Promise<Broken[]> {
  const { harness, record } = fixture
  const { db } = harness
  const facts: RecordedComp[] = []
  for (const comp of record.comps) {
    const { app_id, email_normalized, at, ends_at, license_id, outcome } = comp
    const until = comp.answered_at ?? at
    const holders = await accountsWith(fixture, email_normalized, [at, until])
    // An account that gets the email later takes its attempts along when it is deleted.
    const times = record.emails.flatMap((change) => [change.at, change.answered_at ?? change.at])
    const owners = await accountsWith(fixture, email_normalized, [at, until, ...times])
    const emails = [email_normalized, ...owners.map(identity.addressOfDeleted)]
    const is = async (condition: ReturnType<typeof sql>) =>
      (await db.one<{ is: boolean }>(sql`select exists (${condition}) as is`)).is
    const isRight = {
      unknown: () => true,
      given: async () =>
        (ends_at === null || ends_at > at) &&
        !(await is(sql`select from attempts where app_id = ${app_id}
          and email_normalized = ${email_normalized} and created_at < ${at}
          and (settled_at is null or settled_at > ${until})`)),
      past: () => ends_at !== null && ends_at <= until,
      owned: () =>
        is(sql`select from licenses l
          where l.id = ${license_id} and l.app_id = ${app_id} and l.created_at <= ${until}
            and l.user_id = any(${holders}) and not exists (
              select from license_history h where h.license_id = l.id
                and h.to_status = 'canceled' and h.at < ${at})`),
      buying: () =>
        is(sql`select from attempts where app_id = ${app_id}
          and email_normalized = any(${emails}) and created_at <= ${until}
          and (settled_at is null or settled_at >= ${addSeconds(at, -RECORDING_SECONDS)})`),
      no_plan: async () => !(await wasForSale(fixture, comp, until)),
    }[outcome]
    if (!(await isRight())) facts.push(comp)
  }
  return facts.length > 0
    ? [{ rule: 'the answer to a seller who gives a plan was true', facts }]
    : []
}

/** Whether a plan surely was an app's, and had a price, while it was given. */
async function wasForSale(fixture: Fixture, comp: RecordedComp, until: Date): Promise<boolean> {
  const { app_id, product_id, at } = comp
  const prices = await fixture.harness.db.rows<{ id: PriceId }>(sql`select r.id
    from prices r join products p on p.id = r.product_id
    where p.id = ${product_id} and p.app_id = ${app_id} and p.deleted_at is null and not p.is_free`)
  return prices.some(({ id }) => wasOn(fixture, `price ${id}`, { at, until }) === true)
}
