import type { ComponentChildren, JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { Field, Form, SelectField } from '#design/forms'
import { PageHeader } from '#design/page-header'
import { Mailbox, Panel } from '#design/panels'
import { placed } from '#http/field-places'
import { enteredFields, type FormFault, faultAt } from '#http/form-errors'
import { SalesLayout } from './layout.tsx'
import { ReasonFields } from './reason-fields.tsx'
import type { SalesPageFacts } from './sales-context.ts'

/** The fields of the form. */
export const GIVE_FIELDS = ['email', 'plan', 'ends', 'reason'] as const
export type GiveForm = Record<(typeof GIVE_FIELDS)[number], string>

/** What the page of a gift shows. */
export interface GiveFacts extends SalesPageFacts {
  app_name: string
  plans: { value: string; label: string }[]
  form: GiveForm
  faults: FormFault[]
  /** The license of this app that the person has already. */
  owned: { href: string; plan: string } | undefined
}

/** Gives a person a plan that costs nothing. */
export function GivePlanPage(facts: GiveFacts): JSX.Element {
  const { base, form, faults, plans } = facts
  const field = enteredFields(form, faults)
  return (
    <SalesLayout
      {...facts}
      title={`Give a plan · ${facts.app_name}`}
      has_error={faults.length > 0 || facts.owned !== undefined}
      header={
        <PageHeader title="Give a plan" back={{ label: 'Licenses', href: `${base}/licenses/` }}>
          A license of {facts.app_name} that costs nothing and is never charged.
        </PageHeader>
      }
    >
      <ErrorSummary errors={faults.map(placed)} title="Not given. Check these fields" />
      {facts.owned && <Owned {...facts.owned} email={form.email} />}
      <div class="max-w-xl">
        <Panel>
          {plans.length === 0 ? (
            <p class="text-sm text-muted">Add a paid plan first: a free plan needs no license.</p>
          ) : (
            <Form action={`${base}/licenses/give/`} csrf_token={facts.csrf_token}>
              <Field
                label="Email"
                {...field('email')}
                type="email"
                autocomplete="off"
                hint="They get an email with the license key. An account is created if they have none."
              />
              <SelectField label="Plan" {...field('plan')} options={plans} />
              <Field
                label="Ends on"
                {...field('ends')}
                type="date"
                optional
                hint="Leave empty for a plan with no end date. Times are in UTC."
              />
              <ReasonFields
                reason={form.reason}
                about="recipient"
                error={faultAt(faults, 'reason')}
                button="Give plan"
                back={`${base}/licenses/`}
              />
            </Form>
          )}
        </Panel>
      </div>
    </SalesLayout>
  )
}

function Owned(facts: { email: string; href: string; plan: string }): ComponentChildren {
  return (
    <Alert tone="warning" title="Not given">
      <Mailbox address={facts.email} /> has a license of this app: {facts.plan}. A person has one
      license of an app at a time. <TextLink href={facts.href}>View the license</TextLink>
    </Alert>
  )
}
