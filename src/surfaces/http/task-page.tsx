import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Heading, Panel } from '#design/panels'
import type { TaskId } from '#platform/ids'
import type { Locale } from '#platform/language/locale'

/** A task, for the person who waits for it. */
export interface TaskFacts {
  id: TaskId
  locale: Locale
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

/** The progress of a task; the page reloads until the task has ended. */
export function TaskPage(facts: TaskFacts): JSX.Element {
  const { locale, title, fault, was_stopped, can_stop } = facts
  const { t } = locale
  return (
    <SiteLayout
      locale={locale}
      title={t('task.page_title', { title })}
      refresh_seconds={fault ? undefined : 2}
    >
      <Heading title={title}>{fault ? undefined : t('task.text')}</Heading>
      {fault ? (
        <Alert
          tone={was_stopped ? 'info' : 'error'}
          title={t(was_stopped ? 'task.stopped_title' : 'task.failed_title')}
        >
          {fault}
        </Alert>
      ) : (
        <Panel title={t('task.progress')}>
          <Meter {...facts} />
        </Panel>
      )}
      <Form action={`/tasks/${facts.id}/stop`} csrf_token={facts.csrf_token}>
        <Actions>
          <Button href={facts.back_url} icon="arrow-left">
            {t('task.back')}
          </Button>
          {!fault && can_stop && (
            <Button kind="ghost" pending={t('task.stopping')}>
              {t('task.stop')}
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

function wordsOf({ locale, status, done, total, unit, note }: TaskFacts): string {
  if (status === 'waiting') return locale.t('task.queued')
  // Only tasks of sellers and staff count, which are in English.
  const count = (number: number) => number.toLocaleString('en-US')
  const counted = `${count(done)} of ${count(total)}${unit ? ` ${unit}` : ''}.`
  return [total > 0 ? counted : '', note].filter((text) => text !== '').join(' ')
}
