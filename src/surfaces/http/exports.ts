import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { forReports, type World } from '#flows/world'
import { DASHBOARD } from '#http/guards/seller'
import { requireRecentProof, requireSession, type SessionContext } from '#http/guards/session'
import { paramsOf, requireId } from '#http/input'
import { limitPage, people, redirectTo, sendFile, sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import { mayStillSee } from '#http/task-access'
import {
  declareTask,
  kindOf,
  type ReportProgress,
  startTaskNow,
  TASK_PATH,
  type TaskEnd,
  type TaskKind,
  taskAddress,
  taskLocale,
} from '#http/tasks'
import { addDays } from '#platform/calendar'
import { CSV, type CsvColumn, csvHeading, csvRows } from '#platform/csv'
import type { TaskId } from '#platform/ids'
import type { Limit } from '#platform/limits'
import {
  addPart,
  contentOf,
  deleteOlderFiles,
  dropFile,
  findFile,
  finishFile,
  KEPT_DAYS,
  KEPT_FILES,
  startFile,
  sweepFiles,
} from '#platform/task-files'
import { findTask, isUnderWay, latestTask, type Task } from '#platform/tasks'
import { ExportPage } from './export-page.tsx'

/** A table that a task exports as a CSV file. */
export interface Export<Row>
  extends Pick<TaskKind, 'kind' | 'needs' | 'needs_proof' | 'isAllowed' | 'back'> {
  /** The title of its progress page, such as "Exporting sales". */
  title: string
  columns: CsvColumn<Row>[]
  /** The name of the file. */
  nameOf(task: Task): string
  /** The number of rows, and the rows in pages that are read one after the other. */
  open(task: Task): Promise<{ total: number; pages: AsyncIterable<Row[]> }>
}

const EXPORTS: Limit = { name: 'exports', points: 60, seconds: 3600 }
const HOURLY = '40 * * * *'

/** Declares a kind of export; call while the site is set up. */
export function declareExport<Row>(world: World, table: Export<Row>): void {
  declareTask(world, {
    ...table,
    unit: 'rows',
    remains: 'No file was created.',
    run: (task, report) => make(forReports(world), table, task, report),
  })
}

/** Starts an export, or continues with the same one if it is running. */
export async function startExport(
  world: World,
  { reply, session }: SessionContext,
  requested: Pick<Task, 'kind' | 'app_id' | 'request'>,
): Promise<FastifyReply> {
  const { user_id } = session
  await limitPage(world, EXPORTS, user_id, reply)
  const latest = await latestTask(world.db, { kind: requested.kind, user_id })
  const isRequested =
    latest?.app_id === requested.app_id && isDeepStrictEqual(latest.request, requested.request)
  if (latest && isRequested && isUnderWay(world.clock.now(), latest)) {
    return redirectTo(reply, taskAddress(latest.id))
  }
  return redirectTo(reply, await startTaskNow(world, { ...requested, user_id }))
}

async function make<Row>(
  world: World,
  { columns, nameOf, open }: Export<Row>,
  task: Task,
  report: ReportProgress,
): Promise<TaskEnd> {
  return await saveFile(world, task, { name: nameOf(task), type: CSV }, async (write) => {
    const { total, pages } = await open(task)
    let done = 0
    await report({ done, total, note: '' })
    await write(csvHeading(columns))
    for await (const rows of pages) {
      await write(csvRows(columns, rows))
      done += rows.length
      // Rows may have been added since they were counted.
      await report({ done, total: Math.max(done, total), note: '' })
    }
    return done
  })
}

/** Saves the file of a task, part by part; `write` returns how many rows or records it has. */
export async function saveFile(
  { db, clock }: World,
  { id: task_id, user_id }: Task,
  file: { name: string; type: string },
  make: (write: (part: string | Buffer) => Promise<void>) => Promise<number>,
): Promise<TaskEnd> {
  await startFile(db, clock.now(), { task_id, ...file })
  try {
    let part = 0
    const rows = await make((content) =>
      addPart(db, { task_id, part: part++, content: Buffer.from(content) }),
    )
    await finishFile(db, { task_id, rows })
    await deleteOlderFiles(db, user_id)
  } catch (error) {
    await dropFile(db, task_id)
    throw error
  }
  return { next_url: readyAddress(task_id) }
}

function readyAddress(task_id: TaskId): string {
  return `${taskAddress(task_id)}ready/`
}

/** The download page of a finished export, and its file. */
export function exports(app: FastifyInstance, world: World): void {
  const { clock, jobs } = world
  const reporting = forReports(world)
  jobs.schedule('forget-exports', HOURLY, () => sweepFiles(reporting.db, clock.now()))
  people(app, world, (scope) => {
    scope.get(`${TASK_PATH}ready/`, async (request, reply) => {
      const context = await requireSession(world, request, reply, DASHBOARD)
      const { task, kind, back_url, file } = await exportOf(world, context)
      const shown = file && {
        ...file,
        url: `${taskAddress(task.id)}file`,
        kept_until: addDays(file.made_at, KEPT_DAYS),
      }
      const locale = taskLocale(kind, request)
      const kept = { days: KEPT_DAYS, count: KEPT_FILES }
      const page = ExportPage({ locale, back_url, kept, file: shown })
      return sendPage(reply, page, { status: file ? 200 : 410 })
    })

    scope.get(`${TASK_PATH}file`, async (request, reply) => {
      const context = await requireSession(world, request, reply, DASHBOARD)
      const { task, file } = await exportOf(world, context)
      if (!file) return redirectTo(reply, readyAddress(task.id))
      const content = Readable.from(contentOf(reporting.db, file), { objectMode: false })
      return sendFile(reply.header('content-length', file.bytes), file, content)
    })
  })
}

/** A finished export of this account; its file is undefined once deleted. */
async function exportOf(world: World, context: SessionContext) {
  const { db } = world
  const { request, session } = context
  const { user_id } = session
  const id = requireId('task', paramsOf(TASK_PATH, request).id)
  const task = await findTask(db, { id, user_id })
  const kind = task && kindOf(world, task.kind)
  const isExport = task?.status === 'done' && task.result?.next_url === readyAddress(id)
  if (!task || !kind || !isExport) throw refuse('not_found')
  if (!(await mayStillSee(world, kind, task))) throw refuse('not_found')
  if (kind.needs_proof) requireRecentProof(world, context, readyAddress(id))
  return { task, kind, back_url: kind.back(task), file: await findFile(db, id) }
}
