import type * as identity from '#domain/identity'
import type * as sellers from '#domain/sellers'
import type { MessageId } from '#platform/language/locale'
import type { Progress, Task, TaskName } from '#platform/tasks'

/** Reports the progress of a task; throws if the task should stop. */
export type ReportProgress = (progress: Progress) => Promise<void>

/** A kind of task: its title, and how it runs. */
export type TaskKind = TaskWords & {
  kind: TaskName
  /** What its progress counts, such as "days". */
  unit?: string
  /** What staff need for it; absent for what is not staff's. */
  needs?: identity.StaffPermission
  /**
   * What other members of the app's seller need to follow the task and to stop it; absent: only the
   * account that requested it may.
   */
  shared?: { view: sellers.SellerPermission; stop: sellers.SellerPermission }
  /** Whether the account may still see what the task created; absent: always. */
  isAllowed?(task: Task): Promise<boolean>
  /** Set if what it created is shown only right after authentication, like the request for it. */
  needs_proof?: true
  /** Runs the task, reports its progress, and returns what the next page needs. */
  run(task: Task, report: ReportProgress): Promise<TaskEnd>
  /** The page on which it was requested. */
  back(task: Task): string
}

/**
 * The title of a task, and what remains if it fails: by default, completed steps are kept. Pages of
 * a task of buyers are in the reader's language, and have these as messages.
 */
type TaskWords =
  | { is_translated?: never; title: string; remains?: string }
  | { is_translated: true; title: MessageId; remains: MessageId }

/** The result of a task: the address of its page, and what that page needs. */
export type TaskEnd = { next_url: string } & Record<string, unknown>
