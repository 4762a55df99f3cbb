import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Heading, Panel } from '#design/panels'
import type { TaskId } from '#platform/ids'

/** A task, for the person who waits for it. */
export interface TaskFacts {
  id: TaskId
  csrf_token: string
  /** What the task does. */
  title: string
  /** What is counted, such as "days". */
  unit: string | undefined
  /** The page on which it was requested. */
  back_url: string
  status: 'waiting' | 'running' | 'done' | 'failed'
  done: number
  total: number
  note: string
  /** Why it did not finish; undefined while it is running. */
  fault: string | undefined
  was_stopped: boolean
  /** Whether the person may stop it. */
  can_stop: boolean
}

const STOPPED = { tone: 'info', title: 'Stopped' } as const
const FAILED = { tone: 'error', title: 'This task failed' } as const

/** The progress of a task; the page reloads until the task has ended. */
export function TaskPage(facts: TaskFacts): JSX.Element {
  const { fault, was_stopped, can_stop } = facts
  return (
    <SiteLayout title={`${facts.title} · Purser`} {...(fault ? {} : { refresh_seconds: 2 })}>
      <Heading title={facts.title}>
        {fault ? undefined : 'You can leave this page. The task continues in the background.'}
      </Heading>
      {fault ? (
        <Alert {...(was_stopped ? STOPPED : FAILED)}>{fault}</Alert>
      ) : (
        <Panel title="Progress">
          <Meter {...facts} />
        </Panel>
      )}
      <Form action={`/tasks/${facts.id}/stop`} csrf_token={facts.csrf_token}>
        <Actions>
          <Button href={facts.back_url} icon="arrow-left">
            Back
          </Button>
          {!fault && can_stop && (
            <Button kind="ghost" pending="Stopping…">
              Stop
            </Button>
          )}
        </Actions>
      </Form>
    </SiteLayout>
  )
}

/** The part of the page that is replaced on each reload. */
function Meter(facts: TaskFacts): JSX.Element {
  const known = facts.total > 0
  return (
    <div id="progress" class="grid gap-3" data-waiting-seconds="1" data-waiting-shows>
      <progress
        class="progress progress-primary h-3 w-full"
        aria-label={facts.title}
        max={known ? facts.total : undefined}
        value={known ? facts.done : undefined}
      />
      <p class="text-sm text-muted tabular-nums">{wordsOf(facts)}</p>
    </div>
  )
}

function wordsOf({ status, done, total, unit, note }: TaskFacts): string {
  if (status === 'waiting') return 'Queued.'
  const count = (number: number) => number.toLocaleString('en-US')
  const counted = `${count(done)} of ${count(total)}${unit ? ` ${unit}` : ''}.`
  return [total > 0 ? counted : '', note].filter((text) => text !== '').join(' ')
}
