import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { Form, HiddenFields } from '#design/forms'
import { Panel } from '#design/panels'
import type { EnteredDetails, SellerDetails } from '#domain/sellers'
import { placed } from '#http/field-places'
import type { FormFault } from '#http/form-errors'
import { OPENED } from './opened-form.ts'
import { SellerFields } from './seller-form.tsx'
import { SellerMenuPage, type SellerReader } from './seller-menu.tsx'

/** A seller's legal name and address. */
export function SellerPage(
  facts: SellerReader & {
    csrf_token: string
    form: EnteredDetails
    /** What was saved when the form was opened. */
    opened: Record<keyof SellerDetails, string>
    faults: FormFault[]
    is_saved: boolean
  },
): JSX.Element {
  const { csrf_token, form, faults } = facts
  return (
    <SellerMenuPage
      {...facts}
      current="details"
      title="Seller details"
      intro="Your legal name appears on receipts and payout statements."
      has_error={faults.length > 0}
    >
      <div class="grid max-w-2xl grid-cols-1 gap-6">
        {facts.is_saved && <Alert tone="success">Saved.</Alert>}
        <ErrorSummary errors={faults.map(placed)} title="Not saved. Check these fields" />
        <Panel>
          <Form action="/dashboard/seller/" csrf_token={csrf_token}>
            <HiddenFields values={facts.opened} prefix={OPENED} />
            <SellerFields form={form} faults={faults} />
            <div>
              <Button kind="primary" pending="Saving…">
                Save
              </Button>
            </div>
          </Form>
        </Panel>
      </div>
    </SellerMenuPage>
  )
}
