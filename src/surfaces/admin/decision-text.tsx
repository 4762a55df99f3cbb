import type { JSX } from 'preact'
import { Day } from '#design/money'

/** A decision of staff that is in force, such as a suspension. */
export interface CurrentDecision {
  since: Date
  reason: string | undefined
}

/** The date and the reason of a decision. */
export function DecisionText({ since, reason }: CurrentDecision): JSX.Element {
  return (
    <>
      Since <Day date={since} />
      {reason && `: ${reason}`}
    </>
  )
}
