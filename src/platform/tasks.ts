import { z } from 'zod'
import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import { type AppId, idSchema, type TaskId, type UserId } from '#platform/ids'
import type { Jobs, Queue } from '#platform/jobs'
import { sql } from '#platform/sql'

/** The kinds of tasks, as keys: the layers above add theirs (src/flows/closed-sets.ts). */
// biome-ignore lint/suspicious/noEmptyInterface: the layers above add its keys.
export interface TaskKinds {}

/** What a task does, such as `check_books`. */
export type TaskName = keyof TaskKinds

/** Background work that a person waits for: what it is, its progress, and its result. */
export interface Task {
  id: TaskId
  kind: TaskName
  /** The account that requested it. */
  user_id: UserId
  app_id: AppId | null
  request: Record<string, unknown>
  done: number
  /** The amount of work; 0 while it is unknown. */
  total: number
  /** The current step, in words. */
  note: string
  status: 'waiting' | 'running' | 'done' | 'failed'
  result: Record<string, unknown> | null
  created_at: Date
  updated_at: Date
}

/** How far a task has come. */
export interface Progress {
  done: number
  total: number
  note: string
}

/**
 * A task is run once: one that failed half-way is not retried automatically. The import or the
 * export of a large seller, or a check of the whole books, may take hours.
 */
export const TASKS: Queue<{ task_id: TaskId }> = {
  name: 'tasks',
  schema: z.object({ task_id: idSchema('task') }),
  retries: 0,
  retry_seconds: 1,
  max_seconds: 12 * 3600,
}

// A task without progress for this long has crashed with its process.
const SILENT_SECONDS = 300

const COLUMNS = sql`id, kind, user_id, app_id, request, done, total, note, status, result,
  created_at, updated_at`

/** Queues a task as part of the caller's transaction. */
export async function queueTask(
  db: Db,
  now: Date,
  jobs: Jobs,
  task: Pick<Task, 'id' | 'kind' | 'user_id' | 'app_id' | 'request'>,
): Promise<void> {
  await db.run(sql`insert into tasks
    (id, kind, user_id, app_id, request, status, created_at, updated_at)
    values (${task.id}, ${task.kind}, ${task.user_id}, ${task.app_id},
      ${JSON.stringify(task.request)}, 'waiting', ${now}, ${now})`)
  await jobs.send(db, TASKS, { task_id: task.id })
}

/** Starts a waiting task; undefined if it was started before. */
export async function claimTask(db: Db, now: Date, id: TaskId): Promise<Task | undefined> {
  return await db.maybe<Task>(sql`update tasks set status = 'running', updated_at = ${now}
    where id = ${id} and status = 'waiting' returning ${COLUMNS}`)
}

/** Records the progress of a task; false if the task has ended and must stop. */
export async function recordProgress(
  db: Db,
  now: Date,
  id: TaskId,
  { done, total, note }: Progress,
): Promise<boolean> {
  const noted = await db.run(sql`update tasks set done = ${done}, total = ${total},
    note = ${note}, updated_at = ${now} where id = ${id} and status = 'running'`)
  return noted === 1
}

/** Ends a running task with its result, or with the reason of its failure as `message`. */
export async function endTask(
  db: Db,
  now: Date,
  id: TaskId,
  end: { status: 'done' | 'failed'; result: Record<string, unknown> },
): Promise<void> {
  await db.run(sql`update tasks set status = ${end.status}, updated_at = ${now},
      result = ${JSON.stringify(end.result)},
      done = case when ${end.status} = 'done' then total else done end
    where id = ${id} and status in ('waiting', 'running')`)
}

/** A task of an account. */
export async function findTask(
  db: Db,
  of: { id: TaskId; user_id: UserId },
): Promise<Task | undefined> {
  return await db.maybe<Task>(sql`select ${COLUMNS} from tasks
    where id = ${of.id} and user_id = ${of.user_id}`)
}

/** A task of any account. */
export async function findAnyTask(db: Db, id: TaskId): Promise<Task | undefined> {
  return await db.maybe<Task>(sql`select ${COLUMNS} from tasks where id = ${id}`)
}

/** A task about an app, of any account. */
export async function findTaskOf(
  db: Db,
  of: { id: TaskId; app_id: AppId },
): Promise<Task | undefined> {
  return await db.maybe<Task>(sql`select ${COLUMNS} from tasks
    where id = ${of.id} and app_id = ${of.app_id}`)
}

/** Tasks of some kinds about an app, latest first. */
export async function tasksOf(
  db: Db,
  of: { app_id: AppId; kinds: TaskName[]; limit: number },
): Promise<Task[]> {
  return await db.rows<Task>(sql`select ${COLUMNS} from tasks
    where app_id = ${of.app_id} and kind = any(${of.kinds})
    order by created_at desc, id limit ${of.limit}`)
}

/** The latest task of a kind that an account requested. */
export async function latestTask(
  db: Db,
  of: { kind: TaskName; user_id: UserId },
): Promise<Task | undefined> {
  return await db.maybe<Task>(sql`select ${COLUMNS} from tasks
    where user_id = ${of.user_id} and kind = ${of.kind} order by created_at desc, id limit 1`)
}

/** Whether a task is running, and did not crash with its process. */
export function isUnderWay(now: Date, { status, updated_at }: Task): boolean {
  const isOver = status === 'done' || status === 'failed'
  return !isOver && addSeconds(updated_at, SILENT_SECONDS) > now
}

/** Deletes the tasks of an account, with their files. */
export async function deleteTasks(db: Db, user_id: UserId): Promise<void> {
  await db.run(sql`delete from task_files
    where task_id in (select id from tasks where user_id = ${user_id})`)
  await db.run(sql`delete from tasks where user_id = ${user_id}`)
}
