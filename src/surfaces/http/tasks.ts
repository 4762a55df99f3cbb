import { setImmediate as others } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { World } from '#flows/world'
import { accountNav, type MenuPlace } from '#http/account-menu'
import { csrfToken } from '#http/form-token'
import { requireAnySession } from '#http/guards/session'
import { paramsOf } from '#http/input'
import { goTo, people, sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import {
  beginTask,
  endTask,
  findTask,
  isUnderWay,
  noteProgress,
  type Progress,
  queueTask,
  TASKS,
  type Task,
  type TaskName,
} from '#platform/tasks'
import { TaskPage } from './task-page.tsx'

/** Says how far long work has come; it throws where the work is to be left as it is. */
export type ReportProgress = (progress: Progress) => Promise<void>

/** A kind of long work: how its page names it, and how it is done. */
export interface TaskKind {
  kind: TaskName
  title: string
  /** What its progress counts, such as "days". */
  unit?: string
  /** Where in the account's menu it belongs; a seller's apps unless said otherwise. */
  place?: MenuPlace
  /** What is left of it where it does not come to its end; what was done stays done. */
  remains?: string
  /** Does the work, tells how far it is, and returns what the person is sent on to see. */
  run(task: Task, report: ReportProgress): Promise<TaskEnd>
  /** Where the person came from, for the way back. */
  back(task: Task): string
}

/** What the page of long work reads of its result. */
const TaskResult = z.object({ next_url: z.string().optional(), message: z.string().optional() })

/** What came of long work: the address on which it is seen, and what that page needs to know. */
export type TaskEnd = { next_url: string } & Record<string, unknown>

/** The long work of a world: its kinds, and what of it this process has in hand. */
interface Workshop {
  kinds: Map<TaskName, TaskKind>
  inHand: Map<string, Promise<void>>
  isClosing: boolean
}

// By its jobs, which a world shares with its copy for reports.
const workshops = new WeakMap<World['jobs'], Workshop>()

function workshopOf({ jobs }: World): Workshop {
  const known = workshops.get(jobs) ?? { kinds: new Map(), inHand: new Map(), isClosing: false }
  workshops.set(jobs, known)
  return known
}

/** Declares a kind of long work; call while the site is put together. */
export function declareTask(world: World, kind: TaskKind): void {
  workshopOf(world).kinds.set(kind.kind, kind)
}

/** A kind of long work by its name. */
export function kindOf(world: World, name: TaskName): TaskKind | undefined {
  return workshopOf(world).kinds.get(name)
}

type TaskRequest = Pick<Task, 'kind' | 'user_id' | 'app_id' | 'request'>

/** Queues long work for an account, and returns the address of its page. */
export async function startTask(
  { clock, jobs, random }: World,
  tx: Db,
  task: TaskRequest,
): Promise<string> {
  const id = mintId(random, 'task')
  await queueTask(tx, clock.now(), jobs, { ...task, id })
  return addressOf(id)
}

/** The address of a task's page, as its route has it. */
export const TASK_PATH = '/tasks/:id/'
const HOME = '/dashboard/'

/** The address of a task's page. */
export function addressOf(id: string): string {
  return `/tasks/${id}/`
}

const PATIENCE_MS = 2000

/**
 * Begins long work at once, in this process, and waits a little for it: the page whose address is
 * returned then leads on to what came of it. What takes longer is watched there.
 */
export async function startTaskNow(world: World, task: TaskRequest): Promise<string> {
  const page = await world.db.tx((tx) => startTask(world, tx, task))
  // It is queued too: if this process dies before it begins, another one takes it.
  const id = page.split('/')[2]!
  const work = workshopOf(world).inHand.get(id) ?? take(world, id)
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS)
  })
  await Promise.race([work, patience])
  clearTimeout(timer)
  return page
}

/** Takes a task in hand and ends it, whatever happens; one that was taken before is left alone. */
function take(world: World, id: string): Promise<void> {
  const { inHand } = workshopOf(world)
  const work = run(world, id).finally(() => inHand.delete(id))
  inHand.set(id, work)
  return work
}

/** Thrown where the person or the service wants long work to stop. */
class Stopped extends Error {}

const remainsOf = ({ remains = 'Completed steps are kept.' }: TaskKind) => remains
const halfWay = (kind: TaskKind) =>
  `The task failed before it finished. ${remainsOf(kind)} Try again.`
const stopped = (kind: TaskKind) => `The task was stopped. ${remainsOf(kind)}`

async function run(world: World, id: string): Promise<void> {
  const { db, clock, log } = world
  const workshop = workshopOf(world)
  const task = await beginTask(db, clock.now(), id)
  if (!task) return
  const kind = kindOf(world, task.kind)!
  const report: ReportProgress = async (progress) => {
    const goesOn = await noteProgress(db, clock.now(), id, progress)
    if (!goesOn || workshop.isClosing) throw new Stopped()
    // The embedded engine answers without leaving the process: others must have their turn.
    await others()
  }
  try {
    const result = await kind.run(task, report)
    await endTask(db, clock.now(), id, { status: 'done', result })
  } catch (error) {
    const isWanted = error instanceof Stopped
    if (!isWanted) log.error({ error, task_id: id }, 'task failed')
    const message = isWanted ? stopped(kind) : halfWay(kind)
    await endTask(db, clock.now(), id, { status: 'failed', result: { message } })
  }
}

/** The worker of long work, and the page on which people watch it. */
export function tasks(app: FastifyInstance, world: World): void {
  const { db, clock } = world
  const workshop = workshopOf(world)

  world.jobs.handle<{ task_id: string }>(TASKS, async ({ task_id }) => {
    // One that was begun at once is not waited for, so that it delays no other.
    if (!workshop.inHand.has(task_id)) await take(world, task_id)
  })
  app.addHook('onClose', async () => {
    workshop.isClosing = true
    await Promise.all(workshop.inHand.values())
  })

  people(app, world, (scope) => {
    scope.get(TASK_PATH, async (request, reply) => {
      const { session } = await requireAnySession(world, request, reply, HOME)
      const { id } = paramsOf(TASK_PATH, request)
      const task = await findTask(db, { id, user_id: session.user_id })
      const kind = task && kindOf(world, task.kind)
      if (!kind) throw refuse('not_found')
      const { next_url, message } = TaskResult.parse(task.result ?? {})
      if (task.status === 'done') return goTo(reply, next_url!)
      const isUnderWayNow = isUnderWay(clock.now(), task)
      const page = TaskPage({
        ...task,
        nav: await accountNav(world, session.user_id, kind.place ?? 'apps'),
        csrf_token: csrfToken(world, request, reply),
        title: kind.title,
        unit: kind.unit,
        back_url: kind.back(task),
        fault: isUnderWayNow ? undefined : (message ?? halfWay(kind)),
      })
      // "Accepted, not yet done" is what the page's script waits out.
      return sendPage(reply, page, { status: isUnderWayNow ? 202 : 200 })
    })

    scope.post(`${TASK_PATH}stop`, async (request, reply) => {
      const { session } = await requireAnySession(world, request, reply, HOME)
      const { id } = paramsOf(TASK_PATH, request)
      const task = await findTask(db, { id, user_id: session.user_id })
      const kind = task && kindOf(world, task.kind)
      if (!kind) throw refuse('not_found')
      const result = { message: stopped(kind) }
      await endTask(db, clock.now(), id, { status: 'failed', result })
      // The page says that it stopped only after the step in hand is done.
      await workshop.inHand.get(id)
      return goTo(reply, addressOf(id))
    })
  })
}
