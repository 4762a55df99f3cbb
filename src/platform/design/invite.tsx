import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button } from './actions.tsx'
import { Field, Form, SelectField } from './forms.tsx'
import { Panel } from './panels.tsx'

/** The form that invites an email address to a role, with notes about the roles. */
export function InvitePanel(facts: {
  title: string
  action: string
  csrf_token: string
  form: { email: string; role: string }
  fault: string | undefined
  roles: { value: string; label: string }[]
  /** The role that is chosen first. */
  usual_role: string
  children: ComponentChildren
}): JSX.Element {
  return (
    <Panel title={facts.title}>
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        <div class="grid gap-4 sm:grid-cols-2">
          <Field
            label="Email"
            name="email"
            type="email"
            value={facts.form.email}
            autocomplete="off"
            error={facts.fault}
          />
          <SelectField
            label="Role"
            name="role"
            value={facts.form.role || facts.usual_role}
            options={facts.roles}
          />
        </div>
        <p class="text-sm text-muted">{facts.children}</p>
        <Actions>
          <Button kind="primary" pending="Sending…">
            Send invitation
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}
