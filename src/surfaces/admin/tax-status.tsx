import type { JSX } from 'preact'
import { Badge, type BadgeTone } from '#design/feedback'
import type { StateSummary } from './tax-summary.ts'

/** How pages name the status of a state's month. */
export const STATUS: Record<StateSummary['status'], [label: string, tone: BadgeTone]> = {
  open: ['Open', 'neutral'],
  waiting: ['Waiting for an earlier month', 'neutral'],
  due: ['Due', 'warn'],
  filed: ['Filed', 'good'],
  none: ['Nothing to file', 'neutral'],
}

/** The status of a state's month. */
export function Status({ status }: { status: StateSummary['status'] }): JSX.Element {
  const [label, tone] = STATUS[status]
  return <Badge tone={tone}>{label}</Badge>
}
