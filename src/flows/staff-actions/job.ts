import type { World } from '#flows/world'
import { isUniqueViolation } from '#platform/db'
import type { JobAction, JobName } from '#platform/job-actions'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/**
 * The outcome of an action on a job. `queued_again`: the same work is already queued or running.
 */
export type JobActionOutcome = 'done' | 'nothing' | 'queued_again'

const AUDITED = { retry: 'job.retried', cancel: 'job.canceled', discard: 'job.discarded' } as const

/** Retries, cancels or discards a job. */
export async function actOnJob(
  { db, clock, jobs }: World,
  staff: StaffWithReason,
  { action, ...job }: JobName & { action: JobAction },
): Promise<JobActionOutcome> {
  const { queue, id: subject } = job
  try {
    return await db.tx(async (tx) => {
      if (!(await jobs[action](tx, job))) return 'nothing'
      const done = { action: AUDITED[action], subject, detail: { queue } }
      await recordStaffAction(tx, clock.now(), staff, done)
      return 'done'
    })
  } catch (error) {
    // Schedules: one job of each waits or runs at a time.
    if (isUniqueViolation(error)) return 'queued_again'
    throw error
  }
}
