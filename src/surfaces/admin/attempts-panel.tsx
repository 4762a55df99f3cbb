import type { JSX } from 'preact'
import { CheckboxField } from '#design/forms'
import { formatMoney } from '#design/money'
import { Moment } from '#design/timeline'
import type { OpenAttempt } from '#domain/payments'
import { Entries, Entry, type Filled, StaffAction } from './staff-action.tsx'

/** Payment attempts that have been open for an hour, and the form that closes each. */
export function StuckAttempts(facts: {
  stuck: OpenAttempt[]
  csrf_token: string
  filled: Filled | undefined
}): JSX.Element {
  return (
    <Entries title="Payments that are still open after an hour">
      {facts.stuck.map(({ id, amount, app_name, email, created_at }) => (
        <Entry
          key={id}
          title={`${formatMoney(amount)}, ${app_name}`}
          details={
            <>
              {email}, {id}, since <Moment at={created_at} />. No other payment of this buyer can be
              charged until it is closed.
            </>
          }
        >
          <StaffAction
            csrf_token={facts.csrf_token}
            path="close-attempt"
            fields={{ attempt_id: id }}
            id={`close-${id}`}
            label="Close"
            filled={facts.filled}
          >
            <CheckboxField
              name="nothing_charged"
              id={`nothing-${id}`}
              label="I looked at the processor: nothing was charged for it."
              hint="Needed only where the processor does not answer. What it answers always counts."
            />
          </StaffAction>
        </Entry>
      ))}
    </Entries>
  )
}
