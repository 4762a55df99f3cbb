import { z } from 'zod'
import { formatDay } from '#design/money'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { advanceClock } from '#flows/test-clock'
import { appTime, type World } from '#flows/world'
import { declareTask, type FindBusy, type ReportProgress, type TaskEnd } from '#http/tasks'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import { idSchema } from '#platform/ids'
import { isUnderWay, type Task, type TaskName, tasksOf } from '#platform/tasks'
import { counted } from '#platform/text'
import { clockAddress } from './clock-context.ts'
import { clockWorkOf, type TestMode } from './clock-work.ts'
import { runScenario } from './run-scenario.ts'
import { scenarioOf } from './scenarios.ts'

/** The stored request of an advance; `to` is ISO 8601 with milliseconds. */
export const AdvanceRequest = z.object({ slug: z.string(), to: z.string() })

/** The stored request of a scenario. */
export const ScenarioRequest = z.object({
  slug: z.string(),
  scenario: z.string(),
  price_id: idSchema('prc'),
  retry: z.string().optional(),
})

/** The stored result of an advance: the app's time before and after. */
export const StoredAdvance = z.object({
  from: z.string(),
  to: z.string(),
  requested: z.string(),
  outcome: z.enum(['there', 'stuck', 'refused']),
})

/** The stored result of a scenario, with the app's time before and after. */
export const ScenarioResult = z.object({
  license_id: idSchema('lic'),
  outcome: z.enum(['completed', 'stuck']),
  from: z.string(),
  to: z.string(),
})

export const ADVANCE = 'clock_advance' as const
export const SCENARIO = 'scenario' as const
const KINDS: TaskName[] = [ADVANCE, SCENARIO]
const DAY_MS = 86_400_000

/** Declares the task kinds of the test clock: advances and scenarios. */
export function declareWork(world: World, test_mode: TestMode): void {
  const back = ({ request }: Task) =>
    clockAddress(AdvanceRequest.pick({ slug: true }).parse(request))
  const shared = { view: 'view', stop: 'edit_apps' } as const
  declareTask(world, {
    kind: ADVANCE,
    title: 'Advancing the clock',
    unit: 'days',
    shared,
    back,
    run: (task, report) => runAdvance(world, test_mode, task, report),
  })
  declareTask(world, {
    kind: SCENARIO,
    title: 'Running a scenario',
    shared,
    back,
    run: (task, report) => runScenarioTask(world, test_mode, task, report),
  })
}

/** The running advance or scenario of an app, if there is one. */
export async function findRunningTask(
  { db, clock }: { db: Db; clock: Clock },
  app_id: AppId,
): Promise<Task | undefined> {
  const latest = await tasksOf(db, { app_id, kinds: KINDS, limit: 5 })
  return latest.find((task) => isUnderWay(clock.now(), task))
}

/** Finds the advance or scenario that keeps another one of the app from starting. */
export function findBusyClock({ clock }: World, app_id: AppId): FindBusy {
  return async (tx) => {
    await apps.lock(tx, app_id)
    return await findRunningTask({ db: tx, clock }, app_id)
  }
}

/** The latest advances and scenarios of an app. */
export async function latestWork({ db }: World, app_id: AppId): Promise<Task[]> {
  return await tasksOf(db, { app_id, kinds: KINDS, limit: 8 })
}

async function runAdvance(
  world: World,
  test_mode: TestMode,
  task: Task,
  report: ReportProgress,
): Promise<TaskEnd> {
  const { slug, to } = AdvanceRequest.parse(task.request)
  const app_id = task.app_id!
  const from = await timeOf(world, app_id)
  const daysTo = (at: Date) => Math.ceil(Math.max(0, at.getTime() - from.getTime()) / DAY_MS)
  const total = daysTo(new Date(to))
  await report({ done: 0, total, note: '' })
  const requested = { app_id, to: new Date(to), user_id: task.user_id, request_id: task.id }
  const work = clockWorkOf(world, test_mode, app_id)
  const { outcome } = await advanceClock(world, requested, work, ({ at, done_count }) =>
    report({
      done: daysTo(at),
      total,
      note: `${formatDay(at)}, ${counted(done_count, 'event')} so far.`,
    }),
  )
  const reached = await timeOf(world, app_id)
  return {
    next_url: `${clockAddress({ slug })}advances/${task.id}/`,
    ...({ from: iso(from), to: iso(reached), requested: to, outcome } satisfies z.input<
      typeof StoredAdvance
    >),
  }
}

async function runScenarioTask(
  world: World,
  test_mode: TestMode,
  task: Task,
  report: ReportProgress,
): Promise<TaskEnd> {
  const { slug, scenario: name, price_id, ...chosen } = ScenarioRequest.parse(task.request)
  const app_id = task.app_id!
  const scenario = scenarioOf(name, chosen)!
  const price = await catalog.getPrice(world.db, price_id)
  const from = await timeOf(world, app_id)
  const actor = { kind: 'seller', user_id: task.user_id, request_id: task.id } as const
  const result = await runScenario(world, test_mode, { scenario, price, actor }, (note) =>
    report({ done: 0, total: 0, note }),
  )
  const reached = await timeOf(world, app_id)
  return {
    next_url: `${clockAddress({ slug })}scenarios/${task.id}/`,
    ...({ ...result, from: iso(from), to: iso(reached) } satisfies z.input<typeof ScenarioResult>),
  }
}

async function timeOf(world: World, app_id: AppId): Promise<Date> {
  return appTime(world, await apps.get(world.db, app_id))
}

function iso(at: Date): string {
  return at.toISOString()
}
