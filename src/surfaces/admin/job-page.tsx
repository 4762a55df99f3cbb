import type { JSX } from 'preact'
import { NoteAlert } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { Moment } from '#design/money'
import { DescriptionList, Panel } from '#design/panels'
import type { StaffRole } from '#domain/identity'
import type { ActionNote } from '#http/action-note'
import { RecordHeader } from '#http/admin-menu'
import type { JobAction } from '#platform/job-actions'
import type { LoggedJob } from '#platform/job-log'
import { JobBadge } from './job-labels.tsx'
import { jobLabel } from './schedule-labels.ts'
import { type FilledForm, StaffAction } from './staff-action.tsx'

interface JobFacts {
  csrf_token: string
  role: StaffRole
  job: LoggedJob
  /** As JSON, without secrets and personal data. */
  data: string
  output: string | null
  filled: FilledForm | undefined
  note: ActionNote | undefined
}

/** What can be done with a job in a state. */
const ACTIONS: Record<string, JobAction[]> = {
  failed: ['retry', 'discard'],
  cancelled: ['retry', 'discard'],
  created: ['cancel'],
  retry: ['cancel'],
}

const LABELS: Record<JobAction, string> = { retry: 'Retry', cancel: 'Cancel', discard: 'Discard' }

/** A job: its state, attempts, data and error, and what staff can do with it. */
export function JobPage(facts: JobFacts): JSX.Element {
  const { job, note } = facts
  const actions = ACTIONS[job.state] ?? []
  return (
    <SiteLayout title={`${jobLabel(job)} · Jobs · Purser`} has_error={facts.filled?.is_refused}>
      <RecordHeader
        current="jobs"
        role={facts.role}
        title={`Job: ${jobLabel(job)}`}
        back={{ label: 'Jobs', href: `/admin/jobs/?state=${job.state}` }}
      >
        {job.id}
      </RecordHeader>
      <NoteAlert note={note} />
      <DescriptionList items={itemsOf(job)} />
      <Json title="Data" text={facts.data} />
      {facts.output && <Json title="Result of the last attempt" text={facts.output} />}
      {actions.length > 0 && (
        <Panel title="Actions">
          <div class="grid gap-6">
            {actions.map((action) => (
              <StaffAction
                key={action}
                csrf_token={facts.csrf_token}
                path={`jobs/${job.queue}/${job.id}/${action}`}
                fields={{ job_id: job.id }}
                id={`${action}-reason`}
                label={LABELS[action]}
                filled={facts.filled}
              />
            ))}
          </div>
        </Panel>
      )}
    </SiteLayout>
  )
}

function itemsOf(job: LoggedJob) {
  const { state, queue, created_at, started_at, start_after, completed_at } = job
  return [
    { term: 'Status', detail: <JobBadge state={state} /> },
    { term: 'Queue', detail: queue },
    { term: 'Queued', detail: <Moment at={created_at} /> },
    ...(started_at ? [{ term: 'Last started', detail: <Moment at={started_at} /> }] : []),
    ...(state === 'retry' || state === 'created'
      ? [{ term: 'Next attempt', detail: <Moment at={start_after} /> }]
      : []),
    ...(completed_at ? [{ term: 'Ended', detail: <Moment at={completed_at} /> }] : []),
    { term: 'Retries', detail: `${job.retries} of ${job.retry_limit}` },
  ]
}

function Json({ title, text }: { title: string; text: string }): JSX.Element {
  return (
    <Panel title={title}>
      <pre class="text-sm wrap-anywhere whitespace-pre-wrap">{text}</pre>
    </Panel>
  )
}
