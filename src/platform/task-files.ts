import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { TaskId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'

/** A file that a task created, ready to be downloaded. */
export interface TaskFile {
  task_id: TaskId
  name: string
  /** Its media type. */
  type: string
  /** How many rows its table has, without the heading. */
  rows: number
  bytes: number
  made_at: Date
}

/** How long a file is kept. */
export const KEPT_DAYS = 7
/** How many complete files of an account are kept: a newer one replaces the oldest. */
export const KEPT_FILES = 10

/** Creates the empty file of a task. */
export async function startFile(
  db: Db,
  now: Date,
  { task_id, name, type }: Pick<TaskFile, 'task_id' | 'name' | 'type'>,
): Promise<void> {
  await db.run(sql`insert into task_files (task_id, name, type, made_at)
    values (${task_id}, ${name}, ${type}, ${now})`)
}

/** Adds a part to a file; parts are counted from 0. */
export async function addPart(
  db: Db,
  { task_id, part, content }: { task_id: TaskId; part: number; content: Buffer },
): Promise<void> {
  await db.run(sql`insert into task_file_parts (task_id, part, content)
    values (${task_id}, ${part}, ${content})`)
}

/** Marks a file as complete: from here on it can be found. */
export async function finishFile(
  db: Db,
  { task_id, rows }: Pick<TaskFile, 'task_id' | 'rows'>,
): Promise<void> {
  await db.run(sql`update task_files set rows = ${rows}, bytes =
      (select coalesce(sum(octet_length(content)), 0) from task_file_parts
        where task_id = ${task_id})
    where task_id = ${task_id}`)
}

/** Deletes the complete files of an account beyond the latest that are kept. */
export async function deleteOlderFiles(db: Db, user_id: UserId): Promise<void> {
  await db.run(sql`delete from task_files where task_id in
    (select f.task_id from tasks t join task_files f on f.task_id = t.id
      where t.user_id = ${user_id} and f.bytes is not null
      order by f.made_at desc, f.task_id desc offset ${KEPT_FILES})`)
}

/** Deletes an incomplete file. */
export async function dropFile(db: Db, task_id: TaskId): Promise<void> {
  await db.run(sql`delete from task_files where task_id = ${task_id}`)
}

/** The complete file of a task; undefined if there is none, or its retention is over. */
export async function findFile(db: Db, task_id: TaskId): Promise<TaskFile | undefined> {
  return await db.maybe<TaskFile>(sql`select task_id, name, type, rows, bytes, made_at
    from task_files where task_id = ${task_id} and bytes is not null`)
}

/** The content of a file, read part by part; throws if parts are missing. */
export async function* contentOf(
  db: Db,
  { task_id, bytes }: Pick<TaskFile, 'task_id' | 'bytes'>,
): AsyncGenerator<Buffer> {
  for (let part = 0, sent = 0; sent < bytes; part++) {
    const { content } = await db.one<{ content: Buffer }>(sql`select content
      from task_file_parts where task_id = ${task_id} and part = ${part}`)
    yield content
    sent += content.length
  }
}

/** Deletes files whose retention is over. */
export async function sweepFiles(db: Db, now: Date): Promise<void> {
  await db.run(sql`delete from task_files where made_at <= ${addDays(now, -KEPT_DAYS)}`)
}
