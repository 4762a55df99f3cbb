import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { ErrorSummary } from '#design/feedback'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Heading, Panel } from '#design/panels'
import type { EnteredDetails } from '#domain/sellers'
import { placed } from '#http/field-places'
import type { FormFault } from '#http/form-errors'
import { SellerFields } from './seller-form.tsx'

/** Asks for the seller's legal name and address before the first app. */
export function StartPage(facts: {
  csrf_token: string
  form: EnteredDetails
  faults: FormFault[]
}): JSX.Element {
  const { csrf_token, form, faults } = facts
  return (
    <SiteLayout title="Start selling · Purser" has_error={faults.length > 0}>
      <div class="grid max-w-2xl grid-cols-1 gap-6">
        <Heading title="Start selling">
          Purser sells your app for you and pays you. Who is the seller? The address must be in the
          United States. You add a bank account before your first payout.
        </Heading>
        <ErrorSummary errors={faults.map(placed)} title="Not saved. Check these fields" />
        <Panel>
          <Form action="/dashboard/start/" csrf_token={csrf_token}>
            <SellerFields form={form} faults={faults} />
            <p class="text-sm text-muted">
              By saving, you accept the <TextLink href="/seller-terms/">seller terms</TextLink>.
            </p>
            <div>
              <Button kind="primary" pending="Saving…">
                Save
              </Button>
            </div>
          </Form>
        </Panel>
      </div>
    </SiteLayout>
  )
}
