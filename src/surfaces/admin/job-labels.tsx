import type { JSX } from 'preact'
import { Badge, type BadgeTone } from '#design/feedback'
import { type JobState, readJobState } from '#platform/job-log'
import { capitalized } from '#platform/text'

/** The states of jobs in words. */
export const JOB_STATE_LABELS: Record<JobState, string> = {
  failed: 'Failed',
  retry: 'Retrying',
  active: 'Running',
  created: 'Queued',
  cancelled: 'Canceled',
  completed: 'Done',
}

const TONES: Partial<Record<JobState, BadgeTone>> = {
  failed: 'bad',
  retry: 'warn',
  active: 'info',
  completed: 'good',
}

/** The state of a job; a state that only another release knows is shown as it is. */
export function JobBadge({ state }: { state: string }): JSX.Element {
  const known = readJobState(state)
  if (!known) return <Badge>{state}</Badge>
  return <Badge tone={TONES[known] ?? 'neutral'}>{JOB_STATE_LABELS[known]}</Badge>
}

/** A queue in words: `emails-urgent` is the fast lane of `emails`. */
export function queueLabel(queue: string): string {
  const text = queue
    .replace(/-urgent$/, ', urgent')
    .replaceAll('-', ' ')
    .replace('sign in', 'sign-in')
  return capitalized(text)
}
