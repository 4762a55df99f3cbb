import type { ListedJob } from '#platform/job-log'
import { queueLabel } from './job-labels.tsx'

/** What each schedule does. One that only another release has is named after its key. */
const LABELS: Record<string, string> = {
  'check-ledger': 'Check ledger',
  'close-days': 'Close days',
  'delete-copies': 'Delete test mode copies',
  'forget-claims': 'Delete expired claim URLs',
  'forget-exports': 'Delete expired exports',
  'forget-hosted-sign-ins': 'Delete expired hosted sign-ins',
  'forget-sign-ins': 'Delete expired sessions',
  'record-taxes': 'Record taxes',
  retention: 'Delete old data',
  'review-restored': 'Review restored data',
  'weekly-payouts': 'Weekly payouts',
}

/** A schedule in words. */
export function scheduleLabel(name: string): string {
  return LABELS[name] ?? queueLabel(name)
}

/** A job in words: the schedule that it runs, or its queue. */
export function jobLabel({ queue, schedule }: Pick<ListedJob, 'queue' | 'schedule'>): string {
  return schedule === null ? queueLabel(queue) : scheduleLabel(schedule)
}

/** When a schedule runs, in words and in UTC; a pattern that has none is shown as it is. */
export function cronText(cron: string): string {
  const [minute = '', hour = '', ...others] = cron.trim().split(/\s+/)
  if (others.join(' ') !== '* * *') return cron
  if (hour === '*' && minute === '*') return 'Every minute'
  const step = /^\*\/([1-9]\d?)$/.exec(minute)?.[1]
  if (hour === '*' && step) return `Every ${step} minutes`
  if (!/^\d{1,2}$/.test(minute)) return cron
  const minutes = minute.padStart(2, '0')
  if (hour === '*') return `Hourly, at :${minutes}`
  if (!/^\d{1,2}$/.test(hour)) return cron
  const [twelfth, half] = [Number(hour) % 12 || 12, Number(hour) < 12 ? 'AM' : 'PM']
  return `Daily at ${twelfth}:${minutes} ${half} UTC`
}
