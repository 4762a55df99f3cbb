import type { JSX } from 'preact'
import { Day } from '#design/money'

/** A decision of staff that is in force, such as a suspension. */
export interface StandingDecision {
  since: Date
  reason: string | undefined
}

/** Since when, and why. */
export function DecisionText({ since, reason }: StandingDecision): JSX.Element {
  return (
    <>
      Since <Day date={since} />
      {reason && `: ${reason}`}
    </>
  )
}
