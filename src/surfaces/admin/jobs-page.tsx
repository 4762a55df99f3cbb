import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { SelectField } from '#design/forms'
import { Moment } from '#design/money'
import { Pager } from '#design/navigation'
import { EmptyState, Panel, Totals } from '#design/panels'
import { RecordCards, RecordTable } from '#design/records'
import type { StaffRole } from '#domain/identity'
import type { ActionNote } from '#http/action-note'
import {
  COUNTED_JOBS,
  JOB_STATES,
  type JobState,
  type ListedJob,
  type LoggedSchedule,
} from '#platform/job-log'
import { JOB_STATE_LABELS, JobBadge, queueLabel } from './job-labels.tsx'
import { AdminPage } from './layout.tsx'
import { cronText, jobLabel, scheduleLabel } from './schedule-labels.ts'

interface JobsFacts {
  role: StaffRole
  counts: Record<JobState, number>
  queues: string[]
  state: JobState
  queue: string | undefined
  jobs: (ListedJob & { error: string | undefined })[]
  schedules: (LoggedSchedule & { next_at: Date | undefined })[]
  newest: string | undefined
  older: string | undefined
  note: ActionNote | undefined
}

/** The jobs in a state, with the number in each, and the schedules. */
export function JobsPage(facts: JobsFacts): JSX.Element {
  const { counts, jobs, state } = facts
  return (
    <AdminPage
      {...facts}
      current="jobs"
      title="Jobs"
      intro="Background work. A failed job has used up its retries. Finished jobs are kept for a week."
    >
      <Totals
        items={JOB_STATES.map((each) => ({
          term: JOB_STATE_LABELS[each],
          detail: (
            <TextLink href={`/admin/jobs/?state=${each}`}>{countText(counts[each])}</TextLink>
          ),
        }))}
      />
      <Filter {...facts} />
      {jobs.length === 0 ? (
        <EmptyState title={`No ${JOB_STATE_LABELS[state].toLowerCase()} jobs`}>
          Choose another status or queue.
        </EmptyState>
      ) : (
        <RecordCards records={jobs.map((job) => cardOf(job, state))} />
      )}
      <Pager newest={facts.newest} older={facts.older} />
      <Schedules schedules={facts.schedules} />
    </AdminPage>
  )
}

function countText(count: number): string {
  if (count > COUNTED_JOBS) return `${COUNTED_JOBS.toLocaleString('en-US')}+`
  return count.toLocaleString('en-US')
}

function Filter({ state, queue, queues }: JobsFacts): JSX.Element {
  return (
    <Panel title="Filter">
      <form
        method="get"
        action="/admin/jobs/"
        class="grid items-end gap-4 sm:grid-cols-[1fr_1fr_auto]"
      >
        <SelectField
          label="Status"
          name="state"
          value={state}
          options={JOB_STATES.map((value) => ({ value, label: JOB_STATE_LABELS[value] }))}
          in_search
        />
        <SelectField
          label="Queue"
          name="queue"
          value={queue ?? ''}
          options={[
            { value: '', label: 'All' },
            ...queues.map((value) => ({ value, label: queueLabel(value) })),
          ]}
          in_search
        />
        <div>
          <Button kind="primary">Show</Button>
        </div>
      </form>
    </Panel>
  )
}

function cardOf(job: JobsFacts['jobs'][number], state: JobState) {
  const { id, queue, created_at, start_after, completed_at, retries, retry_limit, error } = job
  return {
    key: id,
    href: `/admin/jobs/${queue}/${id}/`,
    title: jobLabel(job),
    aside: <JobBadge state={state} />,
    details: [
      <>
        Queued <Moment at={created_at} />
      </>,
      ...(state === 'retry' ? [<NextAttempt at={start_after} />] : []),
      ...(completed_at ? [<Ended at={completed_at} />] : []),
      ...(retries > 0 ? [`Retry ${retries} of ${retry_limit}`] : []),
      ...(error ? [<span class="wrap-anywhere">{error}</span>] : []),
    ],
  }
}

function NextAttempt({ at }: { at: Date }): JSX.Element {
  return (
    <>
      Next attempt <Moment at={at} />
    </>
  )
}

function Ended({ at }: { at: Date }): JSX.Element {
  return (
    <>
      Ended <Moment at={at} />
    </>
  )
}

function Schedules({ schedules }: Pick<JobsFacts, 'schedules'>): JSX.Element {
  return (
    <Panel id="schedules" title="Schedules">
      {schedules.length === 0 ? (
        <p class="text-sm text-muted">
          No schedules yet. They are written when the service starts.
        </p>
      ) : (
        <RecordTable
          caption="Schedules"
          columns={[
            { label: 'Schedule' },
            { label: 'Last run' },
            { label: 'Result' },
            { label: 'Next run' },
          ]}
          rows={byLabel(schedules).map(({ name, cron, job_id, state, run_at, next_at }) => ({
            key: name,
            cells: [
              <span class="grid gap-0.5">
                {scheduleLabel(name)}
                <span class="text-xs text-muted">{cronText(cron)}</span>
              </span>,
              run_at && job_id ? (
                <TextLink href={`/admin/jobs/schedules/${job_id}/`}>
                  <Moment at={run_at} />
                </TextLink>
              ) : (
                'None yet'
              ),
              state ? <JobBadge state={state} /> : '',
              next_at ? <Moment at={next_at} /> : 'Never',
            ],
          }))}
        />
      )}
    </Panel>
  )
}

function byLabel(schedules: JobsFacts['schedules']): JobsFacts['schedules'] {
  const labelOf = ({ name }: LoggedSchedule) => scheduleLabel(name)
  return [...schedules].sort((a, b) => labelOf(a).localeCompare(labelOf(b)))
}
