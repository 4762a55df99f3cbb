import type { JSX } from 'preact'
import { Actions, BackLink, Button } from '#design/actions'
import { ErrorSummary } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Heading, Panel } from '#design/panels'
import type { CustomerAction } from './customer-action.ts'
import type { SalesPageFacts } from './sales-context.ts'

/** Says what an action does, and asks for its reason. */
export function ActionPage(
  facts: SalesPageFacts & {
    action: CustomerAction
    email: string
    path: string
    /** The customer's page. */
    back: string
    form: { reason: string; days: string }
    faults: { id: string; message: string }[]
  },
): JSX.Element {
  const { action, email, form, faults, back } = facts
  const faultAt = (id: string) => faults.find((fault) => fault.id === id)?.message
  const title = `${faults.length > 0 ? 'Error: ' : ''}${action.label} · ${email}`
  return (
    <SiteLayout title={title} notice={facts.notice}>
      <div class="grid gap-2">
        <BackLink href={back}>{email}</BackLink>
        <Heading title={action.label}>For {email}.</Heading>
      </div>
      <ErrorSummary errors={faults} title="Not done. Check these fields" />
      <div class="max-w-xl">
        <Panel>
          <p class="text-sm">{action.text}</p>
          <Form action={facts.path} csrf_token={facts.csrf_token}>
            {action.has_days && (
              <Field
                label="Days"
                name="days"
                inputmode="numeric"
                autocomplete="off"
                value={form.days}
                error={faultAt('days')}
              />
            )}
            <Field
              label="Reason"
              name="reason"
              value={form.reason}
              maxlength={200}
              autocomplete="off"
              hint="For your records; the buyer does not see it."
              error={faultAt('reason')}
            />
            <Actions>
              <Button kind={action.is_final ? 'danger' : 'primary'} pending="One moment…">
                {action.button}
              </Button>
              <Button href={back}>Back</Button>
            </Actions>
          </Form>
        </Panel>
      </div>
    </SiteLayout>
  )
}
