import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Field } from '#design/forms'
import { MAX_REASON_LENGTH } from '#http/reason'

/** The end of a form about a customer: the reason, the button of the action, and the way back. */
export function ReasonFields(facts: {
  reason: string
  /** Who does not see the reason. */
  about: 'buyer' | 'recipient'
  error: string | undefined
  button: string
  is_final?: boolean
  back: string
}): JSX.Element {
  return (
    <>
      <Field
        label="Reason"
        name="reason"
        value={facts.reason}
        maxlength={MAX_REASON_LENGTH}
        autocomplete="off"
        hint={`For your records. The ${facts.about} does not see it.`}
        error={facts.error}
      />
      <Actions>
        <Button kind={facts.is_final ? 'danger' : 'primary'} pending="One moment…">
          {facts.button}
        </Button>
        <Button href={facts.back}>Back</Button>
      </Actions>
    </>
  )
}
