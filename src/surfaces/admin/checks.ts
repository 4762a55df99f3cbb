import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import * as apps from '#domain/apps'
import * as payments from '#domain/payments'
import { checkAndRecord } from '#flows/check-books'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import type { SessionContext } from '#http/guards/session'
import { requireStaff } from '#http/guards/staff'
import { redirectTo, sendPage } from '#http/pages'
import { declareTask, type ReportProgress, startTaskNow, type TaskKind } from '#http/tasks'
import { addSeconds } from '#platform/calendar'
import { latestTask, type TaskName } from '#platform/tasks'
import { counted } from '#platform/text'
import {
  type Checked,
  CheckedBooks,
  type EventsReprocessed,
  LISTED,
  ReprocessedEvents,
} from './check-results.ts'
import { ChecksPage } from './checks-page.tsx'

const HOME = '/admin/checks/'
const BOOKS = 'check_books'
const EVENTS = 'receive_events'

/** Two jobs that staff can run now: the ledger check, and reprocessing the processor's events. */
export function declareChecks(
  scope: FastifyInstance,
  world: World,
  handleEvents: () => Promise<number>,
): void {
  const kinds: Pick<TaskKind, 'kind' | 'title' | 'unit' | 'run'>[] = [
    {
      kind: BOOKS,
      title: 'Checking the ledger',
      unit: 'checks',
      run: async (_, report) => ({ next_url: HOME, ...(await checkTheBooks(world, report)) }),
    },
    {
      kind: EVENTS,
      title: 'Reprocessing events',
      run: async (_, report) => ({
        next_url: HOME,
        ...(await processPending(world, handleEvents, report)),
      }),
    },
  ]
  for (const kind of kinds) {
    declareTask(world, { ...kind, needs: 'checks', back: () => HOME })
  }

  scope.get(HOME, async (request, reply) => {
    const context = await requireStaff(world, request, reply, HOME, 'checks')
    const { role } = context
    const page = ChecksPage({
      role,
      csrf_token: csrfToken(world, request, reply),
      books: await latestOf(world, context, BOOKS, CheckedBooks),
      events: await latestOf(world, context, EVENTS, ReprocessedEvents),
      failed: await payments.listFailed(world.db, { limit: LISTED + 1 }),
    })
    return sendPage(reply, page)
  })
  for (const [path, kind] of [
    ['books', BOOKS],
    ['events', EVENTS],
  ] as const) {
    scope.post(`${HOME}${path}`, async (request, reply) => {
      const { session } = await requireStaff(world, request, reply, HOME, 'checks')
      const task = { kind, user_id: session.user_id, app_id: null, request: {} }
      return redirectTo(reply, await startTaskNow(world, task))
    })
  }
}

async function checkTheBooks(world: World, report: ReportProgress): Promise<Checked> {
  const { counts, differences } = await checkAndRecord(world, {
    is_whole: true,
    onProgress: report,
  })
  return { counts, differences: differences.slice(0, LISTED + 1) }
}

/**
 * Processes every event that was not handled yet, also those whose retry is not due; events are
 * identified by ID and handled once.
 */
async function processPending(
  { db, clock, processor }: World,
  handleEvents: () => Promise<number>,
  report: ReportProgress,
): Promise<EventsReprocessed> {
  await payments.retryFailed(db, clock.now())
  let processed = 0
  for (let fresh = await handleEvents(); fresh > 0; fresh = await handleEvents()) {
    processed += fresh
    await report({ done: 0, total: 0, note: `${counted(processed, 'event')} processed so far.` })
  }
  const furthest = addSeconds(clock.now(), await apps.furthestClock(db))
  const waiting = await processor.events(furthest, { limit: LISTED + 1 })
  return {
    processed,
    waiting: waiting.map(({ id, kind, at }) => ({ id, kind, at: at.toISOString() })),
  }
}

/** The latest result that this member of staff requested, and its time. */
async function latestOf<Result>(
  { db }: World,
  { session }: SessionContext,
  kind: TaskName,
  schema: z.ZodType<Result>,
) {
  const task = await latestTask(db, { kind, user_id: session.user_id })
  if (task?.status !== 'done') return undefined
  return { at: task.updated_at, ...schema.parse(task.result) }
}
