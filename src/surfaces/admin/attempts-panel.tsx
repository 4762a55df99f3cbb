import type { JSX } from 'preact'
import { CheckboxField } from '#design/forms'
import { formatMoney, Moment } from '#design/money'
import type { PendingAttempt } from '#domain/payments'
import type { CaseList } from './case-lists.ts'
import { Entries, Entry, type FilledForm } from './staff-action.tsx'

/** Payment attempts open for more than an hour, each with a form to close it. */
export function StuckAttempts(facts: {
  list: CaseList<PendingAttempt>
  csrf_token: string
  filled: FilledForm | undefined
}): JSX.Element {
  return (
    <Entries id="attempts" title="Payment attempts open for over an hour" list={facts.list}>
      {facts.list.items.map(({ id, amount, app_name, email, created_at }) => (
        <Entry
          key={id}
          title={`${formatMoney(amount)}, ${app_name}`}
          details={
            <>
              {email}, {id}, since <Moment at={created_at} />. No other payment of this buyer can be
              charged until this one is closed.
            </>
          }
          csrf_token={facts.csrf_token}
          path="close-attempt"
          fields={{ attempt_id: id, ...facts.list.place }}
          id={`close-${id}`}
          label="Close"
          filled={facts.filled}
        >
          <CheckboxField
            name="nothing_charged"
            id={`nothing-${id}`}
            label="I checked with the processor: nothing was charged."
            hint="Needed only if the processor does not respond. Its response always takes precedence."
          />
        </Entry>
      ))}
    </Entries>
  )
}
