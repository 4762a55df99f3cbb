import { setImmediate as others } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { DASHBOARD } from '#http/guards/seller'
import { requireAnySession, type SessionContext } from '#http/guards/session'
import { paramsOf, requireId } from '#http/input'
import { people, redirectTo, sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import { accessTo } from '#http/task-access'
import type { ReportProgress, TaskKind } from '#http/task-kind'
import type { Db } from '#platform/db'
import { mintId, type TaskId } from '#platform/ids'
import { ENGLISH, type Locale } from '#platform/language/locale'
import { localeOf } from '#platform/language/request'
import {
  claimTask,
  endTask,
  findAnyTask,
  isUnderWay,
  queueTask,
  recordProgress,
  TASKS,
  type Task,
  type TaskName,
} from '#platform/tasks'
import { TaskPage } from './task-page.tsx'

export type { ReportProgress, TaskEnd, TaskKind } from '#http/task-kind'

/** The parts of a result that the progress page reads. */
const TaskResult = z.object({
  next_url: z.string().optional(),
  message: z.string().optional(),
  was_stopped: z.boolean().optional(),
})

/** The tasks of a world: their kinds, and those that this process is running. */
interface TaskRunner {
  kinds: Map<TaskName, TaskKind>
  running: Map<string, Promise<void>>
  is_closing: boolean
}

// Keyed by `jobs`, which a world shares with its copy for reports.
const runners = new WeakMap<World['jobs'], TaskRunner>()

function runnerOf({ jobs }: World): TaskRunner {
  const known = runners.get(jobs) ?? { kinds: new Map(), running: new Map(), is_closing: false }
  runners.set(jobs, known)
  return known
}

/** Declares a kind of task; call while the site is set up. */
export function declareTask(world: World, kind: TaskKind): void {
  runnerOf(world).kinds.set(kind.kind, kind)
}

/** A kind of task by name. */
export function kindOf(world: World, name: TaskName): TaskKind | undefined {
  return runnerOf(world).kinds.get(name)
}

type TaskRequest = Pick<Task, 'kind' | 'user_id' | 'app_id' | 'request'>

/** Queues a task for an account, and returns the path of its page. */
export async function startTask(world: World, tx: Db, task: TaskRequest): Promise<string> {
  return taskAddress(await queued(world, tx, task))
}

async function queued({ clock, jobs, random }: World, tx: Db, task: TaskRequest): Promise<TaskId> {
  const id = mintId(random, 'task')
  await queueTask(tx, clock.now(), jobs, { ...task, id })
  return id
}

/** The route pattern of a task's page. */
export const TASK_PATH = '/tasks/:id/'

/** The path of a task's page. */
export function taskAddress(id: TaskId): string {
  return `/tasks/${id}/`
}

const PATIENCE_MS = 2000

/**
 * Finds the task that has to end first, in the transaction that would queue another one. It locks
 * what the tasks are about, so that of several requests at once one starts a task.
 */
export type FindBusy = (tx: Db) => Promise<Task | undefined>

/**
 * Starts a task in this process and waits briefly for it. The page at the returned path redirects
 * to the result, or shows the progress of a longer task: of the one that is busy, if there is one.
 */
export async function startTaskNow(
  world: World,
  task: TaskRequest,
  findBusy?: FindBusy,
): Promise<string> {
  return taskAddress((await runTaskNow(world, task, findBusy)).id)
}

/**
 * Starts a task in this process and waits briefly for it. Returns its ID, or that of the busy task
 * that kept it from being started.
 */
export async function runTaskNow(
  world: World,
  task: TaskRequest,
  findBusy: FindBusy = async () => undefined,
): Promise<{ id: TaskId; is_busy: boolean }> {
  const { id, is_busy } = await world.db.tx(async (tx) => {
    const busy = await findBusy(tx)
    return busy ? { ...busy, is_busy: true } : { id: await queued(world, tx, task), is_busy: false }
  })
  if (is_busy) return { id, is_busy }
  // It is also queued: if this process dies first, another one runs it.
  const work = runnerOf(world).running.get(id) ?? take(world, id)
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS)
  })
  await Promise.race([work, patience])
  clearTimeout(timer)
  return { id, is_busy }
}

/** Runs a task to its end; a task that was claimed before is left alone. */
function take(world: World, id: TaskId): Promise<void> {
  const { running } = runnerOf(world)
  const work = run(world, id).finally(() => running.delete(id))
  running.set(id, work)
  return work
}

