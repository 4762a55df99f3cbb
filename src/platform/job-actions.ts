import type { ConnectionOptions, PgBoss } from 'pg-boss'
import { afterCommit, type Db } from '#platform/db'
import { lockJob } from '#platform/job-log'

/** A job by its queue and its id. */
export interface JobName {
  queue: string
  id: string
}

/** What staff do with a job, each as part of the caller's transaction. */
export interface JobActions {
  /** Retries a failed or canceled job once the transaction commits; false if it is neither. */
  retry(db: Db, job: JobName): Promise<boolean>
  /** Cancels a job that is waiting for an attempt; false if it is not. */
  cancel(db: Db, job: JobName): Promise<boolean>
  /** Deletes a failed or canceled job; false if it is neither. */
  discard(db: Db, job: JobName): Promise<boolean>
}

/** What staff do with a job. */
export type JobAction = keyof JobActions

/** The actions on jobs. `wake` makes the workers of a queue look for jobs. */
export function jobActions(boss: PgBoss, wake: (queue: string) => void): JobActions {
  const inside = (tx: Db) => ({ db: { executeSql: tx.raw } }) as unknown as ConnectionOptions
  return {
    async retry(tx, { queue, id }) {
      const state = await lockJob(tx, { queue, id })
      if (state !== 'failed' && state !== 'cancelled') return false
      if (state === 'failed') await boss.retry(queue, id, inside(tx))
      else await boss.resume(queue, id, inside(tx))
      afterCommit(() => wake(queue))
      return true
    },
    async cancel(tx, { queue, id }) {
      const state = await lockJob(tx, { queue, id })
      if (state !== 'created' && state !== 'retry') return false
      await boss.cancel(queue, id, inside(tx))
      return true
    },
    async discard(tx, { queue, id }) {
      const state = await lockJob(tx, { queue, id })
      if (state !== 'failed' && state !== 'cancelled') return false
      await boss.deleteJob(queue, id, inside(tx))
      return true
    },
  }
}
