import type { FastifyInstance, FastifyRequest } from 'fastify'
import { actOnJob } from '#flows/staff-actions'
import { forReports, type World } from '#flows/world'
import { type ActionNote, noteFor } from '#http/action-note'
import { csrfToken } from '#http/form-token'
import { requireStaff } from '#http/guards/staff'
import { paramsOf, queryOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { pageOf } from '#http/pagination'
import { refuse } from '#http/refusals'
import type { JobAction } from '#platform/job-actions'
import {
  countJobs,
  findJob,
  type JobCursor,
  jobQueues,
  listJobs,
  listSchedules,
  readJobState,
} from '#platform/job-log'
import { redactData, redactOutput } from '#platform/redact'
import { JobPage } from './job-page.tsx'
import { JobsPage } from './jobs-page.tsx'
import { ON_A_PAGE } from './paging.ts'
import { COMMON_NOTES, readFilledForm, requireReason } from './require-reason.ts'

const HOME = '/admin/jobs/'
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const JOB = `${HOME}:queue(^[a-z-]{1,60}$)/:job_id(^${UUID}$)/`
const CURSOR = /^(\d{1,16})\.([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

/** The job queue: its jobs by state, its schedules, and what staff do with a job. */
export function declareJobs(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  const { db } = reporting
  scope.get(HOME, async (request, reply) => {
    const { role } = await requireStaff(reporting, request, reply, HOME, 'jobs')
    const queues = await jobQueues(db)
    const state = readJobState(queryOf(request, 'state')) ?? 'failed'
    const queue = queues.find((name) => name === queryOf(request, 'queue'))
    const below = readCursor(queryOf(request, 'below'))
    const found = await listJobs(db, { state, queue, below, limit: ON_A_PAGE + 1 })
    const { rows: jobs, ...addresses } = pageOf(found, {
      size: ON_A_PAGE,
      path: HOME,
      query: { state, queue },
      is_first: !below,
      belowOf: cursorText,
    })
    const now = world.clock.now()
    const page = JobsPage({
      role,
      counts: await countJobs(db),
      queues,
      state,
      queue,
      jobs: jobs.map((job) => ({ ...job, error: errorOf(job.output) })),
      schedules: (await listSchedules(db)).map((schedule) => ({
        ...schedule,
        next_at: world.jobs.nextRun(schedule.cron, now),
      })),
      ...addresses,
      note: noteFor(request, NOTES),
    })
    return sendPage(reply, page)
  })

  scope.get(JOB, async (request, reply) => {
    const { role } = await requireStaff(reporting, request, reply, HOME, 'jobs')
    const job = await findJob(db, nameOf(request))
    if (!job) throw refuse('not_found')
    const page = JobPage({
      csrf_token: csrfToken(world, request, reply),
      role,
      job,
      data: JSON.stringify(redactData(job.data), null, 2),
      output: job.output && JSON.stringify(redactOutput(job.output), null, 2),
      filled: readFilledForm(request),
      note: noteFor(request, NOTES),
    })
    return sendPage(reply, page)
  })
  for (const action of ['retry', 'cancel', 'discard'] as const) declareAction(scope, world, action)
}

function declareAction(scope: FastifyInstance, world: World, action: JobAction): void {
  scope.post(`${JOB}${action}`, async (request, reply) => {
    const job = nameOf(request)
    const path = `jobs/${job.queue}/${job.id}/`
    const { staff } = await requireReason(world, request, reply, {
      here: `/admin/${path}`,
      permission: 'jobs',
      action: `${path}${action}`,
      subject: job.id,
    })
    const outcome = await actOnJob(world, staff, { action, ...job })
    const done = outcome === 'done' ? action : outcome
    const isGone = action === 'discard' && outcome === 'done'
    return redirectTo(reply, `${isGone ? HOME : `/admin/${path}`}?done=${done}`)
  })
}

function nameOf(request: FastifyRequest) {
  const { queue, job_id } = paramsOf('/:queue/:job_id/', request)
  return { queue, id: job_id }
}

/** The message of a failed attempt, without addresses and secrets. */
function errorOf(output: Record<string, unknown> | null): string | undefined {
  const message = redactOutput(output?.message)
  return typeof message === 'string' ? message.slice(0, 300) : undefined
}

const NOTES: Record<string, ActionNote> = {
  ...COMMON_NOTES,
  retry: { tone: 'success', text: 'The job is queued again.' },
  cancel: { tone: 'success', text: 'Job canceled. It does not run unless you retry it.' },
  discard: { tone: 'success', text: 'Job discarded.' },
  queued_again: {
    tone: 'warning',
    text: 'Not retried: the same job is already queued or running.',
  },
  nothing: { tone: 'warning', text: 'No change: the job’s status has changed since.' },
}

function cursorText({ created_us, id }: JobCursor): string {
  return `${created_us}.${id}`
}

function readCursor(text: string | undefined): JobCursor | undefined {
  const [, at, id] = CURSOR.exec(text ?? '') ?? []
  return at && id ? { created_us: Number(at), id } : undefined
}
