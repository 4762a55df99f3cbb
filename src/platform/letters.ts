import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import type { Jobs, Queue } from '#platform/jobs'
import type { Random } from '#platform/random'
import { sql } from '#platform/sql'

/** A letter that shall go out: of which kind, about what, and for which cause. */
export interface Letter {
  id: string
  /** Said once: a second letter for the same cause is not queued. */
  cause: string
  kind: string
  /** The id of what the letter tells of. */
  subject_id: string
  /** What else its words need; no secrets. */
  facts?: Record<string, string>
}

/** Eleven retries over some eight hours outlast what ails a mail server on most days. */
export const LETTERS: Queue = { name: 'letters', retries: 11, retry_seconds: 15, parallel: 5 }

/** Queues a letter as part of the caller's transaction; false where its cause had one before. */
export async function queueLetter(
  db: Db,
  now: Date,
  jobs: Jobs,
  letter: Letter,
  options: { urgent?: boolean } = {},
): Promise<boolean> {
  const inserted = await db.run(sql`insert into letters
    (id, cause, kind, subject_id, facts, queued_at)
    values (${letter.id}, ${letter.cause}, ${letter.kind}, ${letter.subject_id},
      ${JSON.stringify(letter.facts ?? {})}, ${now})
    on conflict (cause) do nothing`)
  if (inserted === 1) await jobs.send(db, LETTERS, { letter_id: letter.id }, options)
  return inserted === 1
}

/**
 * Queues a letter that has no cause but itself, so that it may go out as often as it is asked for.
 * A person waits for it: it goes ahead of receipts and notices.
 */
export async function queueFreshLetter(
  db: Db,
  now: Date,
  { jobs, random }: { jobs: Jobs; random: Random },
  letter: Pick<Letter, 'kind' | 'subject_id' | 'facts'>,
): Promise<void> {
  const id = mintId(random, 'letter')
  const fresh = { ...letter, id, cause: `${letter.kind}:${id}` }
  await queueLetter(db, now, jobs, fresh, { urgent: true })
}

/** A letter that is still to be sent; undefined where it went out before. */
export async function findUnsent(db: Db, id: string): Promise<Required<Letter> | undefined> {
  return await db.maybe<Required<Letter>>(sql`select id, cause, kind, subject_id, facts
    from letters where id = ${id} and sent_at is null`)
}

/** Notes that a letter went out. */
export async function markSent(db: Db, now: Date, id: string): Promise<void> {
  await db.run(sql`update letters set sent_at = ${now} where id = ${id}`)
}

/** The letters of these causes that went out, the first one first. */
export async function sentLetters(
  db: Db,
  causes: string[],
): Promise<{ cause: string; sent_at: Date }[]> {
  return await db.rows<{ cause: string; sent_at: Date }>(sql`select cause, sent_at from letters
    where cause = any(${causes}) and sent_at is not null order by sent_at, cause`)
}
