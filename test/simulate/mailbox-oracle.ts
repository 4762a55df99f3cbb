import type { SessionId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { accountsWith } from './accounts-oracle.ts'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'
import type { RecordedLink, RecordedStep, RecordedUse } from './record.ts'
import { valuesDuring } from './recorded-change.ts'
import { wasOn } from './switches.ts'

/**
 * Compares what emailed links did with the mailboxes that they arrived in, and with everything
 * else that was asked of their accounts.
 */
export async function mailboxFaults(fixture: Fixture): Promise<Broken[]> {
  return [
    {
      rule: 'a link to sign in opens the account that has its mailbox, and no other',
      facts: fixture.record.uses.filter((use) => isFromOtherMailbox(fixture, use)),
    },
    { rule: 'an emailed link works once', facts: usedAgain(fixture) },
    {
      rule: 'an emailed link works until it expires, unless something else happens to its account',
      facts: await wronglyRefused(fixture),
    },
    { rule: 'an undone change of email leaves no session', facts: await sessionsLeft(fixture) },
    { rule: 'a change of email is not made after its undo', facts: madeAfterUndo(fixture) },
    { rule: 'an account is locked as it was answered', facts: await otherLocks(fixture) },
  ].filter(({ facts }) => facts.length > 0)
}

const isDone = ({ outcome }: RecordedStep) => /^(session|pending|changed|undone)/.test(outcome)

function isFromOtherMailbox({ record }: Fixture, use: RecordedUse): boolean {
  const { link, user_id, at, until, outcome } = use
  if (link.change_id !== null || outcome !== 'session') return false
  const of = { subject: user_id, otherwise: link.mailbox }
  return !valuesDuring(record.emails, { ...of, from: at, until: until! }).has(link.mailbox)
}

function usedAgain({ record }: Fixture): RecordedUse[][] {
  const uses = Map.groupBy(record.uses.filter(isDone), ({ link }) => link.token)
  return [...uses.values()].filter(({ length }) => length > 1)
}

const HOUR = 3600
const LIFE_SECONDS = {
  sign_in: HOUR / 3,
  set_password: HOUR,
  change_email: 24 * HOUR,
  undo_email: 7 * 24 * HOUR,
}

/** Whether a link may have expired when it was used. */
function mayHaveExpired({ purpose, at }: RecordedLink, until: Date): boolean {
  return until.getTime() >= at.getTime() + LIFE_SECONDS[purpose] * 1000
}

async function wronglyRefused(fixture: Fixture): Promise<RecordedUse[]> {
  const wrong: RecordedUse[] = []
  for (const use of fixture.record.uses) {
    const { link, until, outcome } = use
    if (isDone(use) || outcome === 'unknown' || mayHaveExpired(link, until!)) continue
    if (othersSince(fixture, use)) continue
    if (outcome === 'taken' && (await isTaken(fixture, use))) continue
    if (['paying', 'taken'].includes(outcome) && (await isPaying(fixture, use))) continue
    wrong.push(use)
  }
  return wrong
}

/** Whether something else may have happened to the account since the link was written. */
function othersSince(fixture: Fixture, use: RecordedUse): boolean {
  const { record } = fixture
  const { user_id, link } = use
  const changes = record.emails.filter(({ is_made }) => is_made !== false)
  const others: Pick<RecordedStep, 'user_id' | 'at' | 'until'>[] = [
    ...record.uses.filter((each) => each !== use && each.outcome !== 'used'),
    ...record.wishes,
    ...record.security.filter(({ is_made, link }) => is_made !== false && link !== use.link),
    ...changes.map(({ subject, at, ended_at: until }) => {
      return { user_id: subject as UserId, at, ...(until && { until }) }
    }),
  ]
  const isOther = others.some((each) => {
    const isBefore = each.until !== undefined && each.until < link.at
    return each.user_id === user_id && !isBefore && each.at <= use.until!
  })
  return isOther || wasOn(fixture, `open ${user_id}`, { at: link.at, until: use.until! }) !== true
}

async function isTaken(fixture: Fixture, { link, user_id, at, until }: RecordedUse) {
  const holders = await accountsWith(fixture, link.mailbox, [at, until!])
  return holders.some((id) => id !== user_id)
}

/** Whether a payment with one of the addresses was pending. */
async function isPaying({ harness }: Fixture, { link, at, until }: RecordedUse): Promise<boolean> {
  const emails = [link.mailbox, (link.other ?? '').toLowerCase()]
  const attempts = await harness.db.rows(sql`select id from attempts
    where email_normalized = any(${emails}) and created_at <= ${until!}
      and (settled_at is null or settled_at >= ${at})`)
  return attempts.length > 0
}

/** The sessions from before an undo that are still there. */
async function sessionsLeft({ harness, record }: Fixture): Promise<unknown[]> {
  const undone = record.uses.filter(({ link, outcome }) => {
    return link.purpose === 'undo_email' && /^(undone|taken)/.test(outcome)
  })
  const ids = undone.flatMap(({ sessions }) => sessions)
  return await harness.db.rows<{ id: SessionId }>(
    sql`select id, user_id from sessions where id = any(${ids})`,
  )
}

function madeAfterUndo({ record }: Fixture): unknown[] {
  const of = (purpose: RecordedLink['purpose']) =>
    record.uses.filter((use) => use.link.purpose === purpose && isDone(use))
  return of('change_email').flatMap((made) => {
    const undone = of('undo_email').find(({ link, until }) => {
      return link.change_id === made.link.change_id && until! < made.at
    })
    return undone ? [{ made, undone }] : []
  })
}

async function otherLocks(fixture: Fixture): Promise<unknown[]> {
  const { harness, world } = fixture
  const now = { at: world.clock.now(), until: world.clock.now() }
  const accounts = await harness.db.rows<{ id: UserId; is_open: boolean }>(
    sql`select id, locked_at is null as is_open from users`,
  )
  return accounts.filter(({ id, is_open }) => wasOn(fixture, `open ${id}`, now) === !is_open)
}
