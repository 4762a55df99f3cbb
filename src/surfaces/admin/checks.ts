import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import * as apps from '#domain/apps'
import { checkBooks } from '#flows/check-books'
import type { World } from '#flows/world'
import { accountNav } from '#http/account-menu'
import { csrfToken } from '#http/form-token'
import type { SessionContext } from '#http/guards/session'
import { requireStaff } from '#http/guards/staff'
import { goTo, sendPage } from '#http/pages'
import { declareTask, type ReportProgress, startTaskNow, type TaskKind } from '#http/tasks'
import { addSeconds } from '#platform/calendar'
import { latestTask, type TaskName } from '#platform/tasks'
import { counted } from '#platform/text'
import {
  type Checked,
  CheckedBooks,
  type EventsReprocessed,
  ReprocessedEvents,
} from './check-results.ts'
import { ChecksPage } from './checks-page.tsx'

const HOME = '/admin/checks/'
const BOOKS = 'check_books'
const EVENTS = 'receive_events'
// A page shows the first of them; `npm run ledger:check` lists all.
const MOST_SHOWN = 100

/** Two jobs that staff can run by hand: the check of the books, and the processor's events. */
export function declareChecks(
  scope: FastifyInstance,
  world: World,
  hear: () => Promise<number>,
): void {
  const kinds: Omit<TaskKind, 'back' | 'place'>[] = [
    {
      kind: BOOKS,
      title: 'Checking the ledger',
      unit: 'checks',
      run: async (_, report) => ({ next_url: HOME, ...(await checkTheBooks(world, report)) }),
    },
    {
      kind: EVENTS,
      title: 'Reprocessing events',
      run: async (_, report) => ({ next_url: HOME, ...(await hearAgain(world, hear, report)) }),
    },
  ]
  for (const kind of kinds) declareTask(world, { ...kind, place: 'admin', back: () => HOME })

  scope.get(HOME, async (request, reply) => {
    const context = await requireStaff(world, request, reply, HOME)
    const { session } = context
    const page = ChecksPage({
      nav: await accountNav(world, session.user_id, 'admin'),
      csrf_token: csrfToken(world, request, reply),
      books: await latestOf(world, context, BOOKS, CheckedBooks),
      events: await latestOf(world, context, EVENTS, ReprocessedEvents),
    })
    return sendPage(reply, page)
  })
  for (const [path, kind] of [
    ['books', BOOKS],
    ['events', EVENTS],
  ] as const) {
    scope.post(`${HOME}${path}`, async (request, reply) => {
      const { session } = await requireStaff(world, request, reply, HOME)
      const task = { kind, user_id: session.user_id, app_id: null, request: {} }
      return goTo(reply, await startTaskNow(world, task))
    })
  }
}

async function checkTheBooks(
  { db, processor, clock }: World,
  report: ReportProgress,
): Promise<Checked> {
  const sides = { db: db.patient, processor, clock }
  const { counts, differences } = await checkBooks(sides, report)
  return { counts, differences: differences.slice(0, MOST_SHOWN) }
}

/** Hears all that was not handled yet. What was handled is known by its id, and is left alone. */
async function hearAgain(
  { db, clock, processor }: World,
  hear: () => Promise<number>,
  report: ReportProgress,
): Promise<EventsReprocessed> {
  let heard = 0
  for (let fresh = await hear(); fresh > 0; fresh = await hear()) {
    heard += fresh
    await report({ done: 0, total: 0, note: `${counted(heard, 'event')} processed so far.` })
  }
  const furthest = addSeconds(clock.now(), await apps.furthestClock(db))
  const waiting = (await processor.events(furthest)).slice(0, MOST_SHOWN)
  return {
    heard,
    waiting: waiting.map(({ id, kind, at }) => ({ id, kind, at: at.toISOString() })),
  }
}

/** What came of the latest run that this member of the staff asked for, and when. */
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
