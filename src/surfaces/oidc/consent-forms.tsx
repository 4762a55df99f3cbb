import type { ComponentChildren, JSX } from 'preact'
import { Button } from '#design/actions'
import { Form } from '#design/forms'

/** Where the two buttons of a consent page lead. */
export interface ConsentForms {
  csrf_token: string
  allow_url: string
  cancel_url: string
}

/** The form that allows what its content lists, and the form that cancels. */
export function AllowOrCancel(facts: ConsentForms & { children?: ComponentChildren }): JSX.Element {
  const { csrf_token, allow_url, cancel_url, children } = facts
  return (
    <div class="grid gap-3">
      <Form action={allow_url} csrf_token={csrf_token}>
        {children}
        <Button kind="primary" pending="One moment…" wide>
          Allow
        </Button>
      </Form>
      <Form action={cancel_url} csrf_token={csrf_token}>
        <Button wide>Cancel</Button>
      </Form>
    </div>
  )
}
