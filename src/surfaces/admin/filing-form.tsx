import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Field, Form } from '#design/forms'

/** Files a month's tax with a reference, and pays it. */
export function FilingForm(facts: {
  csrf_token: string
  path: string
  label: string
  button: string
  /** What the button says once it is pressed. */
  pending?: string
  /** The initial value of the field. */
  filing_reference: string | undefined
  fault: string | undefined
}): JSX.Element {
  return (
    <Form action={facts.path} csrf_token={facts.csrf_token}>
      <Field
        label={facts.label}
        name="filing_reference"
        value={facts.filing_reference}
        maxlength={80}
        autocomplete="off"
        spellcheck={false}
        error={facts.fault}
      />
      <Actions>
        <Button kind="primary" pending={facts.pending ?? 'Filing…'}>
          {facts.button}
        </Button>
      </Actions>
    </Form>
  )
}