/** Thrown when the person or the service stops a task. */
class Stopped extends Error {}

/** The language of a task's pages. */
export function taskLocale({ is_translated }: TaskKind, request: FastifyRequest): Locale {
  return is_translated ? localeOf(request) : ENGLISH
}

/** Why a task ended early, and what remains of it. */
function faultOf(kind: TaskKind, { t }: Locale, was_stopped: boolean): string {
  const { is_translated, remains = 'Completed steps are kept.' } = kind
  return t(was_stopped ? 'task.stopped' : 'task.failed', {
    remains: is_translated ? t(kind.remains) : remains,
  })
}

async function run(world: World, id: TaskId): Promise<void> {
  const { db, clock, log } = world
  const runner = runnerOf(world)
  const task = await claimTask(db, clock.now(), id)
  if (!task) return
  const kind = kindOf(world, task.kind)
  if (!kind) {
    log.error({ task_id: id, kind: task.kind }, 'task of an unknown kind')
    const message = 'This task does not exist in the current version of the service.'
    return await endTask(db, clock.now(), id, { status: 'failed', result: { message } })
  }
  const report: ReportProgress = async (progress) => {
    const goesOn = await recordProgress(db, clock.now(), id, progress)
    if (!goesOn || runner.is_closing) throw new Stopped()
    // The embedded database answers without leaving the process, so this lets other work run.
    await others()
  }
  try {
    const result = await kind.run(task, report)
    await endTask(db, clock.now(), id, { status: 'done', result })
  } catch (error) {
    const isWanted = error instanceof Stopped
    if (!isWanted) log.error({ error, task_id: id }, 'task failed')
    await endTask(db, clock.now(), id, { status: 'failed', result: { was_stopped: isWanted } })
  }
}

/** The worker of tasks, and the page that shows their progress. */
export function tasks(app: FastifyInstance, world: World): void {
  const { db, clock } = world
  const runner = runnerOf(world)

  world.jobs.handle(TASKS, async ({ task_id }) => {
    // A task that already runs here is not awaited, so that it delays no other.
    if (!runner.running.has(task_id)) await take(world, task_id)
  })
  app.addHook('onClose', async () => {
    runner.is_closing = true
    await Promise.all(runner.running.values())
  })

  people(app, world, (scope) => {
    scope.get(TASK_PATH, async (request, reply) => {
      const context = await requireAnySession(world, request, reply, DASHBOARD)
      const { task, kind, can_stop } = await requireTask(world, context)
      const { next_url, message, was_stopped = false } = TaskResult.parse(task.result ?? {})
      if (task.status === 'done') return redirectTo(reply, next_url!)
      const isUnderWayNow = isUnderWay(clock.now(), task)
      const locale = taskLocale(kind, request)
      const page = TaskPage({
        ...task,
        locale,
        csrf_token: csrfToken(world, request, reply),
        title: kind.is_translated ? locale.t(kind.title) : kind.title,
        unit: kind.unit,
        back_url: kind.back(task),
        fault: isUnderWayNow ? undefined : (message ?? faultOf(kind, locale, was_stopped)),
        was_stopped,
        can_stop,
      })
      // The page's script waits while the status is 202.
      return sendPage(reply, page, { status: isUnderWayNow ? 202 : 200 })
    })

    scope.post(`${TASK_PATH}stop`, async (request, reply) => {
      const context = await requireAnySession(world, request, reply, DASHBOARD)
      const { task, can_stop } = await requireTask(world, context)
      if (!can_stop) throw refuse('not_found')
      const { id } = task
      await endTask(db, clock.now(), id, { status: 'failed', result: { was_stopped: true } })
      // The page says that the task stopped only after its current step has ended.
      await runner.running.get(id)
      return redirectTo(reply, taskAddress(id))
    })
  })
}

/**
 * The task in the path, for the account that requested it, and for members of the app's seller if
 * its kind is shared with them; 404 for everyone else.
 */
async function requireTask(world: World, context: SessionContext) {
  const id = requireId('task', paramsOf(TASK_PATH, context.request).id)
  const task = await findAnyTask(world.db, id)
  const kind = task && kindOf(world, task.kind)
  const access = kind && (await accessTo(world, context, { task, kind }))
  if (!access) throw refuse('not_found')
  return { task, kind, ...access }
}
