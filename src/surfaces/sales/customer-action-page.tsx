import type { JSX } from 'preact'
import { ErrorSummary } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { PageHeader } from '#design/page-header'
import { Mailbox, Panel } from '#design/panels'
import { placed } from '#http/field-places'
import { enteredFields, type FormFault, faultAt } from '#http/form-errors'
import type { CustomerAction } from './customer-action.ts'
import { SalesLayout } from './layout.tsx'
import { ReasonFields } from './reason-fields.tsx'
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
    replaces: string
    from: string
    faults: FormFault[]
  },
): JSX.Element {
  const { action, email, form, faults, back } = facts
  const field = enteredFields(form, faults)
  return (
    <SalesLayout
      {...facts}
      title={`${action.label} · ${email}`}
      has_error={faults.length > 0}
      header={
        <PageHeader title={action.label} back={{ label: email, href: back }}>
          For <Mailbox address={email} />.
        </PageHeader>
      }
    >
      <ErrorSummary errors={faults.map(placed)} title="Nothing was changed. Check these fields" />
      <div class="max-w-xl">
        <Panel>
          <p class="text-sm">{action.text}</p>
          <Form action={facts.path} csrf_token={facts.csrf_token}>
            <input type="hidden" name="replaces" value={facts.replaces} />
            {action.has_days && (
              <>
                <input type="hidden" name="from" value={facts.from} />
                <Field label="Days" {...field('days')} inputmode="numeric" autocomplete="off" />
              </>
            )}
            <ReasonFields
              reason={form.reason}
              about="buyer"
              error={faultAt(faults, 'reason')}
              button={action.label}
              is_final={action.is_final}
              back={back}
            />
          </Form>
        </Panel>
      </div>
    </SalesLayout>
  )
}
